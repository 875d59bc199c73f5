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

    /**
     * A request for a permit was granted, and the work under the permit is about to begin.
     *
     * @param queuedNanos how long it was queued
     * @param onThisThread whether the work is done on the calling thread, which calls {@link #leave} too; else any thread may call it
     * @return the argument of {@link #leave}
     */
    Object enterPermit(Group group, long queuedNanos, boolean onThisThread);

    /** The work is done. */
    void leave(Object entered);
}
