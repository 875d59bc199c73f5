package io.github.kobe.isolation;

/** How the executor classified a task when it started. All lanes share one budget; no lane has threads or permits of its own. */
public enum Lane {
    /** A task of a key that is not slow, or that is new. */
    FAST,
    /** As {@link #FAST}, but the task was late, or the lane or the key had reached its limit while other keys were queued. */
    FAST_BACKUP,
    /** A task of a slow key. */
    SLOW,
    /** As {@link #FAST_BACKUP}, for a task of a slow key. */
    SLOW_BACKUP,
    /** A task of a white-listed key. */
    WHITE_LIST,
    /** A task for which the other lanes were full while other keys were queued, or of a white-listed key beyond its capacity. */
    ISOLATION
}
