package io.github.kobe.internal.group;

import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupStats;
import io.github.kobe.TimeStats;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.stats.Histogram;
import java.time.Duration;

/** Takes snapshots of the kernel's statistics. */
public final class StatsReader {

    private final Dispatcher dispatcher;

    StatsReader(Dispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    GroupStats of(Group group) {
        GroupLimits limits = group.limits();
        return new GroupStats(
                group.key(),
                group.active(),
                group.queued(),
                limits.concurrency(),
                limits.queueThreshold(),
                limits.limit(),
                limits.weight(),
                limits.paused(),
                group.awaitingRetryCount(),
                dispatcher.blockedSubmitters(group.key()),
                Duration.ofNanos(group.oldestWaitingNanos()),
                CounterSlots.counts(group.counts()),
                timeStats(group.waitingTimes()),
                timeStats(group.runningTimes()),
                group.countsByTag(),
                Duration.ofNanos(group.oldestRunningNanos()),
                Duration.ofNanos(group.typicalRunNanos()));
    }

    GroupExecutorStats ofAllGroups() {
        int groups = 0;
        int active = 0;
        int queued = 0;
        int paused = 0;
        int awaitingRetry = 0;
        long oldest = 0;
        for (Group group : dispatcher.groups()) {
            groups++;
            active += group.active();
            queued += group.queued();
            awaitingRetry += group.awaitingRetryCount();
            paused += group.limits().paused() ? 1 : 0;
            oldest = Math.max(oldest, group.oldestWaitingNanos());
        }
        int globalInFlight = dispatcher.globalInFlight();
        return new GroupExecutorStats(
                groups,
                active,
                queued,
                globalInFlight < 0 ? active : globalInFlight,
                dispatcher.globalLimit(),
                paused,
                awaitingRetry,
                dispatcher.blockedSubmitters(),
                Duration.ofNanos(oldest),
                CounterSlots.counts(dispatcher.counters().counts()),
                timeStats(dispatcher.counters().waitingTimes()),
                timeStats(dispatcher.counters().runningTimes()));
    }

    /** Returns a snapshot of a histogram. */
    public static TimeStats timeStats(Histogram histogram) {
        return TimeStats.fromArray(histogram.snapshot());
    }
}
