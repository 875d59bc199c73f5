package io.github.kobe;

import java.util.concurrent.CancellationException;

/** Why a task ended that a handle or a shutdown cancelled; tells that apart from a task that threw one itself. */
final class TaskCancelledException extends CancellationException {

    private static final long serialVersionUID = 1;

    TaskCancelledException(TaskHandle<?> task, String why) {
        super(TaskDescription.of(task.groupKey(), task.taskId(), task.tag()) + ": " + why);
    }

    /** The stack of whoever cancelled says little, and a shutdown may cancel a million tasks. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
