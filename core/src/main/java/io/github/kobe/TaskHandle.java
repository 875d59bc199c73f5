package io.github.kobe;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A submitted task: wait for it, cancel it, or hang something on its end.
 *
 * <p>Safe for use by many threads. The end of a task happens before any method here reports it, and a place that the task
 * held is free again by then, unless it was cancelled while running and has not stopped yet. Not meant to be implemented
 * outside this library.
 *
 * @param <T> the type of the task's value
 */
public interface TaskHandle<T> extends TaskIdentity {

    /**
     * Waits for the end.
     *
     * @throws RejectedTaskException if the task was not let in and the policy is {@link RejectionPolicy#ABORT}, or one that then does
     *     the same; or if a {@link RejectionHandler} threw it
     * @throws InterruptedException if the calling thread is interrupted; the task goes on
     */
    GroupResult<T> await() throws InterruptedException;

    /**
     * Waits for the end, but no longer than {@code timeout}. When the time is up the result is
     * {@link TaskStatus#CANCELLED} with a {@link java.util.concurrent.TimeoutException} as its error; the task itself is not
     * cancelled and goes on.
     *
     * @throws RejectedTaskException as {@link #await()} does
     * @throws InterruptedException if the calling thread is interrupted; the task goes on
     */
    GroupResult<T> await(long timeout, TimeUnit unit) throws InterruptedException;

    /**
     * As {@link #await()}; but if the calling thread is interrupted, the result is {@link TaskStatus#CANCELLED} with the
     * {@link InterruptedException} as its error and the thread's interrupt flag is set again. The task goes on.
     *
     * @throws RejectedTaskException as {@link #await()} does
     */
    GroupResult<T> join();

    /**
     * As {@link #join()}, with the time limit of {@link #await(long, TimeUnit)}.
     *
     * @throws RejectedTaskException as {@link #await()} does
     */
    GroupResult<T> join(long timeout, TimeUnit unit);

    /**
     * Ends the task as {@link TaskStatus#CANCELLED} unless it has ended. One that waits never runs. One that runs is
     * interrupted if {@code mayInterruptIfRunning}; it holds its place until it really stops, but this handle is done at once.
     *
     * @return whether this call ended the task
     */
    boolean cancel(boolean mayInterruptIfRunning);

    /** Whether the task has ended. */
    boolean isDone();

    /**
     * The task as a plain future. Its {@code get} throws {@link java.util.concurrent.CancellationException} if the task was
     * cancelled by a handle or a shutdown, and {@link java.util.concurrent.ExecutionException} with a
     * {@link RejectedTaskException} where {@link #await()} throws that; in all other cases it returns the result, also that of
     * a task that failed.
     */
    Future<GroupResult<T>> future();

    /**
     * A new future that completes with the result, also that of a task that failed or was cancelled; exceptionally only with
     * {@link RejectedTaskException}, where {@link #await()} throws that. No thread waits for it. What hangs on it runs on the
     * thread that ended the task, after everyone who waits has been woken, or, if the task was cancelled, on another one; so keep
     * it short, or other futures of the same task complete late. Calling {@code cancel} on this very future cancels the task.
     */
    CompletableFuture<GroupResult<T>> toCompletableFuture();
}
