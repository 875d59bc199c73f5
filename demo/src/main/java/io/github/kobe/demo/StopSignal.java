package io.github.kobe.demo;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** While open, Ctrl-C interrupts the thread that opened it, and the process ends when that has cleaned up. */
final class StopSignal implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 3;

    private final CountDownLatch cleanedUp = new CountDownLatch(1);
    private final Thread hook;

    StopSignal() {
        Thread working = Thread.currentThread();
        hook = Thread.ofPlatform().name("demo-stop").unstarted(() -> stop(working));
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void stop(Thread working) {
        working.interrupt();
        try {
            boolean ignored =
                    cleanedUp.await(PATIENCE_SECONDS, TimeUnit.SECONDS); // if not, there is nothing left to try
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        cleanedUp.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // It is being run: that is why we are here.
        }
    }
}
