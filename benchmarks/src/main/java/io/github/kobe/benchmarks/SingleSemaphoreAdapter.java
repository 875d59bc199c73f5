package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** Hand-written code for a single group: a semaphore and a virtual thread for each task. It has no future, no result and no registry. */
final class SingleSemaphoreAdapter implements ExecutorAdapter {

    private final Semaphore permits;
    private final AtomicInteger submitted = new AtomicInteger();

    SingleSemaphoreAdapter(int limit) {
        permits = new Semaphore(limit);
    }

    @Override
    public Object submit(String group, Callable<?> task) {
        return Thread.startVirtualThread(() -> {
            submitted.incrementAndGet();
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
    public void awaitSubmitted(int tasks) {
        Await.count(submitted, tasks);
    }

    @Override
    public void close() {}
}
