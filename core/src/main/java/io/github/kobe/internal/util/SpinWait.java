package io.github.kobe.internal.util;

import java.util.function.BooleanSupplier;

/**
 * A few looks at what may happen any moment, for a thread that would else be put to sleep until it has. To be put to sleep and woken
 * again takes about as long as these looks do, and costs whoever wakes it as well; so at worst the wait costs twice what it would, and
 * where work is short it costs next to nothing.
 */
public final class SpinWait {

    private static final int SPINS = 500; // some twenty microseconds, where a pause is long
    private static final long MAX_YIELD_NANOS = 20_000;
    private static final boolean SINGLE_CORE = Runtime.getRuntime().availableProcessors() == 1;

    private SpinWait() {}

    /** Whether {@code done} is true, now or in a moment. Takes no notice of interrupts: the sleep that follows does. */
    public static boolean until(BooleanSupplier done) {
        if (done.getAsBoolean()) {
            return true;
        }
        boolean othersFirst = SINGLE_CORE || Thread.currentThread().isVirtual();
        return othersFirst ? yieldUntil(done) : spinUntil(done);
    }

    /** What is waited for may need the very processor, or carrier, that the caller is on. If others take long, once is enough. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static boolean yieldUntil(BooleanSupplier done) {
        long since = System.nanoTime();
        do {
            Thread.yield();
            if (done.getAsBoolean()) {
                return true;
            }
        } while (System.nanoTime() - since < MAX_YIELD_NANOS);
        return false;
    }

    private static boolean spinUntil(BooleanSupplier done) {
        for (int i = 0; i < SPINS; i++) {
            Thread.onSpinWait();
            if (done.getAsBoolean()) {
                return true;
            }
        }
        return false;
    }
}
