package io.github.kobe.internal.util;

import java.util.function.BooleanSupplier;

/**
 * Spins for a short time before the caller parks. Parking and unparking a thread takes about as long as this spin, and costs the unparking
 * thread as well. So a wait costs at most twice what it would without the spin. If the work is short, it costs almost nothing.
 */
public final class SpinWait {

    private static final int SPINS = 500; // about 20 microseconds on processors with a long pause instruction
    private static final long MAX_YIELD_NANOS = 20_000;
    private static final boolean SINGLE_CORE = Runtime.getRuntime().availableProcessors() == 1;

    private SpinWait() {}

    /** Whether {@code done} is true, now or after a short spin. Ignores interrupts: the park that follows does not. */
    public static boolean until(BooleanSupplier done) {
        if (done.getAsBoolean()) {
            return true;
        }
        boolean mustYield = SINGLE_CORE || Thread.currentThread().isVirtual();
        return mustYield ? yieldUntil(done) : spinUntil(done);
    }

    /** The awaited work may need the processor or the carrier thread of the caller. If one yield takes long, there is no second one. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static boolean yieldUntil(BooleanSupplier done) {
        long start = System.nanoTime();
        do {
            Thread.yield();
            if (done.getAsBoolean()) {
                return true;
            }
        } while (System.nanoTime() - start < MAX_YIELD_NANOS);
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
