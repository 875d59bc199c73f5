package io.github.kobe;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A handle of a submitted task, to wait for its result, to cancel it, or to continue when it completes.
 *
 * <p>Safe for use by several threads. The completion of the task happens-before any method here reports it. By then the task's permit is
 * released, unless the task was cancelled or timed out while it ran and has not returned yet. Not meant to be implemented outside this
 * library.
 *
 * @param <T> the type of the task's value
 */
public interface TaskHandle<T extends @Nullable Object> extends TaskIdentity {

    /**
     * Waits until the task completes, and returns its value. If the task has no value, throws why. Use {@link #await()} to look at the outcome
     * without an exception.
     *
     * @return the value, which may be {@code null}
     * @throws RuntimeException what the task threw, if that is unchecked; an {@link Error} likewise
     * @throws TaskFailedException if the task threw a checked exception, which is the cause
     * @throws TaskTimeoutException if the task exceeded its {@link TaskOptions#timeout}
     * @throws java.util.concurrent.CancellationException if the task was cancelled, or its executor or group was shut down
     * @throws RejectedTaskException if the task was rejected, under any policy
     * @throws InterruptedException if the calling thread is interrupted; the task continues
     */
    T get() throws InterruptedException;

    /**
     * As {@link #get()}, but waits at most for {@code timeout}. If that is zero, does not wait.
     *
     * @throws TimeoutException if the time is over; the task continues
     * @throws IllegalArgumentException if {@code timeout} is negative
     * @throws InterruptedException if the calling thread is interrupted; the task continues
     */
    T get(Duration timeout) throws InterruptedException, TimeoutException;

    /**
     * Waits until the task completes.
     *
     * <p>A task may wait for another task of the same executor: while the calling thread is blocked, it lends its permits. If the awaited task
     * is queued, and one of these permits is what it needs, it starts on that permit, which comes back when its code returns. The number of
     * permits in use does not change. This holds for all methods of this library that wait for tasks, and at any depth. If the wait times out or
     * is interrupted while the task still runs on the lent permit, the calling thread takes another one: then one task more than the limit
     * runs until the task returns. A worker of a {@link io.github.kobe.pool.WorkerPool} lends nothing, because the pool has no other thread for
     * the task.
     *
     * @throws RejectedTaskException if the task was rejected and the policy is {@link RejectionPolicy#ABORT}, or another policy that
     *     aborts in this case; or if a {@link RejectionHandler} threw it
     * @throws InterruptedException if the calling thread is interrupted; the task continues
     */
    GroupResult<T> await() throws InterruptedException;

    /**
     * Waits until the task completes, but at most for {@code timeout}. If the time is over, the result has the status
     * {@link TaskStatus#CANCELLED} and a {@link TimeoutException} as its error. The task itself is not cancelled and
     * continues.
     *
     * @throws RejectedTaskException as {@link #await()} does
     * @throws InterruptedException if the calling thread is interrupted; the task continues
     */
    GroupResult<T> await(long timeout, TimeUnit unit) throws InterruptedException;

    /**
     * As {@link #await()}, but does not throw {@link InterruptedException}. If the calling thread is interrupted, the result has the status
     * {@link TaskStatus#CANCELLED} and the {@link InterruptedException} as its error, and the interrupt flag is set again. The task
     * continues.
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
     * Completes the task as {@link TaskStatus#CANCELLED}, unless it has completed. A queued task never runs. A running task is interrupted
     * if {@code mayInterruptIfRunning}; it keeps its permit until it returns, but this handle completes at once.
     *
     * @return whether this call completed the task
     */
    boolean cancel(boolean mayInterruptIfRunning);

    /** Returns whether the task has completed. */
    boolean isDone();

    /**
     * Returns the task as a plain future. If the task was cancelled by a handle or a shutdown, {@code get} throws
     * {@link java.util.concurrent.CancellationException}. If {@link #await()} throws {@link RejectedTaskException}, {@code get} throws
     * {@link java.util.concurrent.ExecutionException} with that cause. Otherwise it returns the result, also of a failed task.
     */
    Future<GroupResult<T>> future();

    /**
     * Returns a new future that completes with the result, also of a failed or cancelled task. If {@link #await()} throws
     * {@link RejectedTaskException}, the future completes exceptionally with it. No thread waits for the task. Dependent stages run on the
     * thread that completed the task, after all waiting threads were woken; if the task was cancelled, they run on another thread. Keep
     * them short, because they delay other futures of the same task. {@code cancel} of the returned future cancels the task.
     */
    CompletableFuture<GroupResult<T>> toCompletableFuture();
}
