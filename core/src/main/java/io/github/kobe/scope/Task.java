package io.github.kobe.scope;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The handle of a task of a {@link ThreadScope}: wait for it, cancel it, or add callbacks for its completion.
 *
 * <pre>
 *   PENDING ──▶ RUNNING ──▶ SUCCESS | FAILED | CANCELLED
 *   PENDING ──▶ FAILED       its timeout passed, its group rejected it, or no thread was available
 *   PENDING ──▶ CANCELLED
 * </pre>
 *
 * <p>Thread-safe. A task reaches exactly one of the last three states, and stays in it. What the task did happens-before any method here
 * reports its completion.
 *
 * @param <T> what the task returns
 */
public sealed interface Task<T extends @Nullable Object> permits ScopeTaskImpl {

    /** The states of a task. */
    enum State {
        /** It waits for a permit, or for a thread. */
        PENDING,
        /** Its work has started and has not completed; also while it awaits a retry. */
        RUNNING,
        /** It returned. */
        SUCCESS,
        /** It threw, exceeded its timeout, was rejected by its group, or no thread was available. */
        FAILED,
        /** It was cancelled, or threw a {@code CancellationException} or {@code InterruptedException}. */
        CANCELLED
    }

    /** Its number in its scope, from 1. */
    long id();

    /** Its name; "task-" and its number if it was submitted without one. */
    String name();

    /** Its current state. */
    State state();

    /** Whether it has completed. If it was cancelled or timed out, its code may still be on its thread. */
    default boolean isDone() {
        return state().compareTo(State.RUNNING) > 0;
    }

    /** Whether it was cancelled. */
    default boolean isCancelled() {
        return state() == State.CANCELLED;
    }

    /** Whether it failed. */
    default boolean isFailed() {
        return state() == State.FAILED;
    }

    /**
     * Cancels it unless it has completed. If it has not started, it never runs; if it has, its thread is interrupted.
     *
     * @return whether this call cancelled it
     */
    boolean cancel();

    /**
     * Waits until it has completed.
     *
     * @return what it returned
     * @throws RuntimeException what it threw, if that is unchecked; an {@link Error} likewise
     * @throws io.github.kobe.TaskTimeoutException if it exceeded its timeout
     * @throws TaskExecutionException if it threw a checked exception, which is the cause
     * @throws CancelledException if it was cancelled; or if the calling thread is interrupted: then its interrupt flag is set again, and the task
     *     continues
     */
    T await();

    /**
     * A new future that completes with what the task returned, exceptionally with what it threw, or with {@link CancelledException}. No
     * thread waits for it. Its dependent stages run on the thread that completed the task, or on a fresh one; keep them short. Calling
     * {@code cancel} on this future cancels the task.
     */
    CompletableFuture<T> toCompletableFuture();

    /** As {@link CompletableFuture#thenApply}, of {@link #toCompletableFuture}. */
    default <U extends @Nullable Object> CompletableFuture<U> thenApply(Function<? super T, ? extends U> function) {
        return toCompletableFuture().thenApply(Objects.requireNonNull(function, "function"));
    }

    /** As {@link CompletableFuture#thenCompose}, of {@link #toCompletableFuture}. */
    default <U extends @Nullable Object> CompletableFuture<U> thenCompose(
            Function<? super T, ? extends CompletionStage<U>> function) {
        return toCompletableFuture().thenCompose(Objects.requireNonNull(function, "function"));
    }

    /** As {@link CompletableFuture#exceptionally}, of {@link #toCompletableFuture}: the function gets the exception of the task, not wrapped. */
    default CompletableFuture<T> exceptionally(Function<Throwable, ? extends @Nullable T> function) {
        return toCompletableFuture().exceptionally(Objects.requireNonNull(function, "function"));
    }
}
