package io.github.kobe.internal.kernel;

/**
 * Priority and time limits of a task. Any number of tasks may share one object.
 *
 * @param priority larger ones first
 * @param maxQueueNanos how long the task may be queued for its first start, or {@link #NONE}
 * @param timeoutNanos how long the task may take from its first start, or {@link #NONE}
 * @param attemptNanos how long each attempt may take, or {@link #NONE}
 * @param keepsPermit whether the task keeps its permit while it awaits a retry
 * @param timeoutIncludesQueue whether {@code timeoutNanos} begin with the admission, not with the first start
 */
public record AttemptLimits(
        int priority,
        long maxQueueNanos,
        long timeoutNanos,
        long attemptNanos,
        boolean keepsPermit,
        boolean timeoutIncludesQueue) {

    /** No such limit. */
    public static final long NONE = Long.MAX_VALUE;

    /** Two instants that are this far apart can still be compared by their difference. */
    private static final long MAX_NANOS = Long.MAX_VALUE >> 1;

    /** Clamps the times, so that due times can be compared. */
    public AttemptLimits {
        maxQueueNanos = clamp(maxQueueNanos);
        timeoutNanos = clamp(timeoutNanos);
        attemptNanos = clamp(attemptNanos);
    }

    private static long clamp(long nanos) {
        return nanos == NONE ? NONE : Math.min(nanos, MAX_NANOS);
    }

    boolean expires() {
        return maxQueueNanos != NONE;
    }

    boolean timesOut() {
        return timeoutNanos != NONE;
    }

    boolean limitsAttempts() {
        return attemptNanos != NONE;
    }
}
