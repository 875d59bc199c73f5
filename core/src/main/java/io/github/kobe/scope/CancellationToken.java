package io.github.kobe.scope;

/**
 * Whether a scope is cancelled, for tasks to look at between two steps of work, and a way to cancel it. Safe for use by many
 * threads.
 */
public interface CancellationToken {

    /** Whether the scope is cancelled: by this token, by its deadline, with its parent, or because it is closed. */
    boolean isCancelled();

    /**
     * Returns if the scope is not cancelled.
     *
     * @throws CancelledException if it is; the message says why
     */
    void throwIfCancelled();

    /** Cancels the scope: all its tasks, schedules and nested scopes; it takes no more of them. Does nothing if it is cancelled. */
    void cancel();
}
