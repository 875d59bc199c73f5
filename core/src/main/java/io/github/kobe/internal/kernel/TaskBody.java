package io.github.kobe.internal.kernel;

import java.util.concurrent.Callable;

/**
 * Work that is told of the ticket that it is done for. A class, and not an interface, since every ticket asks whether its work is one.
 *
 * @param <T> what comes of it
 */
public abstract class TaskBody<T> implements Callable<T> {

    /**
     * Does the work.
     *
     * @param group the group that gave it a place
     * @param waitedNanos for how long it was in line before it got that
     */
    protected abstract T call(Group group, long waitedNanos) throws Exception;

    /** Only done for a ticket. */
    @Override
    public final T call() {
        throw new IllegalStateException("needs a place");
    }
}
