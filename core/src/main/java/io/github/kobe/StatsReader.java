package io.github.kobe;

import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.GroupLimits;
import java.time.Duration;

/** Looks at the kernel and says what there is to see. */
final class StatsReader {

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
                Duration.ofNanos(group.oldestWaitingNanos()),
                CounterSlots.counts(group.counts()),
                TimeStats.of(group.waitingTimes()),
                TimeStats.of(group.runningTimes()),
                group.countsByTag());
    }

    GroupExecutorStats ofAll() {
        int known = 0;
        int active = 0;
        int queued = 0;
        int paused = 0;
        int retrying = 0;
        long oldest = 0;
        for (Group group : dispatcher.groups()) {
            known++;
            active += group.active();
            queued += group.queued();
            retrying += group.awaitingRetryCount();
            paused += group.limits().paused() ? 1 : 0;
            oldest = Math.max(oldest, group.oldestWaitingNanos());
        }
        int used = dispatcher.globalInFlight();
        return new GroupExecutorStats(
                known,
                active,
                queued,
                used < 0 ? active : used,
                dispatcher.globalLimit(),
                paused,
                retrying,
                Duration.ofNanos(oldest),
                CounterSlots.counts(dispatcher.counters().counts()),
                TimeStats.of(dispatcher.counters().waitingTimes()),
                TimeStats.of(dispatcher.counters().runningTimes()));
    }
}
