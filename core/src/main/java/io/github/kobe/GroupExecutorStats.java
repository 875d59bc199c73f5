package io.github.kobe;

import io.github.kobe.internal.group.StatsFormatter;
import java.time.Duration;
import java.util.Objects;

/**
 * A snapshot of the statistics of an executor.
 *
 * <p>The groups are read one after the other while tasks start and complete, so the sums need not belong to one instant. Counts and
 * times begin when the executor is created and include groups that have been retired.
 *
 * @param activeGroupCount groups that the executor knows now
 * @param totalActiveCount permits in use, summed over all groups
 * @param totalQueuedCount queued tasks, summed over all groups
 * @param globalInFlightUsed permits in use under the global limit; if there is no global limit, the same as {@code totalActiveCount}
 * @param globalInFlightMax the global limit, {@link Integer#MAX_VALUE} if there is none. If it is shared with other JVMs, that of all of them together
 *     or that of this JVM, whichever is smaller
 * @param pausedGroupCount groups that are paused
 * @param totalRetryingCount tasks that failed and await their next attempt, summed over all groups
 * @param blockedSubmitters threads that wait for space in a queue, see {@link RejectionPolicy#BLOCK}; their tasks are not queued yet
 * @param oldestWaiting how long the oldest queued task has been queued; zero if none is queued
 * @param counts how many tasks were submitted, and their outcomes
 * @param waitingTime how long tasks were queued before they started; {@link TimeStats#none()} unless {@link GroupPolicy#recordTimes()}
 * @param runningTime how long tasks ran; {@link TimeStats#none()} unless {@link GroupPolicy#recordTimes()}
 * @param globalLeasedPermits how many permits this JVM holds of a limit over all groups that it shares with other JVMs;
 *     {@link Integer#MAX_VALUE} if there is no such limit
 */
public record GroupExecutorStats(
        int activeGroupCount,
        int totalActiveCount,
        int totalQueuedCount,
        int globalInFlightUsed,
        int globalInFlightMax,
        int pausedGroupCount,
        int totalRetryingCount,
        int blockedSubmitters,
        Duration oldestWaiting,
        TaskCounts counts,
        TimeStats waitingTime,
        TimeStats runningTime,
        int globalLeasedPermits) {

    /** Throws {@link NullPointerException} if a component is {@code null}. */
    public GroupExecutorStats {
        Objects.requireNonNull(oldestWaiting, "oldestWaiting");
        Objects.requireNonNull(counts, "counts");
        Objects.requireNonNull(waitingTime, "waitingTime");
        Objects.requireNonNull(runningTime, "runningTime");
    }

    /** Creates a snapshot of an executor whose global limit is not shared with other JVMs. */
    public GroupExecutorStats(
            int activeGroupCount,
            int totalActiveCount,
            int totalQueuedCount,
            int globalInFlightUsed,
            int globalInFlightMax,
            int pausedGroupCount,
            int totalRetryingCount,
            int blockedSubmitters,
            Duration oldestWaiting,
            TaskCounts counts,
            TimeStats waitingTime,
            TimeStats runningTime) {
        this(
                activeGroupCount,
                totalActiveCount,
                totalQueuedCount,
                globalInFlightUsed,
                globalInFlightMax,
                pausedGroupCount,
                totalRetryingCount,
                blockedSubmitters,
                oldestWaiting,
                counts,
                waitingTime,
                runningTime,
                Integer.MAX_VALUE);
    }

    /** Returns one line such as "2 groups (1 paused): 3/10 active, 12 queued (oldest 45 ms) | 120 submitted, 100 ok, 3 failed". */
    @Override
    public String toString() {
        return activeGroupCount + (activeGroupCount == 1 ? " group" : " groups")
                + (pausedGroupCount == 0 ? "" : " (" + pausedGroupCount + " paused)")
                + ": " + StatsFormatter.of(globalInFlightUsed, globalInFlightMax, "active")
                + StatsFormatter.leased(globalLeasedPermits) + ", " + totalQueuedCount
                + " queued" + StatsFormatter.oldest(oldestWaiting)
                + (blockedSubmitters == 0 ? "" : ", " + blockedSubmitters + " blocked submitters")
                + (totalRetryingCount == 0 ? "" : ", " + totalRetryingCount + " retrying")
                + " | " + counts
                + StatsFormatter.times("waiting", waitingTime)
                + StatsFormatter.times("running", runningTime);
    }
}
