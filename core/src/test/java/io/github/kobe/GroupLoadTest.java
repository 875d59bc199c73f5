package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.TestKit.BlockingTask;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What does a snapshot of the executor tell of each group that it reads? */
@Timeout(60)
class GroupLoadTest {

    private static Map<String, GroupLoad> loads(GroupExecutor executor) {
        Map<String, GroupLoad> loads = new HashMap<>();
        executor.stats(load -> assertThat(loads.put(load.groupKey(), load))
                .as("%s is passed once", load.groupKey())
                .isNull());
        return loads;
    }

    @Test
    void everyKnownGroupIsPassedWithTheNumbersOfItsStatistics() {
        try (GroupExecutor executor =
                executor(b -> b.defaultMaxConcurrencyPerGroup(1).defaultQueueThresholdPerGroup(7))) {
            BlockingTask blocker = BlockingTask.in(executor, "busy");
            executor.submit("busy", "waits", () -> "ran");
            resultOf(executor.submit("idle", "t", () -> "ran"));
            executor.setMaxConcurrency("paused", 5);
            executor.pauseGroup("paused");
            executor.submit("paused", "waits", () -> "ran");
            Map<String, GroupLoad> loads = loads(executor);
            assertThat(loads).containsOnlyKeys("busy", "idle", "paused");
            GroupLoad busy = loads.get("busy");
            assertThat(busy.oldestWaiting()).isPositive();
            assertThat(busy).isEqualTo(new GroupLoad("busy", 1, 1, 1, 7, false, busy.oldestWaiting()));
            assertThat(loads.get("idle")).isEqualTo(new GroupLoad("idle", 0, 0, 1, 7, false, Duration.ZERO));
            GroupLoad paused = loads.get("paused");
            assertThat(paused).isEqualTo(new GroupLoad("paused", 0, 1, 5, 7, true, paused.oldestWaiting()));
            blocker.release();
        }
    }

    @Test
    void loadsAddUpToTheSnapshot() {
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(1))) {
            BlockingTask a = BlockingTask.in(executor, "a");
            BlockingTask b = BlockingTask.in(executor, "b");
            executor.submit("b", "waits", () -> "ran");
            int[] sums = new int[3];
            GroupExecutorStats stats = executor.stats(load -> {
                sums[0]++;
                sums[1] += load.activeCount();
                sums[2] += load.queuedCount();
            });
            assertThat(sums).containsExactly(2, 2, 1);
            assertThat(stats.activeGroupCount()).isEqualTo(2);
            assertThat(stats.totalActiveCount()).isEqualTo(2);
            assertThat(stats.totalQueuedCount()).isEqualTo(1);
            assertThat(stats.counts()).isEqualTo(executor.stats().counts());
            a.release();
            b.release();
        }
    }

    @Test
    void whatTheConsumerThrowsReachesTheCaller() {
        try (GroupExecutor executor = executor(b -> b)) {
            resultOf(executor.submit("a", "t", () -> "ran"));
            IllegalStateException thrown = new IllegalStateException("on purpose");
            assertThatThrownBy(() -> executor.stats(load -> {
                        throw thrown;
                    }))
                    .isSameAs(thrown);
        }
    }

    @Test
    void noGroupIsPassedAfterAShutdown() {
        GroupExecutor executor = executor(b -> b);
        resultOf(executor.submit("a", "t", () -> "ran"));
        executor.close();
        assertThat(loads(executor)).isEmpty();
    }

    @Test
    void timesOfTheExecutorAreRecordedOnlyIfAskedFor() {
        try (GroupExecutor with = executor(b -> b.recordTimes(true));
                GroupExecutor without = executor(b -> b)) {
            resultOf(with.submit("a", "t", () -> "ran"));
            resultOf(without.submit("a", "t", () -> "ran"));
            assertThat(with.stats(load -> {}).runningTime().count()).isEqualTo(1);
            assertThat(without.stats(load -> {}).runningTime()).isSameAs(TimeStats.none());
        }
    }
}
