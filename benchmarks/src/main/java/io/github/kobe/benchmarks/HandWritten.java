package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A semaphore and a virtual thread per task, as one would write it by hand for a single group. No future, no result, no
 * registry of threads: about the leanest that limits at all.
 */
final class HandWritten implements Contender {

    private final Semaphore permits;
    private final AtomicInteger arrived = new AtomicInteger();

    HandWritten(int limit) {
        permits = new Semaphore(limit);
    }

    @Override
    public Object submit(String group, Callable<?> task) {
        return Thread.startVirtualThread(() -> {
            arrived.incrementAndGet();
            permits.acquireUninterruptibly();
            try {
                task.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            } finally {
                permits.release();
            }
        });
    }

    @Override
    public void awaitArrival(int tasks) {
        Await.count(arrived, tasks);
    }

    @Override
    public void close() {}
}
