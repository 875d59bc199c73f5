package io.github.kobe.scope;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A task of a {@link ThreadScope}: wait for it, cancel it, or hang something on its end.
 *
 * <pre>
 *   PENDING ──▶ RUNNING ──▶ SUCCESS | FAILED | CANCELLED
 *   PENDING ──▶ FAILED       its timeout passed, or no thread was to be had
 *   PENDING ──▶ CANCELLED
 * </pre>
 *
 * <p>Safe for use by many threads. An end state is never left, and is reached once. The end of a task happens before any method here
 * reports it.
 *
 * @param <T> what the task returns
 */
public sealed interface Task<T> permits AwaitableTask {

    /** How far a task has got. */
    enum State {
        /** It waits for a place, or for a thread. */
        PENDING,
        /** It has begun, and has not ended; between two attempts too. */
        RUNNING,
        /** It returned. */
        SUCCESS,
        /** It threw, or took longer than it may, or found no thread. */
        FAILED,
        /** It was cancelled, or threw what means that, before it ended otherwise. */
        CANCELLED
    }

    /** Its number in its scope, from 1. */
    long id();

    /** What it is called; "task-" and its number if it was given no name. */
    String name();

    /** How far it has got. */
    State state();

    /** Whether it has ended. To its thread that may be news: one that was cancelled or timed out may not have noticed. */
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
     * Cancels it unless it has ended: it never runs if it has not begun, and its thread is interrupted if it has.
     *
     * @return whether this call ended it
     */
    boolean cancel();

    /**
     * Waits for its end.
     *
     * @return what it returned
     * @throws RuntimeException what it threw, if that is unchecked; as is an {@link Error}
     * @throws io.github.kobe.TaskTimeoutException if it took longer than it may
     * @throws TaskExecutionException if it threw a checked exception, which is the cause
     * @throws CancelledException if it was cancelled; or if the calling thread is interrupted, whose flag is set again, while the task
     *     goes on
     */
    T await();

    /**
     * A new future that completes with what the task returned, exceptionally with what it threw, or with {@link CancelledException}. No
     * thread waits for it. What hangs on it runs on the thread that ended the task, or on one of its own; keep it short. Calling
     * {@code cancel} on this very future cancels the task.
     */
    CompletableFuture<T> toCompletableFuture();

    /** As {@link CompletableFuture#thenApply}, of {@link #toCompletableFuture}. */
    default <U> CompletableFuture<U> thenApply(Function<? super T, ? extends U> function) {
        return toCompletableFuture().thenApply(Objects.requireNonNull(function, "function"));
    }

    /** As {@link CompletableFuture#thenCompose}, of {@link #toCompletableFuture}. */
    default <U> CompletableFuture<U> thenCompose(Function<? super T, ? extends CompletionStage<U>> function) {
        return toCompletableFuture().thenCompose(Objects.requireNonNull(function, "function"));
    }

    /** As {@link CompletableFuture#exceptionally}, of {@link #toCompletableFuture}: the function gets what the task threw, as it is. */
    default CompletableFuture<T> exceptionally(Function<Throwable, ? extends @Nullable T> function) {
        return toCompletableFuture().exceptionally(Objects.requireNonNull(function, "function"));
    }
}
