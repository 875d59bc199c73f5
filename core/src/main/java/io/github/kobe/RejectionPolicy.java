package io.github.kobe;

/** What to do with a task when the queue is full. */
public enum RejectionPolicy {
    /**
     * The task is rejected. {@code submit} returns a handle, whose {@link TaskHandle#get()} and {@link TaskHandle#await()} throw
     * {@link RejectedTaskException}. {@link GroupExecutor#executeAll} lists the task as {@link TaskStatus#REJECTED}. If no caller asks the
     * handle for its outcome within a minute, the rejection is logged, in at most one line a minute for each group with the number of such tasks.
     */
    ABORT,
    /**
     * The task is rejected, and {@code submit} throws {@link RejectedTaskException}, as an executor of the JDK does. {@code executeAll} and
     * {@code completions} do not throw: they list the task as {@link TaskStatus#REJECTED}, so that the results of the other tasks are not lost.
     */
    THROW,
    /** The task is rejected without an exception: its result is {@link TaskStatus#REJECTED}. */
    DISCARD,
    /**
     * The task runs on the submitting thread before {@code submit} returns. It holds no permit and counts under no limit. A shutdown
     * neither interrupts it nor waits for it, because the thread belongs to the caller.
     */
    CALLER_RUNS,
    /**
     * The submitting thread blocks until the task can start or be queued. Blocked submitters are served in the order of their calls. After
     * {@link GroupPolicy.Builder#maxBlockTime}, or if the thread is interrupted, the task is rejected as under {@link #ABORT}. The
     * interrupt flag stays set. One thread that submits to many groups waits for a full group while others may have room:
     * {@link GroupExecutor#feed} goes on with those.
     */
    BLOCK,
    /**
     * The task replaces a queued task of its group: the one with the lowest priority, and of several the oldest. The replaced task is
     * rejected without an exception, as under {@link #DISCARD}. If no task of the group is queued, the new task is rejected as under
     * {@link #ABORT}.
     */
    DISCARD_OLDEST
}
