package io.github.kobe.internal.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** What every ticket of a group writes. A class of its own, for the sake of where its fields are: those of a superclass come first. */
abstract class HotFields {

    static final VarHandle STATE;
    static final VarHandle ADMITTED;
    static final VarHandle COMMON_OUTCOMES;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(HotFields.class, "state", long.class);
            ADMITTED = lookup.findVarHandle(HotFields.class, "admitted", long.class);
            COMMON_OUTCOMES = lookup.findVarHandle(HotFields.class, "commonOutcomes", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** See {@link GroupState}. */
    volatile long state;

    /** How many tickets were let in. Here, and counted while the word is at hand: elsewhere it would cost as much as the word does. */
    volatile long admitted;

    /** How many tickets ended as most do, see {@link OutcomeCounters#COMMON_OUTCOME}; here for the same reason. */
    volatile long commonOutcomes;

    /**
     * A line of the cache that nobody uses, between those fields and what every ticket reads and hardly any writes: else each read would
     * wait for whichever core has written last.
     */
    @SuppressWarnings("unused")
    abstract static class Padded extends HotFields {
        private long a;
        private long b;
        private long c;
        private long d;
        private long e;
        private long f;
        private long g;
        private long h;
    }
}
