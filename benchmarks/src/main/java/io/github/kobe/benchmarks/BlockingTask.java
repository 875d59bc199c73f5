package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** A task that holds its permit until {@link #release}, so that later tasks of its group are queued. */
final class BlockingTask implements Callable<Boolean> {

    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    /** Submits a blocking task and waits until it runs. */
    static BlockingTask start(ExecutorAdapter executor, String group) throws InterruptedException {
        BlockingTask task = new BlockingTask();
        executor.submit(group, task);
        Await.zero(task.started);
        return task;
    }

    @Override
    public Boolean call() throws InterruptedException {
        started.countDown();
        released.await();
        return true;
    }

    void release() {
        released.countDown();
    }
}
