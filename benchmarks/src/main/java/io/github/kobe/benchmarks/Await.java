package io.github.kobe.benchmarks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/** Waits with a timeout, so that a lost task fails the run and does not hang it. */
final class Await {

    private static volatile long timeoutSeconds = 120;
    private static final long POLL_MILLIS = 20;
    private static final long SHORT_POLL_NANOS = 100_000;

    private Await() {}

    /** Sets the timeout of all waits in this JVM. */
    static void setTimeout(long seconds) {
        timeoutSeconds = seconds;
    }

    static void zero(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(timeoutSeconds, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    latch.getCount() + " tasks did not complete within " + timeoutSeconds + " s");
        }
    }

    /** Polls often, for use while time is being measured. */
    static void count(AtomicInteger counter, int target) {
        count(counter::get, target);
    }

    /** Polls often, for use while time is being measured. */
    static void count(IntSupplier counter, int target) {
        long start = System.nanoTime();
        while (counter.getAsInt() < target) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(timeoutSeconds)) {
                throw new IllegalStateException(
                        "counted " + counter.getAsInt() + " of " + target + " within " + timeoutSeconds + " s");
            }
            LockSupport.parkNanos(SHORT_POLL_NANOS);
        }
    }

    static void until(String description, BooleanSupplier condition) throws InterruptedException {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(timeoutSeconds)) {
                throw new IllegalStateException("not reached within " + timeoutSeconds + " s: " + description);
            }
            Thread.sleep(POLL_MILLIS);
        }
    }
}
