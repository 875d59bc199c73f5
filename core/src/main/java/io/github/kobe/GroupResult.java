package io.github.kobe;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a task: its status, its value or error, and its times.
 *
 * <p>Times are values of {@link System#nanoTime()}. A task that was queued starts when it gets its permit. A task that was not queued
 * starts when its thread begins to run. So {@link #durationNanos()} does not include time in the queue. If the task was retried, it
 * includes the delays and the time in the queue between its attempts. If the task never ran, it is zero.
 *
 * @param groupKey the task's group
 * @param taskId the task's name
 * @param status the kind of outcome
 * @param value the value that the task returned, which may be {@code null}; always {@code null} if the task did not succeed
 * @param error why the task failed or was cancelled; {@code null} if it succeeded or was rejected
 * @param startTimeNanos when the task started
 * @param endTimeNanos when the task completed
 * @param rejection why the executor rejected the task; {@code null} if it was not rejected, or if a {@link RejectionHandler} made
 *     this result
 * @param <T> the type of the value
 */
public record GroupResult<T extends @Nullable Object>(
        String groupKey,
        String taskId,
        TaskStatus status,
        @Nullable T value,
        @Nullable Throwable error,
        long startTimeNanos,
        long endTimeNanos,
        @Nullable Rejection rejection) {

    /** Throws {@link NullPointerException} if {@code groupKey}, {@code taskId} or {@code status} is {@code null}. */
    public GroupResult {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(status, "status");
    }

    /** Creates a result whose {@link #rejection} is {@code null}. */
    public GroupResult(
            String groupKey,
            String taskId,
            TaskStatus status,
            @Nullable T value,
            @Nullable Throwable error,
            long startTimeNanos,
            long endTimeNanos) {
        this(groupKey, taskId, status, value, error, startTimeNanos, endTimeNanos, null);
    }

    /** Returns how long the task ran, in nanoseconds. */
    public long durationNanos() {
        return endTimeNanos - startTimeNanos;
    }

    /** Returns whether the status is {@link TaskStatus#SUCCESS}. */
    public boolean isSuccess() {
        return status == TaskStatus.SUCCESS;
    }

    /** Creates the result of a task that returned {@code value}. */
    public static <T extends @Nullable Object> GroupResult<T> success(
            String groupKey, String taskId, @Nullable T value, long startTimeNanos, long endTimeNanos) {
        return new GroupResult<>(groupKey, taskId, TaskStatus.SUCCESS, value, null, startTimeNanos, endTimeNanos);
    }

    /** Creates the result of a task that threw {@code error}. */
    public static <T extends @Nullable Object> GroupResult<T> failed(
            String groupKey, String taskId, Throwable error, long startTimeNanos, long endTimeNanos) {
        Objects.requireNonNull(error, "error");
        return new GroupResult<>(groupKey, taskId, TaskStatus.FAILED, null, error, startTimeNanos, endTimeNanos);
    }

    /** Creates the result of a task that was cancelled because of {@code error}. */
    public static <T extends @Nullable Object> GroupResult<T> cancelled(
            String groupKey, String taskId, @Nullable Throwable error, long startTimeNanos, long endTimeNanos) {
        return new GroupResult<>(groupKey, taskId, TaskStatus.CANCELLED, null, error, startTimeNanos, endTimeNanos);
    }

    /** Creates the result of a task that was rejected, without a reason. */
    public static <T extends @Nullable Object> GroupResult<T> rejected(String groupKey, String taskId) {
        long now = System.nanoTime();
        return new GroupResult<>(groupKey, taskId, TaskStatus.REJECTED, null, null, now, now);
    }

    /** Creates the result of a task that was rejected, with the reason. */
    public static <T extends @Nullable Object> GroupResult<T> rejected(
            String groupKey, String taskId, Rejection rejection) {
        Objects.requireNonNull(rejection, "rejection");
        long now = System.nanoTime();
        return new GroupResult<>(groupKey, taskId, TaskStatus.REJECTED, null, null, now, now, rejection);
    }
}
