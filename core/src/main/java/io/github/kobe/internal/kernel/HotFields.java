package io.github.kobe.internal.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The fields that every task of a {@link Group} writes, and padding behind them; an {@link UncappedGroup} has two counters of its own
 * instead. A class of its own because the JVM places the fields of a superclass first: the padding keeps these fields out of the cache line
 * of what every task reads and few write.
 */
abstract class HotFields {

    static final VarHandle STATE;
    static final VarHandle ADMITTED;
    static final VarHandle COMMON_OUTCOMES;
    static final VarHandle TYPICAL_RUN;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(HotFields.class, "state", long.class);
            ADMITTED = lookup.findVarHandle(HotFields.class, "admitted", long.class);
            COMMON_OUTCOMES = lookup.findVarHandle(HotFields.class, "commonOutcomes", long.class);
            TYPICAL_RUN = lookup.findVarHandle(HotFields.class, "typicalRun", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** See {@link GroupState}. */
    volatile long state;

    /** How many tasks were admitted. Beside the state, so that one cache line serves both writes. */
    volatile long admitted;

    /** How many tasks had the most common outcome, see {@link OutcomeCounters#COMMON_OUTCOME}. Here for the same reason. */
    volatile long commonOutcomes;

    /** About how long tasks hold their permits, in nanoseconds, see {@link RunTimes}; 0 before the first. Here for the same reason. */
    long typicalRun;

    // One cache line. The JVM keeps fields of one size in the order in which they are declared.
    @SuppressWarnings("unused")
    private long p0, p1, p2, p3, p4, p5, p6, p7;
}
