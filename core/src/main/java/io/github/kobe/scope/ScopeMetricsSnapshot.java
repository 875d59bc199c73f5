package io.github.kobe.scope;

import java.time.Duration;

/**
 * What a scope's tasks have come to so far. Once all have ended, {@code completed} is as many as were submitted.
 *
 * <p>Counts are exact, but for a moment while a task is cancelled as it begins. Durations are too, but for one case: while tasks are
 * submitted at more than two million a second, on virtual threads, to a scope without hook, groups and limit, only one in sixteen of
 * those that have neither timeout nor retries nor priority is timed, and stands for the others; those that take a tenth of a millisecond or longer are timed all the same. Then
 * {@code totalDuration} is an estimate, and {@code maxDuration} may be of a shorter one than the longest if that took less than a tenth
 * of a millisecond. In the millisecond or two after that, longer if the timer is late, a task may be taken to be shorter or longer than it
 * was, by as much.
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
