package io.github.kobe.spring;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Work that runs until it is released or interrupted. */
public final class Blocker implements Callable<Boolean> {

    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    @Override
    public Boolean call() throws InterruptedException {
        started.countDown();
        return released.await(1, TimeUnit.MINUTES);
    }

    public Blocker awaitStarted() throws InterruptedException {
        if (!started.await(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("the work did not start within a minute");
        }
        return this;
    }

    public void release() {
        released.countDown();
    }
}
