package io.github.kobe.internal.group;

import io.github.kobe.GroupExecutorStats;
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
                timeStats(dispatcher.counters().runningTimes()),
                dispatcher.globalLeased());
    }

    /** Returns a snapshot of a histogram; no times if there is none. */
    public static TimeStats timeStats(@Nullable Histogram histogram) {
        return histogram == null ? TimeStats.none() : TimeStats.fromArray(histogram.snapshot());
    }
}
