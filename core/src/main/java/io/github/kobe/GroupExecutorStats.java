package io.github.kobe;

/**
 * An executor at one moment. The groups are looked at one after the other, so the sums need not belong to one instant.
 *
 * @param activeGroupCount groups that are known now
 * @param totalActiveCount places in use, over all groups
 * @param totalQueuedCount tasks that wait, over all groups
 * @param globalInFlightUsed places in use under the global limit; without one, the same as {@code totalActiveCount}
 * @param globalInFlightMax the global limit, {@link Integer#MAX_VALUE} if there is none
 */
public record GroupExecutorStats(
        int activeGroupCount,
        int totalActiveCount,
        int totalQueuedCount,
        int globalInFlightUsed,
        int globalInFlightMax) {}
