package io.github.kobe;

/**
 * Thrown by every method that submits a task or waits for a permit, if the executor was shut down before the task was admitted, or before the
 * caller had its permit. The message says which executor it was, and what was asked of it.
 *
 * <p>The views of an executor as an {@link java.util.concurrent.ExecutorService} throw {@link RejectedTaskException} instead, which is a
 * {@link java.util.concurrent.RejectedExecutionException}.
 */
public class ExecutorShutdownException extends IllegalStateException {

    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param message which executor is shut down, and what was asked of it
     */
    public ExecutorShutdownException(String message) {
        super(message);
    }
}
