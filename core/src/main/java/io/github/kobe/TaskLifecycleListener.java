package io.github.kobe;

/**
 * Told what happens to each task.
 *
 * <p>A task is announced by {@link #onSubmitted}, on the submitting thread, before it can start. It ends with exactly one
 * call: of {@link #onRejected} if it ends {@link TaskStatus#REJECTED}, else of {@link #onCompleted}. If it comes to run,
 * {@link #onStarted} is called first, on the thread that runs it; only if it is cancelled at the very moment it starts, the
 * two calls may overlap. The end is told before anyone who waits for the task hears of it, and after the task's place is free,
 * unless it was cancelled while it ran.
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

    /** The task was not let in. */
    default void onRejected(String groupKey, String taskId, String reason) {}
}
