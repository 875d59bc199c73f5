package io.github.kobe.scope;

import java.time.Duration;

/**
 * Counts and durations of a scope's tasks so far. Once all tasks have completed, {@code completed} is the number of submitted tasks.
 *
 * <p>Counts and durations are exact. One duration is an exception: if two outcomes of a task race, such as its return and its timeout,
 * {@code maxDuration} may be that of the outcome which came too late.
 *
 * @param started how many have begun to run
 * @param succeeded how many returned
 * @param failed how many threw, or took longer than they may
 * @param cancelled how many were cancelled, before they ran or while they did
 * @param totalDuration how long those that have ended took, from their first start, all together
 * @param maxDuration how long the longest of them took
 */
public record ScopeMetricsSnapshot(
        long started, long succeeded, long failed, long cancelled, Duration totalDuration, Duration maxDuration) {

    /** How many have ended. */
    public long completed() {
        return succeeded + failed + cancelled;
    }

    /** How long those that have ended took on average; zero if none has. */
    public Duration averageDuration() {
        return completed() == 0 ? Duration.ZERO : totalDuration.dividedBy(completed());
    }
}
