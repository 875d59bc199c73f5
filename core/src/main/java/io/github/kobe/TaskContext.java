package io.github.kobe;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/**
 * A running task, as it sees itself. Safe for use by many threads, so it can be passed on to what works for the task. Not meant to be
 * implemented outside this library.
 */
public interface TaskContext extends TaskIdentity {

    /** The task's {@link TaskOptions#priority priority}. */
    int priority();

    /** When its {@link TaskOptions#timeout timeout} is over; empty if it has none. The same at each attempt. */
    Optional<Instant> deadline();

    /** How long it may still run, not negative; empty if it has no timeout. */
    Optional<Duration> timeLeft();

    /** Whether its end was decided by someone else: it was cancelled, or its time is up, or its executor was shut down. */
    boolean isCancelled();

    /**
     * For loops that never block, which no interruption would end.
     *
     * @throws CancellationException if {@link #isCancelled}
     */
    default void throwIfCancelled() {
        if (isCancelled()) {
            throw new CancellationException("the task was cancelled, or its time is up");
        }
    }
}
