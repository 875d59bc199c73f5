package io.github.kobe.internal.kernel;

import java.util.concurrent.Callable;

/**
 * Work that needs to know its group and its queue time, which a {@link Callable} is not told. An abstract class and not an interface,
 * because every task tests whether its work is one, and a test for a class is cheaper.
 *
 * @param <T> the type of the result
 */
public abstract class TaskBody<T> implements Callable<T> {

    /**
     * Does the work.
     *
     * @param group the group whose permit it holds
     * @param waitedNanos how long it was queued
     */
    protected abstract T call(Group group, long waitedNanos) throws Exception;

    /** Not supported: only a task runs it. */
    @Override
    public final T call() {
        throw new IllegalStateException("runs only as a task of a group");
    }
}
