package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** A task that keeps its place until told to go, so that all that comes after it has to wait. */
final class Blocker implements Callable<Boolean> {

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch gate = new CountDownLatch(1);

    static Blocker in(Contender contender, String group) throws InterruptedException {
        Blocker blocker = new Blocker();
        contender.submit(group, blocker);
        Await.zero(blocker.entered);
        return blocker;
    }

    @Override
    public Boolean call() throws InterruptedException {
        entered.countDown();
        gate.await();
        return true;
    }

    void release() {
        gate.countDown();
    }
}
