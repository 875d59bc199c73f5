package io.github.kobe;

/** The kind of outcome of a task. */
public enum TaskStatus {
    /** The task returned a value, which may be {@code null}. */
    SUCCESS,
    /**
     * The task timed out, or it threw anything but {@link InterruptedException} or {@link java.util.concurrent.CancellationException}.
     */
    FAILED,
    /**
     * The task was cancelled through its handle, its executor or group was shut down, or it threw {@link InterruptedException} or
     * {@link java.util.concurrent.CancellationException}.
     */
    CANCELLED,
    /** The task was not admitted, or it was removed from the queue before it started. It never ran. */
    REJECTED
}
