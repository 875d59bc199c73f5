package io.github.kobe;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/**
 * What a running task can find out about itself. Safe for use by many threads, so a task may pass it to helper threads. Not meant to be
 * implemented outside this library.
 */
public interface TaskContext extends TaskIdentity {

    /** Returns the task's {@link TaskOptions#priority priority}. */
    int priority();

    /**
     * Returns when the task's {@link TaskOptions#timeout timeout} expires, or that of {@link TaskOptions#attemptTimeout its attempt} if that is
     * earlier; empty if it has none.
     */
    Optional<Instant> deadline();

    /** Returns how long the task may still run until {@link #deadline}, not negative; empty if it has no timeout. */
    Optional<Duration> timeLeft();

    /**
     * Returns whether the task was cancelled, has timed out, or was stopped by a shutdown; its outcome is then decided. Also true if its
     * current attempt has timed out; another one may follow.
     */
    boolean isCancelled();

    /**
     * Throws if {@link #isCancelled}. Call it in loops that never block, because an interruption does not stop them.
     *
     * @throws CancellationException if the task is cancelled
     */
    default void throwIfCancelled() {
        if (isCancelled()) {
            throw new CancellationException("the task was cancelled or timed out");
        }
    }
}
