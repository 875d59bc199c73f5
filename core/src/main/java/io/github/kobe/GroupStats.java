package io.github.kobe;

import io.github.kobe.internal.group.StatsFormatter;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * A snapshot of the statistics of one group.
 *
 * <p>The components are read one after the other while tasks start and complete, so they need not belong to one instant. Counts and
 * times begin when the executor first uses the group; a group that was retired begins again at zero, see {@link GroupExecutor#onGroupRetired}.
 *
 * @param groupKey the group
 * @param activeCount permits in use, by tasks that run or are about to run
 * @param queuedCount queued tasks, whatever they wait for
 * @param maxConcurrency the group's concurrency limit; its in-flight limit may be smaller
 * @param maxInFlight the group's in-flight limit; {@link Integer#MAX_VALUE} if there is none
 * @param queueCapacity how many tasks may be queued for the group's own limits; {@link Integer#MAX_VALUE} if there is no such limit
 * @param limit how many permits the group has: the smaller of its concurrency limit and its in-flight limit. If the concurrency limit is shared with
 *     other JVMs, all of them together
 * @param weight the group's weight when it competes with other groups
 * @param paused whether the group is paused
 * @param retryingCount tasks that failed and await their next attempt
 * @param blockedSubmitters threads that wait for space in the queue, see {@link RejectionPolicy#BLOCK}; their tasks are not queued yet
 * @param oldestWaiting how long the oldest queued task has been queued; zero if none is queued
 * @param counts how many tasks were submitted, and their outcomes
 * @param waitingTime how long tasks were queued before they started; {@link TimeStats#none()} unless {@link GroupPolicy#recordTimes()}
 * @param runningTime how long tasks ran; {@link TimeStats#none()} unless {@link GroupPolicy#recordTimes()}
 * @param completedByTag how many tasks with each tag have completed, with any outcome; unmodifiable
 * @param oldestRunning how long the task that has been running for longest has been running; zero if none is running. Calling threads that hold
 *     a permit are not considered
 * @param typicalRun about how long tasks hold their permits: a mean in which the last task counts for an eighth. Zero before a task has completed.
 *     A calling thread counts only if it had to wait for its permit
 * @param leasedPermits how many permits of the group this JVM holds, if it shares the limit with other JVMs: no more than these are used here. If the
 *     limit is not shared, {@link Integer#MAX_VALUE}
 */
public record GroupStats(
        String groupKey,
        int activeCount,
        int queuedCount,
        int maxConcurrency,
        int maxInFlight,
        int queueCapacity,
        int limit,
        int weight,
        boolean paused,
        int retryingCount,
        int blockedSubmitters,
        Duration oldestWaiting,
        TaskCounts counts,
        TimeStats waitingTime,
        TimeStats runningTime,
        Map<String, Long> completedByTag,
        Duration oldestRunning,
        Duration typicalRun,
        int leasedPermits) {

    /** Copies the map. Throws {@link NullPointerException} if a component is {@code null}. */
    public GroupStats {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(oldestWaiting, "oldestWaiting");
        Objects.requireNonNull(counts, "counts");
        Objects.requireNonNull(waitingTime, "waitingTime");
        Objects.requireNonNull(runningTime, "runningTime");
        completedByTag = Map.copyOf(Objects.requireNonNull(completedByTag, "completedByTag"));
        Objects.requireNonNull(oldestRunning, "oldestRunning");
        Objects.requireNonNull(typicalRun, "typicalRun");
    }

    /** Tasks that only wait for the global limit do not count for the queue threshold, so there may be more queued tasks than that. */
    private String queued() {
        int freePermits = paused ? 0 : Math.max(0, Math.min(limit, leasedPermits) - activeCount);
        int forOwnLimit = Math.max(0, queuedCount - freePermits);
        return queuedCount <= queueCapacity
                ? StatsFormatter.of(queuedCount, queueCapacity, "queued")
                : queuedCount + " queued, "
                        + StatsFormatter.of(forOwnLimit, queueCapacity, "for the group's own limit");
    }

    /**
     * Returns one line such as "group 'vip': 3/4 active (oldest 2 s), 12/100 queued (oldest 45 ms), weight 3, paused | 120 submitted, 100 ok, 3
     * failed". If the limit is shared with other JVMs, such as "group 'vip': 2/10 active, 3 leased, 0 queued | 5 submitted".
     */
    @Override
    public String toString() {
        return "group '" + groupKey + "': " + StatsFormatter.of(activeCount, limit, "active")
                + StatsFormatter.oldest(oldestRunning) + StatsFormatter.leased(leasedPermits) + ", " + queued()
                + StatsFormatter.oldest(oldestWaiting)
                + (blockedSubmitters == 0 ? "" : ", " + blockedSubmitters + " blocked submitters")
                + (retryingCount == 0 ? "" : ", " + retryingCount + " retrying")
                + (weight == 1 ? "" : ", weight " + weight)
                + (paused ? ", paused" : "")
                + " | " + counts
                + StatsFormatter.times("waiting", waitingTime)
                + StatsFormatter.times("running", runningTime)
                + StatsFormatter.tags(completedByTag);
    }
}
