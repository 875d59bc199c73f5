package io.github.kobe.scope;

/**
 * Tells whether a scope is cancelled, for tasks that check between two steps of their work, and cancels it. Thread-safe.
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

    /** Cancels the scope: all its tasks, schedules and nested scopes; it rejects further ones. Without effect if it is cancelled. */
    void cancel();
}
