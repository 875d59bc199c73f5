package io.github.kobe.scope;

import java.time.Duration;

/**
 * Counts and durations of a scope's tasks so far. Once all tasks have completed, {@code completed} is the number of submitted tasks.
 *
 * <p>Counts and durations are exact. One duration is an exception: if two outcomes of a task race, such as its return and its timeout,
 * {@code maxDuration} may be that of the outcome which came too late.
 *
 * @param started tasks whose work has started
 * @param succeeded tasks that returned
 * @param failed tasks that threw, exceeded their timeouts or were rejected
 * @param cancelled tasks that were cancelled, before or while they ran
 * @param totalDuration the sum of the durations of completed tasks, each from its first start
 * @param maxDuration the longest of these durations
 */
public record ScopeMetricsSnapshot(
        long started, long succeeded, long failed, long cancelled, Duration totalDuration, Duration maxDuration) {

    /** Tasks that have completed. */
    public long completed() {
        return succeeded + failed + cancelled;
    }

    /** The average duration of completed tasks; zero if there are none. */
    public Duration averageDuration() {
        return completed() == 0 ? Duration.ZERO : totalDuration.dividedBy(completed());
    }
}
