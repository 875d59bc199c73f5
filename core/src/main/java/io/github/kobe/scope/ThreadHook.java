package io.github.kobe.scope;

import io.github.kobe.internal.util.Throwables;
import java.time.Duration;
import java.util.Objects;

/**
 * Callbacks for each task of a scope. For each task {@code onStart} is called at most once, then {@code onRetry} after each failed attempt
 * that is followed by another, and then exactly one of the other methods, before threads that wait for the task are woken. If a task is
 * cancelled before it runs, only {@code onCancel} is called.
 *
 * <p>Methods are called by many threads at once, for different tasks. Be quick: a call for a task holds that task up. What a method throws
 * is reported through {@link System.Logger} and has no other effect. A call that has not returned after a second or two is reported too, and its
 * task continues without it; only {@code onRetry} delays its task until it returns. A hook has the {@link Context} of the task and everything
 * that the task {@linkplain io.github.kobe.ContextCarrier carries}. It counts as part of the task: it cannot close the scope, and if there is
 * a concurrency limit, its submissions are queued and do not wait for permits.
 */
public interface ThreadHook {

    /** The task is about to run for the first time, on this thread. */
    default void onStart(TaskInfo info) {}

    /**
     * An attempt failed, and another will follow when this method has returned. If the task is cancelled or times out at this moment,
     * {@code onCancel} or {@code onFailure} may be called first.
     *
     * @param info the task
     * @param failedAttempts how many attempts have failed so far
     * @param error what the last attempt threw; {@link io.github.kobe.UndesiredResultException} if it returned a value that is retried
     * @param delay how long the task waits before it is submitted for the next attempt
     */
    default void onRetry(TaskInfo info, int failedAttempts, Throwable error, Duration delay) {}

    /** The task returned; it took {@code duration} from its first start. */
    default void onSuccess(TaskInfo info, Duration duration) {}

    /** The task threw, exceeded its timeout, was rejected by its group, or no thread was available. */
    default void onFailure(TaskInfo info, Throwable error, Duration duration) {}

    /** The task was cancelled; {@code duration} is zero if it never ran. */
    default void onCancel(TaskInfo info, Duration duration) {}

    /**
     * A hook that calls this one and then {@code next}, on the same thread. If one throws, also an {@link Error}, the other is still called,
     * and the exception is rethrown then. If both throw, the exception of this one is rethrown, with the other suppressed in it.
     */
    default ThreadHook andThen(ThreadHook next) {
        Objects.requireNonNull(next, "next");
        ThreadHook first = this;
        return new ThreadHook() {
            @Override
            public void onStart(TaskInfo info) {
                Throwables.runBoth(() -> first.onStart(info), () -> next.onStart(info));
            }

            @Override
            public void onRetry(TaskInfo info, int failedAttempts, Throwable error, Duration delay) {
                Throwables.runBoth(
                        () -> first.onRetry(info, failedAttempts, error, delay),
                        () -> next.onRetry(info, failedAttempts, error, delay));
            }

            @Override
            public void onSuccess(TaskInfo info, Duration duration) {
                Throwables.runBoth(() -> first.onSuccess(info, duration), () -> next.onSuccess(info, duration));
            }

            @Override
            public void onFailure(TaskInfo info, Throwable error, Duration duration) {
                Throwables.runBoth(
                        () -> first.onFailure(info, error, duration), () -> next.onFailure(info, error, duration));
            }

            @Override
            public void onCancel(TaskInfo info, Duration duration) {
                Throwables.runBoth(() -> first.onCancel(info, duration), () -> next.onCancel(info, duration));
            }
        };
    }
}
