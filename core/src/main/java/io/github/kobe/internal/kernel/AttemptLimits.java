package io.github.kobe.internal.kernel;

/**
 * Priority, cost and time limits of a task. Any number of tasks may share one object.
 *
 * @param priority larger ones first
 * @param maxQueueNanos how long the task may be queued for its first start, or {@link #NONE}
 * @param timeoutNanos how long the task may take from its first start, or {@link #NONE}
 * @param attemptNanos how long each attempt may take, or {@link #NONE}
 * @param keepsPermit whether the task keeps its permit while it awaits a retry
 * @param timeoutIncludesQueue whether {@code timeoutNanos} begin with the admission, not with the first start
 * @param cost how many permits the task takes of its group and of each limit over several groups; at least 1
 */
public record AttemptLimits(
        int priority,
        long maxQueueNanos,
        long timeoutNanos,
        long attemptNanos,
        boolean keepsPermit,
        boolean timeoutIncludesQueue,
        int cost) {

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

    /** Of a task of cost 1. */
    public AttemptLimits(
            int priority,
            long maxQueueNanos,
            long timeoutNanos,
            long attemptNanos,
            boolean keepsPermit,
            boolean timeoutIncludesQueue) {
        this(priority, maxQueueNanos, timeoutNanos, attemptNanos, keepsPermit, timeoutIncludesQueue, 1);
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
