package io.github.kobe.scope;

import org.jspecify.annotations.Nullable;

/**
 * How a task ended.
 *
 * @param state SUCCESS, FAILED or CANCELLED
 * @param error what it threw; of a cancelled one, what made it so, if there is such
 * @param why of a cancelled one, the reason; else empty
 * @param nanos how long it took if somebody else ended it; {@link #ITS_OWN} if its own thread did, and the task knows
 */
record TaskCompletion(Task.State state, @Nullable Throwable error, String why, long nanos) {

    static final long ITS_OWN = -1;

    /** It returned; the task has the value. */
    static final TaskCompletion SUCCESS = new TaskCompletion(Task.State.SUCCESS, null, "", ITS_OWN);

    static TaskCompletion failed(Throwable error) {
        return new TaskCompletion(Task.State.FAILED, error, "", ITS_OWN);
    }

    boolean isSuccess() {
        return state == Task.State.SUCCESS;
    }

    boolean isFailure() {
        return state == Task.State.FAILED;
    }
}
