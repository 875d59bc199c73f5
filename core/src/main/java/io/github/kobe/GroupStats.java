package io.github.kobe;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * One group at one moment. Counts and times go back to when the group became known. Its text is one line for people.
 *
 * @param groupKey the group
 * @param activeCount places in use: tasks on a thread, or about to be
 * @param queuedCount tasks that wait
 * @param maxConcurrency the group's concurrency limit; its in-flight limit may bind before
 * @param queueCapacity how many tasks may wait for the group's limits; {@link Integer#MAX_VALUE} if there is no such limit
 * @param limit how many places the group has: the smaller of its concurrency and its in-flight limit
 * @param weight the group's share when it competes with others
 * @param paused whether none of its tasks may start now
 * @param retryingCount tasks that failed and wait for the time of their next attempt
 * @param oldestWaiting how long the task has waited that has waited longest; zero if none waits
 * @param counts how many tasks there were, and how they ended
 * @param waitingTime how long tasks waited to start; {@link TimeStats#none()} unless {@link GroupPolicy#recordTimes()}
 * @param runningTime how long tasks ran; {@link TimeStats#none()} unless {@link GroupPolicy#recordTimes()}
 * @param completedByTag how many tasks with each tag have ended, however they did; unmodifiable
 */
public record GroupStats(
        String groupKey,
        int activeCount,
        int queuedCount,
        int maxConcurrency,
        int queueCapacity,
        int limit,
        int weight,
        boolean paused,
        int retryingCount,
        Duration oldestWaiting,
        TaskCounts counts,
        TimeStats waitingTime,
        TimeStats runningTime,
        Map<String, Long> completedByTag) {

    /** Checks that nothing is {@code null}, and copies the map. */
    public GroupStats {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(oldestWaiting, "oldestWaiting");
        Objects.requireNonNull(counts, "counts");
        Objects.requireNonNull(waitingTime, "waitingTime");
        Objects.requireNonNull(runningTime, "runningTime");
        completedByTag = Map.copyOf(Objects.requireNonNull(completedByTag, "completedByTag"));
    }

    /** Such as "group 'vip': 3/4 active, 12/100 queued (oldest 45 ms), weight 3, paused | 120 submitted, 100 ok, 3 failed". */
    @Override
    public String toString() {
        return "group '" + groupKey + "': " + StatsFormatter.of(activeCount, limit, "active") + ", "
                + StatsFormatter.of(queuedCount, queueCapacity, "queued") + StatsFormatter.oldest(oldestWaiting)
                + (retryingCount == 0 ? "" : ", " + retryingCount + " retrying")
                + (weight == 1 ? "" : ", weight " + weight)
                + (paused ? ", paused" : "")
                + " | " + counts
                + StatsFormatter.times("waiting", waitingTime)
                + StatsFormatter.times("running", runningTime)
                + StatsFormatter.tags(completedByTag);
    }
}
