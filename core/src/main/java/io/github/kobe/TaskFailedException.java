package io.github.kobe;

import org.jspecify.annotations.Nullable;

/**
 * Thrown to a caller that asks for the value of a task that threw a checked exception. The cause is what the task threw. What a task throws
 * unchecked is thrown to the caller as it is.
 */
public class TaskFailedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param message which task failed
     * @param cause what the task threw; {@code null} if that is not known
     */
    public TaskFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
