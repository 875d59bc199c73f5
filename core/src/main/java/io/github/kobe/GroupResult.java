package io.github.kobe;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a task ended, with what, and when.
 *
 * <p>The times are those of {@link System#nanoTime()}. A task starts when it is given its place, or, if it did not have to wait
 * for one, when its thread begins; so the duration does not include the time spent waiting. For a task that never ran it is
 * zero.
 *
 * @param groupKey the task's group
 * @param taskId the task's name
 * @param status how it ended
 * @param value what it returned; {@code null} unless it succeeded, and maybe then
 * @param error why it failed or was cancelled; {@code null} if it succeeded or was rejected
 * @param startTimeNanos when it started to run
 * @param endTimeNanos when it ended
 * @param rejection why the executor rejected it; {@code null} if it did not, or if a {@link RejectionHandler} made this result
 * @param <T> the type of the value
 */
public record GroupResult<T>(
        String groupKey,
        String taskId,
        TaskStatus status,
        @Nullable T value,
        @Nullable Throwable error,
        long startTimeNanos,
        long endTimeNanos,
        @Nullable Rejection rejection) {

    /** Checks that key, id and status are not {@code null}. */
    public GroupResult {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(status, "status");
    }

    /** A result without a {@link #rejection}. */
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

    /** How long the task ran. */
    public long durationNanos() {
        return endTimeNanos - startTimeNanos;
    }

    /** Whether the task returned. */
    public boolean isSuccess() {
        return status == TaskStatus.SUCCESS;
    }

    /** The result of a task that returned {@code value}. */
    public static <T> GroupResult<T> success(
            String groupKey, String taskId, @Nullable T value, long startTimeNanos, long endTimeNanos) {
        return new GroupResult<>(groupKey, taskId, TaskStatus.SUCCESS, value, null, startTimeNanos, endTimeNanos);
    }

    /** The result of a task that threw {@code error}. */
    public static <T> GroupResult<T> failed(
            String groupKey, String taskId, Throwable error, long startTimeNanos, long endTimeNanos) {
        Objects.requireNonNull(error, "error");
        return new GroupResult<>(groupKey, taskId, TaskStatus.FAILED, null, error, startTimeNanos, endTimeNanos);
    }

    /** The result of a task that was cancelled because of {@code error}. */
    public static <T> GroupResult<T> cancelled(
            String groupKey, String taskId, @Nullable Throwable error, long startTimeNanos, long endTimeNanos) {
        return new GroupResult<>(groupKey, taskId, TaskStatus.CANCELLED, null, error, startTimeNanos, endTimeNanos);
    }

    /** The result of a task that was not let in, without saying why. */
    public static <T> GroupResult<T> rejected(String groupKey, String taskId) {
        long now = System.nanoTime();
        return new GroupResult<>(groupKey, taskId, TaskStatus.REJECTED, null, null, now, now);
    }

    /** The result of a task that was rejected, and why. */
    public static <T> GroupResult<T> rejected(String groupKey, String taskId, Rejection rejection) {
        Objects.requireNonNull(rejection, "rejection");
        long now = System.nanoTime();
        return new GroupResult<>(groupKey, taskId, TaskStatus.REJECTED, null, null, now, now, rejection);
    }
}
