package io.github.kobe;

import io.github.kobe.internal.group.ResultFormatter;
import io.github.kobe.internal.group.TaskCancelledException;
import io.github.kobe.internal.group.TaskDescription;
import java.beans.Transient;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a task: its status, its value or error, and its times.
 *
 * <p>Times are values of {@link System#nanoTime()}. A task that was queued starts when it gets its permit. A task that was not queued
 * starts when its thread begins to run. So {@link #ran()} does not include the time in the queue before that. If the task never ran, it is
 * zero.
 *
 * <p><b>Retries.</b> {@link #waited()} is the time in the queue before the first attempt. {@link #ran()} is everything after that: the time
 * from the start of the first attempt to the completion, with the delays between the attempts and the time in the queue for the next one. So
 * {@code waited()} plus {@code ran()} is the time from when the task was queued, or started, to its completion.
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
 * @param waited how long the task was queued before its first attempt, or before it was rejected or cancelled; zero if it was not queued. If
 *     a cancel and the end of the task's code happen at the same moment, it may be zero
 * @param attempts how many attempts were started; 0 if the task never ran
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
        @Nullable Rejection rejection,
        Duration waited,
        int attempts) {

    /** Throws {@link NullPointerException} if {@code groupKey}, {@code taskId}, {@code status} or {@code waited} is {@code null}. */
    public GroupResult {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(waited, "waited");
    }

    /** Creates a result of a task that was not queued. It had one attempt if it ran. */
    public GroupResult(
            String groupKey,
            String taskId,
            TaskStatus status,
            @Nullable T value,
            @Nullable Throwable error,
            long startTimeNanos,
            long endTimeNanos,
            @Nullable Rejection rejection) {
        this(
                groupKey,
                taskId,
                status,
                value,
                error,
                startTimeNanos,
                endTimeNanos,
                rejection,
                rejection == null ? Duration.ZERO : rejection.waited(),
                ran(status, startTimeNanos, endTimeNanos) ? 1 : 0);
    }

    /** A task that was cancelled before it ran has one time as its start and its end. */
    private static boolean ran(TaskStatus status, long start, long end) {
        return switch (Objects.requireNonNull(status, "status")) {
            case SUCCESS, FAILED -> true;
            case CANCELLED -> start != end;
            case REJECTED -> false;
        };
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

    /** Returns {@link #ran()} in nanoseconds. */
    public long durationNanos() {
        return endTimeNanos - startTimeNanos;
    }

    /** Returns how long the task ran: the time from the start of its first attempt to its completion. */
    public Duration ran() {
        return Duration.ofNanos(durationNanos());
    }

    /**
     * Returns the value of a task that succeeded. For any other task, throws why there is none.
     *
     * @return the value, which may be {@code null}
     * @throws RuntimeException what the task threw, if that is unchecked; an {@link Error} likewise
     * @throws TaskFailedException if the task threw a checked exception, which is the cause
     * @throws TaskTimeoutException if the task exceeded its {@link TaskOptions#timeout}
     * @throws CancellationException if the task was cancelled; the cause is {@link #error()}, unless the task threw this exception itself
     * @throws RejectedTaskException if the task was rejected
     */
    @Transient // not a property: a JSON library must not call it
    @SuppressWarnings("NullAway") // a value may be null
    public T getOrThrow() {
        return switch (status) {
            case SUCCESS -> value;
            case FAILED -> throw failure();
            case CANCELLED -> throw cancellation();
            case REJECTED ->
                throw rejection == null
                        ? new RejectedTaskException(groupKey, taskId, "by a rejection handler")
                        : new RejectedTaskException(groupKey, taskId, rejection);
        };
    }

    /** Throws it if it is an error. */
    private RuntimeException failure() {
        if (error instanceof Error e) {
            throw e;
        }
        return error instanceof RuntimeException e
                ? e
                : new TaskFailedException(description() + " failed: " + error, error);
    }

    /** An exception of this library has no stack trace, because it was made by the canceller. The new one has that of the caller. */
    private CancellationException cancellation() {
        if (error instanceof CancellationException e && !(e instanceof TaskCancelledException)) {
            return e;
        }
        String message = error instanceof TaskCancelledException
                ? error.getMessage()
                : description() + " was cancelled" + (error == null ? "" : ": " + error);
        CancellationException cancelled = new CancellationException(message);
        cancelled.initCause(error);
        return cancelled;
    }

    private String description() {
        return TaskDescription.of(groupKey, taskId, "");
    }

    /**
     * Returns one line such as "task 't' of group 'g': SUCCESS, value 42, waited 3 ms, ran 12 ms, 1 attempt". Of a collection or an array it
     * shows the size, of a long text the beginning.
     */
    @Override
    public String toString() {
        return ResultFormatter.of(this);
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
