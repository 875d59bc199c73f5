package io.github.kobe.micrometer;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;

/** The state of an executor at one time. */
record ExecutorSnapshot(GroupExecutorStats stats, Counts counts, long callbackFaults) {

    static ExecutorSnapshot of(GroupExecutor executor) {
        GroupExecutorStats stats = executor.stats();
        return new ExecutorSnapshot(stats, Counts.copyOf(CountSlots.of(stats.counts())), executor.callbackFaults());
    }
}
