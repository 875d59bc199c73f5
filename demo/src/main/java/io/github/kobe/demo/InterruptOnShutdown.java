package io.github.kobe.demo;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** While open, Ctrl-C interrupts the thread that opened it. The process exits after {@link #close}, or after three seconds. */
final class InterruptOnShutdown implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 3;

    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook;

    InterruptOnShutdown() {
        Thread owner = Thread.currentThread();
        hook = Thread.ofPlatform().name("demo-stop").unstarted(() -> interruptAndWait(owner));
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void interruptAndWait(Thread owner) {
        owner.interrupt();
        try {
            boolean ignored = closed.await(PATIENCE_SECONDS, TimeUnit.SECONDS); // the process exits in either case
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The hook is running: the process is shutting down.
        }
    }
}
