package io.github.kobe.isolation;

/** Why a task was discarded before it started. */
public enum DiscardReason {
    /** The task was queued for longer than {@link IsolationPolicy.Builder#taskExpiry}. */
    EXPIRED,
    /** The queue was full, or the task had to make room for a key with fewer queued tasks. */
    REJECTED
}
