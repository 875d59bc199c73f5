package io.github.kobe.micrometer;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A task that runs until it is released or interrupted. */
final class Blocker implements Callable<Boolean> {

    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    @Override
    public Boolean call() throws InterruptedException {
        started.countDown();
        return released.await(1, TimeUnit.MINUTES);
    }

    Blocker awaitStarted() throws InterruptedException {
        if (!started.await(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("the task did not start within a minute");
        }
        return this;
    }

    void release() {
        released.countDown();
    }
}
