package io.github.kobe;

import io.github.kobe.internal.group.ListenerPair;
import java.time.Duration;
import java.util.Objects;

/**
 * Is notified of each step in the life of each task.
 *
 * <p>Order of the calls for one task:
 * <ol>
 *   <li>{@code onSubmitted}, on the submitting thread, before the task can start.
 *   <li>{@code onStarted}, on the thread that runs the task, before the task's code. It is not called if the task never runs.
 *   <li>{@code onRetry}, after each failed attempt that is followed by another.
 *   <li>Exactly one call of {@code onRejected}, if the outcome is {@link TaskStatus#REJECTED}, or of {@code onCompleted} otherwise.
 * </ol>
 *
 * <p>If a task is cancelled at the moment when it starts, {@code onStarted} and {@code onCompleted} may overlap. The last call is made
 * before any caller that waits for the task is notified. If the task's code has returned, the call is made on the thread of the task, before its
 * permit is released. So a limit of the group also bounds how many of these calls run at once, and a task that the listener submits to the
 * group is queued if the limit is reached. If the task was cancelled or timed out while it ran, the call is made on another thread, and the task
 * keeps its permit until its code returns. For a {@linkplain PermitOptions#announce permit} of a calling thread, the call is made after the permit is
 * released.
 *
 * <p>Most methods have several forms. The executor calls the form with the most parameters. Its default implementation calls the next simpler
 * form. Override one of them.
 *
 * <p>Many threads call the listener at once, for different tasks. A method must return quickly, because it delays its task. What a
 * method throws is logged through {@link System.Logger} and changes nothing else. If a call has not returned after a second or two, this
 * is logged too, and the task continues without it, unless the listener {@linkplain #mayBlock said} that it never blocks. Three kinds of calls are waited for until they return: {@code onSubmitted} delays
 * the submitter, {@code onRetry} delays the task, and a call for a {@linkplain PermitOptions#announce permit} delays the thread that requests or
 * closes the permit. A listener may submit tasks. It is called inside the context that the task {@linkplain ContextCarrier carries}.
 */
public interface TaskLifecycleListener {

    /**
     * Whether {@code onStarted} is called. Asked once, when the listener is added. A listener that has no use for starts returns false, and costs each
     * task about half as much.
     */
    default boolean observesStarts() {
        return true;
    }

    /**
     * Whether a call of {@code onStarted}, {@code onCompleted} or {@code onRejected} may take long. Asked once, when the listener is added. A listener that only
     * counts, or adds to a queue without a bound, returns false: then its calls are not monitored, and cost each task less. If such a call does not return, its
     * task does not continue, and keeps its permit.
     */
    default boolean mayBlock() {
        return true;
    }

    /** The task was submitted. It may still be rejected. */
    default void onSubmitted(String groupKey, String taskId) {}

    /** The task has a permit and is about to run. */
    default void onStarted(String groupKey, String taskId) {}

    /** The task succeeded, failed or was cancelled. */
    default void onCompleted(String groupKey, String taskId, GroupResult<?> result) {}

    /** The task was not admitted, or it was removed from the queue before it started. The reason is the text of the {@link Rejection}. */
    default void onRejected(String groupKey, String taskId, String reason) {}

    /** The task was submitted. It may still be rejected. */
    default void onSubmitted(TaskIdentity task) {
        onSubmitted(task.groupKey(), task.taskId());
    }

    /**
     * The task has a permit and is about to run for the first time. {@code waited} is the time from when it was queued to when it got its permit, as
     * in {@link GroupResult#waited()}; zero if it was not queued. The time that a submitter was blocked under {@link RejectionPolicy#BLOCK} is not
     * part of it.
     */
    default void onStarted(TaskIdentity task, Duration waited) {
        onStarted(task);
    }

    /** The task has a permit and is about to run for the first time. */
    default void onStarted(TaskIdentity task) {
        onStarted(task.groupKey(), task.taskId());
    }

    /**
     * An attempt failed, and another will follow. Called on the task's thread while the task still holds its permit. If the task is
     * cancelled or times out at this moment, {@code onCompleted} may be called first. The default implementation does nothing.
     *
     * @param task the task
     * @param failedAttempts how many attempts have failed so far
     * @param fault what the last attempt threw; {@link UndesiredResultException} if it returned a value that is retried
     * @param delay how long the task waits before it is queued for the next attempt
     */
    default void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {}

    /** The task succeeded, failed or was cancelled. */
    default void onCompleted(TaskIdentity task, GroupResult<?> result) {
        onCompleted(task.groupKey(), task.taskId(), result);
    }

    /** The task was not admitted, or it was removed from the queue before it started. */
    default void onRejected(TaskIdentity task, Rejection rejection) {
        onRejected(task.groupKey(), task.taskId(), rejection.toString());
    }

    /**
     * Returns a listener that calls this listener and then {@code next}, on the same thread. If this listener throws, {@code next} is still
     * called, and then the exception or {@link Error} is rethrown. If both throw, the exception of {@code next} is added as suppressed.
     */
    default TaskLifecycleListener andThen(TaskLifecycleListener next) {
        return new ListenerPair(this, Objects.requireNonNull(next, "next"));
    }
}
