package io.github.kobe;

import java.time.Duration;
import java.util.Objects;

/**
 * An executor at one moment. The groups are looked at one after the other, so the sums need not belong to one instant. Counts
 * and times go back to when the executor was made, groups that are no longer known included. Its text is one line for people.
 *
 * @param activeGroupCount groups that are known now
 * @param totalActiveCount places in use, over all groups
 * @param totalQueuedCount tasks that wait, over all groups
 * @param globalInFlightUsed places in use under the global limit; without one, the same as {@code totalActiveCount}
 * @param globalInFlightMax the global limit, {@link Integer#MAX_VALUE} if there is none
 * @param pausedGroupCount groups of which none may start a task now
 * @param totalRetryingCount tasks that failed and wait for the time of their next attempt, over all groups
 * @param oldestWaiting how long the task has waited that has waited longest; zero if none waits
 * @param counts how many tasks there were, and how they ended
 * @param waitingTime how long tasks waited to start; {@link TimeStats#none()} unless {@link GroupPolicy#recordTimes()}
 * @param runningTime how long tasks ran; {@link TimeStats#none()} unless {@link GroupPolicy#recordTimes()}
 */
public record GroupExecutorStats(
        int activeGroupCount,
        int totalActiveCount,
        int totalQueuedCount,
        int globalInFlightUsed,
        int globalInFlightMax,
        int pausedGroupCount,
        int totalRetryingCount,
        Duration oldestWaiting,
        TaskCounts counts,
        TimeStats waitingTime,
        TimeStats runningTime) {

    /** Checks that nothing is {@code null}. */
    public GroupExecutorStats {
        Objects.requireNonNull(oldestWaiting, "oldestWaiting");
        Objects.requireNonNull(counts, "counts");
        Objects.requireNonNull(waitingTime, "waitingTime");
        Objects.requireNonNull(runningTime, "runningTime");
    }

    /** Such as "2 groups (1 paused): 3/10 active, 12 queued (oldest 45 ms) | 120 submitted, 100 ok, 3 failed". */
    @Override
    public String toString() {
        return activeGroupCount + (activeGroupCount == 1 ? " group" : " groups")
                + (pausedGroupCount == 0 ? "" : " (" + pausedGroupCount + " paused)")
                + ": " + StatsFormatter.of(globalInFlightUsed, globalInFlightMax, "active") + ", " + totalQueuedCount
                + " queued" + StatsFormatter.oldest(oldestWaiting)
                + (totalRetryingCount == 0 ? "" : ", " + totalRetryingCount + " retrying")
                + " | " + counts
                + StatsFormatter.times("waiting", waitingTime)
                + StatsFormatter.times("running", runningTime);
    }
}
