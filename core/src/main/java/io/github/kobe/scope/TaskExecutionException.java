package io.github.kobe.scope;

/** A task failed with a checked exception, which is the cause. */
public final class TaskExecutionException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Says which task failed. */
    public TaskExecutionException(String message, Throwable cause) {
        super(message, cause);
    }
}
