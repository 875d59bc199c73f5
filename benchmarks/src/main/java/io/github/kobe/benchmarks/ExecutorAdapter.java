package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;

/** The common interface of everything that is measured. All candidates are called through it, so that all pay for the indirection. */
interface ExecutorAdapter extends AutoCloseable {

    /** Submits a task and returns the handle that a caller would keep. */
    Object submit(String group, Callable<?> task);

    /**
     * Runs a task on the calling thread as soon as its group has a permit.
     *
     * @throws UnsupportedOperationException if the candidate cannot do that
     */
    default Object call(String group, Callable<?> task) throws Exception {
        throw new UnsupportedOperationException(getClass().getSimpleName() + " cannot run tasks on the calling thread");
    }

    /** Waits until {@code tasks} tasks run or are queued. Returns at once if {@link #submit} queues a task before it returns. */
    default void awaitSubmitted(int tasks) {}

    /** Waits until the executor has removed its idle groups, if it ever does. All tasks have completed before. */
    default void awaitIdleGroupsRemoved() throws InterruptedException {}

    @Override
    void close();
}
