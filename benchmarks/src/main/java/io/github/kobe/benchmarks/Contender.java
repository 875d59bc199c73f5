package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;

/** One way to run tasks of groups. All are driven through this, so that each pays the same for being measured. */
interface Contender extends AutoCloseable {

    /** Hands in a task and returns whatever the caller would hold on to. */
    Object submit(String group, Callable<?> task);

    /** Returns when {@code tasks} tasks run or are in line; for one that puts them there in {@link #submit}, at once. */
    default void awaitArrival(int tasks) {}

    /** Returns when all that is ever forgotten about past groups is forgotten; all tasks have ended. */
    default void awaitQuiet() throws InterruptedException {}

    @Override
    void close();
}
