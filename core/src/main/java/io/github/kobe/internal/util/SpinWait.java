package io.github.kobe.internal.util;

import java.util.function.BooleanSupplier;

/**
 * A few looks at what may happen any moment, for a thread that would else be put to sleep until it has. To be put to sleep and woken
 * again takes about as long as these looks do, and costs whoever wakes it as well; so at worst the wait costs twice what it would, and
 * where work is short it costs next to nothing.
 */
public final class SpinWait {

    private static final int LOOKS = 500; // some twenty microseconds, where a pause is long
    private static final long MOMENT = 20_000;
    private static final boolean ALONE = Runtime.getRuntime().availableProcessors() == 1;

    private SpinWait() {}

    /** Whether {@code done} is true, now or in a moment. Takes no notice of interrupts: the sleep that follows does. */
    public static boolean is(BooleanSupplier done) {
        if (done.getAsBoolean()) {
            return true;
        }
        boolean othersFirst = ALONE || Thread.currentThread().isVirtual();
        return othersFirst ? afterOthers(done) : looking(done);
    }

    /** What is waited for may need the very processor, or carrier, that the caller is on. If others take long, once is enough. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static boolean afterOthers(BooleanSupplier done) {
        long since = System.nanoTime();
        do {
            Thread.yield();
            if (done.getAsBoolean()) {
                return true;
            }
        } while (System.nanoTime() - since < MOMENT);
        return false;
    }

    private static boolean looking(BooleanSupplier done) {
        for (int i = 0; i < LOOKS; i++) {
            Thread.onSpinWait();
            if (done.getAsBoolean()) {
                return true;
            }
        }
        return false;
    }
}
