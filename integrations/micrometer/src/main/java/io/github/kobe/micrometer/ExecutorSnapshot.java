package io.github.kobe.micrometer;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.SharedLimitStats;
import java.util.List;

/** The state of an executor at one time. */
record ExecutorSnapshot(
        GroupExecutorStats stats, Counts counts, long callbackFaults, List<SharedLimitStats> sharedLimits) {

    static ExecutorSnapshot of(GroupExecutor executor) {
        GroupExecutorStats stats = executor.stats();
        return new ExecutorSnapshot(
                stats,
                Counts.copyOf(CountSlots.of(stats.counts())),
                executor.callbackFaults(),
                executor.sharedLimits());
    }
}
