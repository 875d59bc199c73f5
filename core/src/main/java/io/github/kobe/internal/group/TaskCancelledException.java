package io.github.kobe.internal.group;

import io.github.kobe.TaskIdentity;
import java.util.concurrent.CancellationException;

/**
 * The error of a task that was cancelled through its handle or by a shutdown. It distinguishes such a task from one whose own code threw a
 * {@link CancellationException}.
 */
public final class TaskCancelledException extends CancellationException {

    private static final long serialVersionUID = 1;

    TaskCancelledException(TaskIdentity task, String why) {
        super(TaskDescription.of(task) + ": " + why);
    }

    /** The stack trace of the canceller says little, and a shutdown may cancel a million tasks. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
