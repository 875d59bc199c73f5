package io.github.kobe.scope;

import io.github.kobe.TaskFailedException;

/** A task of a scope failed with a checked exception, which is the cause. */
public final class TaskExecutionException extends TaskFailedException {

    private static final long serialVersionUID = 1;

    /** Says which task failed. */
    public TaskExecutionException(String message, Throwable cause) {
        super(message, cause);
    }
}
