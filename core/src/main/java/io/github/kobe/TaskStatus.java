package io.github.kobe;

/** How a task ended. */
public enum TaskStatus {
    /** It returned a value, which may be {@code null}. */
    SUCCESS,
    /** It threw, and not {@link InterruptedException} or {@link java.util.concurrent.CancellationException}. */
    FAILED,
    /** It was cancelled or interrupted, said so by throwing, or its executor or group was shut down. */
    CANCELLED,
    /** It was not let in, and never ran. */
    REJECTED
}
