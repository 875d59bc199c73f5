package io.github.kobe.internal.group;

import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupLoad;
import io.github.kobe.GroupStats;
import io.github.kobe.RunningTask;
import io.github.kobe.TaskCounts;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TimeStats;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.stats.Histogram;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Takes snapshots of the kernel's statistics. */
public final class StatsReader {

    private final Dispatcher dispatcher;

    StatsReader(Dispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    /** {@code null} if the group has retired, and its counts have become those of the executor. */
    @Nullable
    GroupStats of(Group group) {
        GroupStats stats = of(group, CounterSlots.counts(group), group.countsByTag(), true);
        return dispatcher.counters().areIn(group)
                ? stats
                : null; // they move after it has retired, so these are complete
    }

    /** @param withTimes false if the times are not to be shown */
    GroupStats of(Group group, TaskCounts counts, Map<String, Long> byTag, boolean withTimes) {
        GroupLimits limits = group.limits();
        return new GroupStats(
                group.key(),
                group.active(),
                group.queued(),
                limits.concurrency(),
                limits.inFlight(),
                limits.queueThreshold(),
                limits.limit(),
                limits.weight(),
                limits.paused(),
                group.awaitingRetryCount(),
                dispatcher.blockedSubmitters(group.key()),
                Duration.ofNanos(group.oldestWaitingNanos()),
                counts,
                timeStats(withTimes ? group.waitingTimes() : null),
                timeStats(withTimes ? group.runningTimes() : null),
                byTag,
                Duration.ofNanos(group.oldestRunningNanos()),
                Duration.ofNanos(group.typicalRunNanos()),
                group.leasedPermits());
    }

    /** The tasks of {@code groups} that are on a thread, the oldest first. */
    static List<RunningTask> runningTasks(Stream<Group> groups) {
        List<RunningTask> tasks = new ArrayList<>();
        groups.forEach(group -> group.forEachOnThread((task, thread, nanos) -> {
            if (task instanceof TaskIdentity identity) {
                tasks.add(new RunningTask(
                        group.key(),
                        identity.taskId(),
                        identity.tag(),
                        Duration.ofNanos(nanos),
                        thread.getName(),
                        thread.threadId()));
            }
        }));
        tasks.sort(Comparator.comparing(RunningTask::running).reversed());
        return Collections.unmodifiableList(tasks);
    }

    /** @param eachGroup is passed the load of each group that is read; {@code null} for none */
    GroupExecutorStats ofAllGroups(@Nullable Consumer<? super GroupLoad> eachGroup) {
        CurrentTotals totals = new CurrentTotals(eachGroup != null);
        long[] counts;
        if (dispatcher.isClosed()) { // groups that have retired keep their counts
            counts = dispatcher.counters().counts();
            dispatcher.groups().forEach(totals::add);
        } else {
            counts = dispatcher.counters().counts(totals::add);
        }
        if (eachGroup != null) {
            totals.loads.forEach(eachGroup);
        }
        int globalInFlight = dispatcher.globalInFlight();
        return new GroupExecutorStats(
                totals.groups,
                totals.active,
                totals.queued,
                globalInFlight < 0 ? totals.active : globalInFlight,
                dispatcher.globalLimit(),
                totals.paused,
                totals.awaitingRetry,
                dispatcher.blockedSubmitters(),
                Duration.ofNanos(totals.oldestWaiting),
                CounterSlots.counts(counts),
                timeStats(dispatcher.counters().waitingTimes()),
                timeStats(dispatcher.counters().runningTimes()),
                dispatcher.globalLeased());
    }

    /** What groups do now, added up. */
    private static final class CurrentTotals {

        private final boolean withLoads;
        private final List<GroupLoad> loads = new ArrayList<>();
        private int groups;
        private int active;
        private int queued;
        private int paused;
        private int awaitingRetry;
        private long oldestWaiting;

        CurrentTotals(boolean withLoads) {
            this.withLoads = withLoads;
        }

        void add(Group group) {
            GroupLimits limits = group.limits();
            int activeNow = group.active();
            int queuedNow = group.queued();
            long oldestNow = group.oldestWaitingNanos();
            groups++;
            active += activeNow;
            queued += queuedNow;
            awaitingRetry += group.awaitingRetryCount();
            paused += limits.paused() ? 1 : 0;
            oldestWaiting = Math.max(oldestWaiting, oldestNow);
            if (withLoads) {
                loads.add(new GroupLoad(
                        group.key(),
                        activeNow,
                        queuedNow,
                        limits.limit(),
                        limits.queueThreshold(),
                        limits.paused(),
                        Duration.ofNanos(oldestNow)));
            }
        }
    }

    /** Returns a snapshot of a histogram; no times if there is none. */
    public static TimeStats timeStats(@Nullable Histogram histogram) {
        return histogram == null ? TimeStats.none() : TimeStats.fromArray(histogram.snapshot());
    }
}
