package io.github.kobe;

import java.time.Duration;
import java.util.Objects;

/**
 * Told what happens to each task.
 *
 * <p>A task is announced by {@code onSubmitted}, on the submitting thread, before it can start. It ends with exactly one
 * call: of {@code onRejected} if it ends {@link TaskStatus#REJECTED}, else of {@code onCompleted}. If it comes to run,
 * {@code onStarted} is called first, on the thread that runs it; only if it is cancelled at the very moment it starts, the
 * two calls may overlap. The end is told before anyone who waits for the task hears of it, and after the task's place is free,
 * unless it was cancelled or timed out while it ran.
 *
 * <p>Most calls come in two forms. The executor calls the one with a {@link TaskIdentity}; unless that is overridden, it calls the
 * one with the key and the name. Override either.
 *
 * <p>Calls for different tasks come from many threads at once. Be quick: a call for a task holds that task up. What a method
 * throws is reported through {@link System.Logger} and changes nothing. One that has not returned after a second is reported
 * too, and its task goes on without it; only {@code onSubmitted} holds up the submitter for as long as it likes. Submitting from
 * inside a call is fine.
 */
public interface TaskLifecycleListener {

    /** The task was handed to the executor; it may be rejected yet. */
    default void onSubmitted(String groupKey, String taskId) {}

    /** The task has a place and is about to run. */
    default void onStarted(String groupKey, String taskId) {}

    /** The task succeeded, failed or was cancelled. */
    default void onCompleted(String groupKey, String taskId, GroupResult<?> result) {}

    /** The task was not let in, or thrown out before it started; the reason is for people. */
    default void onRejected(String groupKey, String taskId, String reason) {}

    /** The task was handed to the executor; it may be rejected yet. */
    default void onSubmitted(TaskIdentity task) {
        onSubmitted(task.groupKey(), task.taskId());
    }

    /** The task has a place and is about to run for the first time. */
    default void onStarted(TaskIdentity task) {
        onStarted(task.groupKey(), task.taskId());
    }

    /**
     * An attempt failed, and there will be another. On the task's thread, while it still has its place. If the task is cancelled or
     * timed out at this very moment, its end may be told first. Does nothing unless overridden.
     *
     * @param task the task
     * @param failedAttempts how many attempts have failed so far
     * @param fault what the last of them threw
     * @param delay how long it will be before the task asks to run again
     */
    default void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {}

    /** The task succeeded, failed or was cancelled. */
    default void onCompleted(TaskIdentity task, GroupResult<?> result) {
        onCompleted(task.groupKey(), task.taskId(), result);
    }

    /** The task was not let in, or thrown out before it started. */
    default void onRejected(TaskIdentity task, Rejection rejection) {
        onRejected(task.groupKey(), task.taskId(), rejection.toString());
    }

    /**
     * A listener that tells this one and then {@code next}, on the same thread. If one throws, {@link Error}s included, the other
     * is told all the same, and then it is thrown on; if both do, what this one threw, with the other's suppressed in it.
     */
    default TaskLifecycleListener andThen(TaskLifecycleListener next) {
        return new ListenerPair(this, Objects.requireNonNull(next, "next"));
    }
}
