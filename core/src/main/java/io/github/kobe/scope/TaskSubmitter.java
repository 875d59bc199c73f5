package io.github.kobe.scope;

import io.github.kobe.RetryPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * The overloads of {@code submit} of a {@link ThreadScope}: with or without a name, and with any of a priority, a retry policy and a timeout,
 * in that order. For what is left out, the default of the scope is used.
 */
public sealed interface TaskSubmitter permits ThreadScope {

    /**
     * Submits a task.
     *
     * @param name its name; {@code null} for "task-" and its number
     * @param callable what to run
     * @param priority which of the queued tasks runs first; {@code null} for {@link ThreadScope#withDefaultTaskPriority}
     * @param retry whether it is retried if it throws; {@code null} for {@link ThreadScope#withRetryPolicy}
     * @param timeout how long it may take from now, time in the queue and all attempts included; {@code null} for no limit but the scope's deadline
     * @throws IllegalArgumentException if {@code timeout} is not positive
     * @throws IllegalStateException if the scope is closed
     * @throws ScopeTimeoutException if the scope's deadline has passed, or passes while this waits for a permit
     * @throws CancelledException if the scope is cancelled, or is while this waits for a permit; or if the calling thread is
     *     interrupted then
     */
    <T extends @Nullable Object> Task<T> submit(
            @Nullable String name,
            Callable<T> callable,
            @Nullable TaskPriority priority,
            @Nullable RetryPolicy retry,
            @Nullable Duration timeout);

    /** Submits a task. */
    default <T extends @Nullable Object> Task<T> submit(Callable<T> callable) {
        return submit(null, callable, null, null, null);
    }

    /** Submits a task with a name. */
    default <T extends @Nullable Object> Task<T> submit(String name, Callable<T> callable) {
        return submit(Objects.requireNonNull(name, "name"), callable, null, null, null);
    }

    /** Submits a task that returns nothing. */
    default Task<?> submit(Runnable runnable) {
        return submit(null, Executors.callable(Objects.requireNonNull(runnable, "runnable")), null, null, null);
    }

    /** Submits a task with a name that returns nothing. */
    default Task<?> submit(String name, Runnable runnable) {
        Objects.requireNonNull(runnable, "runnable");
        return submit(Objects.requireNonNull(name, "name"), Executors.callable(runnable), null, null, null);
    }

    /** Submits a task with a priority. */
    default <T extends @Nullable Object> Task<T> submit(Callable<T> callable, TaskPriority priority) {
        return submit(null, callable, Objects.requireNonNull(priority, "priority"), null, null);
    }

    /** Submits a task with a name and a priority. */
    default <T extends @Nullable Object> Task<T> submit(String name, Callable<T> callable, TaskPriority priority) {
        Objects.requireNonNull(name, "name");
        return submit(name, callable, Objects.requireNonNull(priority, "priority"), null, null);
    }

    /** Submits a task with a retry policy. */
    default <T extends @Nullable Object> Task<T> submit(Callable<T> callable, RetryPolicy retry) {
        return submit(null, callable, null, Objects.requireNonNull(retry, "retry"), null);
    }

    /** Submits a task with a name and a retry policy. */
    default <T extends @Nullable Object> Task<T> submit(String name, Callable<T> callable, RetryPolicy retry) {
        Objects.requireNonNull(name, "name");
        return submit(name, callable, null, Objects.requireNonNull(retry, "retry"), null);
    }

    /** Submits a task with a timeout. */
    default <T extends @Nullable Object> Task<T> submit(Callable<T> callable, @Nullable Duration timeout) {
        return submit(null, callable, null, null, timeout);
    }

    /** Submits a task with a name and a timeout. */
    default <T extends @Nullable Object> Task<T> submit(String name, Callable<T> callable, @Nullable Duration timeout) {
        return submit(Objects.requireNonNull(name, "name"), callable, null, null, timeout);
    }

    /** Submits a task with a priority and a retry policy. */
    default <T extends @Nullable Object> Task<T> submit(
            Callable<T> callable, TaskPriority priority, RetryPolicy retry) {
        Objects.requireNonNull(priority, "priority");
        return submit(null, callable, priority, Objects.requireNonNull(retry, "retry"), null);
    }

    /** Submits a task with a name, a priority and a retry policy. */
    default <T extends @Nullable Object> Task<T> submit(
            String name, Callable<T> callable, TaskPriority priority, RetryPolicy retry) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(priority, "priority");
        return submit(name, callable, priority, Objects.requireNonNull(retry, "retry"), null);
    }

    /** Submits a task with a priority and a timeout. */
    default <T extends @Nullable Object> Task<T> submit(
            Callable<T> callable, TaskPriority priority, @Nullable Duration timeout) {
        return submit(null, callable, Objects.requireNonNull(priority, "priority"), null, timeout);
    }

    /** Submits a task with a name, a priority and a timeout. */
    default <T extends @Nullable Object> Task<T> submit(
            String name, Callable<T> callable, TaskPriority priority, @Nullable Duration timeout) {
        Objects.requireNonNull(name, "name");
        return submit(name, callable, Objects.requireNonNull(priority, "priority"), null, timeout);
    }

    /** Submits a task with a retry policy and a timeout. */
    default <T extends @Nullable Object> Task<T> submit(
            Callable<T> callable, RetryPolicy retry, @Nullable Duration timeout) {
        return submit(null, callable, null, Objects.requireNonNull(retry, "retry"), timeout);
    }

    /** Submits a task with a name, a retry policy and a timeout. */
    default <T extends @Nullable Object> Task<T> submit(
            String name, Callable<T> callable, RetryPolicy retry, @Nullable Duration timeout) {
        Objects.requireNonNull(name, "name");
        return submit(name, callable, null, Objects.requireNonNull(retry, "retry"), timeout);
    }

    /** Submits a task with a priority, a retry policy and a timeout. */
    default <T extends @Nullable Object> Task<T> submit(
            Callable<T> callable, TaskPriority priority, RetryPolicy retry, @Nullable Duration timeout) {
        Objects.requireNonNull(priority, "priority");
        return submit(null, callable, priority, Objects.requireNonNull(retry, "retry"), timeout);
    }
}
