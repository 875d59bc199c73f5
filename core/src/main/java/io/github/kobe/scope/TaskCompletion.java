package io.github.kobe.scope;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a task.
 *
 * @param state SUCCESS, FAILED or CANCELLED
 * @param error what it threw; if it was cancelled, the cause of that, if there is one
 * @param reason if it was cancelled, why; else empty
 * @param nanos how long it took if another thread completed it; {@link #MEASURED_BY_TASK} if its own thread did
 */
record TaskCompletion(Task.State state, @Nullable Throwable error, String reason, long nanos) {

    static final long MEASURED_BY_TASK = -1;

    /** It returned; the task has the value. */
    static final TaskCompletion SUCCESS = new TaskCompletion(Task.State.SUCCESS, null, "", MEASURED_BY_TASK);

    static TaskCompletion failed(Throwable error) {
        return new TaskCompletion(Task.State.FAILED, error, "", MEASURED_BY_TASK);
    }

    boolean isSuccess() {
        return state == Task.State.SUCCESS;
    }

    boolean isFailure() {
        return state == Task.State.FAILED;
    }
}
