package io.github.kobe.internal.group;

import io.github.kobe.TaskOptions;
import io.github.kobe.internal.kernel.Group;

/**
 * What a face adds to each task and each permit of its engine, also to those of an executor service view. A view of such an engine throws if a
 * command is rejected, whatever the policy says. Thread-safe.
 */
public interface TaskInterceptor {

    /** A task, or a request for a permit, is about to be submitted. Called on the submitting thread. */
    void beforeSubmit();

    /** The options of a task that was submitted with {@code options}. */
    TaskOptions optionsFor(TaskOptions options);

    /**
     * The queue of all groups is full.
     *
     * @return whether a queued task of another group was removed, so that there is room for one of {@code groupKey}
     */
    boolean makeRoomFor(String groupKey);

    /**
     * A task is about to do its work, on the calling thread and with a permit of {@code group}.
     *
     * @param queuedNanos how long it was queued
     * @return the argument of {@link #leave}
     */
    Object enter(Group group, long queuedNanos);

    /** The work is done. Called on the same thread. */
    void leave(Object entered);
}
