package io.github.kobe;

/** How a task ended. */
public enum TaskStatus {
    /** It returned a value, which may be {@code null}. */
    SUCCESS,
    /** It threw. */
    FAILED,
    /** It was cancelled, interrupted, or its executor or group was shut down. */
    CANCELLED,
    /** It was not let in, and never ran. */
    REJECTED
}
