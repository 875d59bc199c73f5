package io.github.kobe.scope;

import io.github.kobe.RetryPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * The ways to hand a task to a {@link ThreadScope}: with a name or without, and with any of a priority, a retry policy and a timeout,
 * in that order. What is not said is as the scope has it.
 */
public sealed interface TaskSubmitter permits ThreadScope {

    /**
     * Hands in a task.
     *
     * @param name what to call it; {@code null}: "task-" and its number
     * @param callable what to run
     * @param priority which of those that wait goes first; {@code null}: {@link ThreadScope#withDefaultTaskPriority}
     * @param retry what happens if it throws; {@code null}: {@link ThreadScope#withRetryPolicy}
     * @param timeout how long it may take from now, waiting and all attempts included; {@code null}: as long as the scope
     * @throws IllegalArgumentException if {@code timeout} is not positive
     * @throws IllegalStateException if the scope is closed
     * @throws ScopeTimeoutException if the scope's deadline has passed, or passes while this waits for a place
     * @throws CancelledException if the scope is cancelled, or is while this waits for a place; or if the calling thread is
     *     interrupted then
     */
    <T> Task<T> submit(
            @Nullable String name,
            Callable<T> callable,
            @Nullable TaskPriority priority,
            @Nullable RetryPolicy retry,
            @Nullable Duration timeout);

    /** Hands in a task. */
    default <T> Task<T> submit(Callable<T> callable) {
        return submit(null, callable, null, null, null);
    }

    /** Hands in a task with a name. */
    default <T> Task<T> submit(String name, Callable<T> callable) {
        return submit(Objects.requireNonNull(name, "name"), callable, null, null, null);
    }

    /** Hands in a task that returns nothing. */
    default Task<?> submit(Runnable runnable) {
        return submit(null, Executors.callable(Objects.requireNonNull(runnable, "runnable")), null, null, null);
    }

    /** Hands in a task with a name that returns nothing. */
    default Task<?> submit(String name, Runnable runnable) {
        Objects.requireNonNull(runnable, "runnable");
        return submit(Objects.requireNonNull(name, "name"), Executors.callable(runnable), null, null, null);
    }

    /** Hands in a task with a priority. */
    default <T> Task<T> submit(Callable<T> callable, TaskPriority priority) {
        return submit(null, callable, Objects.requireNonNull(priority, "priority"), null, null);
    }

    /** Hands in a task with a name and a priority. */
    default <T> Task<T> submit(String name, Callable<T> callable, TaskPriority priority) {
        Objects.requireNonNull(name, "name");
        return submit(name, callable, Objects.requireNonNull(priority, "priority"), null, null);
    }

    /** Hands in a task with a retry policy. */
    default <T> Task<T> submit(Callable<T> callable, RetryPolicy retry) {
        return submit(null, callable, null, Objects.requireNonNull(retry, "retry"), null);
    }

    /** Hands in a task with a name and a retry policy. */
    default <T> Task<T> submit(String name, Callable<T> callable, RetryPolicy retry) {
        Objects.requireNonNull(name, "name");
        return submit(name, callable, null, Objects.requireNonNull(retry, "retry"), null);
    }

    /** Hands in a task with a timeout. */
    default <T> Task<T> submit(Callable<T> callable, @Nullable Duration timeout) {
        return submit(null, callable, null, null, timeout);
    }

    /** Hands in a task with a name and a timeout. */
    default <T> Task<T> submit(String name, Callable<T> callable, @Nullable Duration timeout) {
        return submit(Objects.requireNonNull(name, "name"), callable, null, null, timeout);
    }

    /** Hands in a task with a priority and a retry policy. */
    default <T> Task<T> submit(Callable<T> callable, TaskPriority priority, RetryPolicy retry) {
        Objects.requireNonNull(priority, "priority");
        return submit(null, callable, priority, Objects.requireNonNull(retry, "retry"), null);
    }

    /** Hands in a task with a name, a priority and a retry policy. */
    default <T> Task<T> submit(String name, Callable<T> callable, TaskPriority priority, RetryPolicy retry) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(priority, "priority");
        return submit(name, callable, priority, Objects.requireNonNull(retry, "retry"), null);
    }

    /** Hands in a task with a priority and a timeout. */
    default <T> Task<T> submit(Callable<T> callable, TaskPriority priority, @Nullable Duration timeout) {
        return submit(null, callable, Objects.requireNonNull(priority, "priority"), null, timeout);
    }

    /** Hands in a task with a name, a priority and a timeout. */
    default <T> Task<T> submit(String name, Callable<T> callable, TaskPriority priority, @Nullable Duration timeout) {
        Objects.requireNonNull(name, "name");
        return submit(name, callable, Objects.requireNonNull(priority, "priority"), null, timeout);
    }

    /** Hands in a task with a retry policy and a timeout. */
    default <T> Task<T> submit(Callable<T> callable, RetryPolicy retry, @Nullable Duration timeout) {
        return submit(null, callable, null, Objects.requireNonNull(retry, "retry"), timeout);
    }

    /** Hands in a task with a name, a retry policy and a timeout. */
    default <T> Task<T> submit(String name, Callable<T> callable, RetryPolicy retry, @Nullable Duration timeout) {
        Objects.requireNonNull(name, "name");
        return submit(name, callable, null, Objects.requireNonNull(retry, "retry"), timeout);
    }

    /** Hands in a task with a priority, a retry policy and a timeout. */
    default <T> Task<T> submit(
            Callable<T> callable, TaskPriority priority, RetryPolicy retry, @Nullable Duration timeout) {
        Objects.requireNonNull(priority, "priority");
        return submit(null, callable, priority, Objects.requireNonNull(retry, "retry"), timeout);
    }
}
