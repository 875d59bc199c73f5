package io.github.kobe.benchmarks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/** Waiting that gives up loudly: a lost task must end the run, not hang it. */
final class Await {

    private static final long PATIENCE_SECONDS = 120;
    private static final long LOOK_EVERY_MILLIS = 20;
    private static final long LOOK_OFTEN_NANOS = 100_000;

    private Await() {}

    static void zero(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(latch.getCount() + " tasks did not end in time");
        }
    }

    /** Looks often, for use while the clock is running. */
    static void count(AtomicInteger counter, int enough) {
        count(counter::get, enough);
    }

    static void count(IntSupplier counter, int enough) {
        long start = System.nanoTime();
        while (counter.getAsInt() < enough) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                throw new IllegalStateException("counted only " + counter.getAsInt() + " of " + enough);
            }
            LockSupport.parkNanos(LOOK_OFTEN_NANOS);
        }
    }

    static void until(String what, BooleanSupplier condition) throws InterruptedException {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                throw new IllegalStateException("in vain waited until " + what);
            }
            Thread.sleep(LOOK_EVERY_MILLIS);
        }
    }
}
