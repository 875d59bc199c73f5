package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.CurrentStats;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Are the statistics correct, and is reading them harmless? */
@Timeout(60)
class StatsTest {

    @Test
    void groupShowsActiveAndQueuedTasksAndLimits() {
        try (GroupExecutor executor =
                executor(b -> b.perGroupMaxConcurrency(Map.of("g", 2)).perGroupQueueThreshold(Map.of("g", 9)))) {
            assertThat(executor.groupStats("g")).isEmpty();
            BlockingTask first = BlockingTask.in(executor, "g");
            BlockingTask second = BlockingTask.in(executor, "g");
            for (int i = 0; i < 3; i++) {
                executor.submit("g", "t" + i, () -> "ran");
            }
            assertThat(usageOf(executor, "g")).isEqualTo("2 of 2 active, 3 of 9 queued");
            first.release();
            second.release();
            TestKit.eventually(() -> assertThat(usageOf(executor, "g")).isEqualTo("0 of 2 active, 0 of 9 queued"));
        }
    }

    private static String usageOf(GroupExecutor executor, String group) {
        GroupStats stats = executor.groupStats(group).orElseThrow();
        return stats.activeCount() + " of " + stats.maxConcurrency() + " active, " + stats.queuedCount() + " of "
                + stats.queueCapacity() + " queued";
    }

    @Test
    void completedTaskIsNotActiveWhenItsWaiterIsNotified() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(3))) {
            for (int i = 0; i < 500; i++) {
                resultOf(executor.submit("g", "t", () -> "ran"));
                assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(1, 0, 0, 0, 3));
            }
        }
    }

    @Test
    void executorShowsTheSumsOverGroups() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(10).defaultMaxConcurrencyPerGroup(2))) {
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(0, 0, 0, 0, 10));
            BlockingTask.in(executor, "a");
            BlockingTask.in(executor, "b");
            BlockingTask.in(executor, "b");
            executor.submit("b", "t", () -> "ran");
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(2, 3, 1, 3, 10));
            assertThat(executor.activeGroupKeys()).containsExactlyInAnyOrder("a", "b");
        }
    }

    @Test
    void withoutAGlobalLimitGlobalUseIsTheActiveCount() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask.in(executor, "a");
            BlockingTask.in(executor, "b");
            executor.submit("b", "t", () -> "ran");
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(2, 2, 1, 2, Integer.MAX_VALUE));
        }
    }

    @Test
    void unlimitedQueueHasMaximumCapacity() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask.in(executor, "g");
            assertThat(executor.groupStats("g").orElseThrow().queueCapacity()).isEqualTo(Integer.MAX_VALUE);
        }
    }

    @Test
    void keysAreAnUnmodifiableSnapshot() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask.in(executor, "a");
            Set<String> keys = executor.activeGroupKeys();
            BlockingTask.in(executor, "b");
            assertThat(keys).containsExactly("a");
            assertThatThrownBy(() -> keys.add("c")).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void statisticsAreZeroAfterShutdown() {
        GroupExecutor executor = executor(b -> b.globalMaxInFlight(4));
        BlockingTask stubborn = BlockingTask.uninterruptible();
        executor.submit("g", "stubborn", stubborn);
        await(stubborn.started);
        executor.submit("g", "queued", () -> "ran");
        executor.shutdown();
        assertThat(stubborn.hasEnded()).isFalse();
        assertEmpty(executor);
        assertThat(executor.stats().globalInFlightMax()).isEqualTo(4);
        stubborn.release();
    }

    @Test
    void statisticsAreZeroAfterADrainWithoutAGlobalLimit() {
        GroupExecutor drained = executor(b -> b);
        resultOf(drained.submit("g", "t", () -> "ran"));
        assertThat(drained.shutdown(Duration.ofSeconds(30))).isTrue();
        assertEmpty(drained);
        GroupExecutor cutShort = executor(b -> b);
        BlockingTask stubborn = BlockingTask.uninterruptible();
        cutShort.submit("g", "stubborn", stubborn);
        await(stubborn.started);
        assertThat(cutShort.shutdown(Duration.ZERO)).isFalse();
        assertEmpty(cutShort);
        stubborn.release();
    }

    private static void assertEmpty(GroupExecutor executor) {
        GroupExecutorStats stats = executor.stats();
        assertThat(CurrentStats.of(stats)).isEqualTo(new CurrentStats(0, 0, 0, 0, stats.globalInFlightMax()));
        assertThat(executor.activeGroupKeys()).isEmpty();
    }

    @Test
    void readingStatisticsNeverThrows() throws Throwable {
        GroupExecutor executor = executor(b -> b.globalMaxInFlight(2).idleGroupTtl(Duration.ZERO));
        TestKit.whileRepeating(() -> look(executor), () -> {
            for (int i = 0; i < 5000; i++) {
                TaskHandle<String> handle = executor.submit("g" + i % 3, "t", () -> "ran");
                if (i % 7 == 0) {
                    handle.cancel(true);
                }
                if (i % 50 == 0) {
                    executor.shutdownGroup("g" + i % 3);
                }
            }
            executor.shutdown();
        });
    }

    private static void look(GroupExecutor executor) {
        GroupExecutorStats all = executor.stats();
        assertThat(all.totalActiveCount()).isNotNegative();
        assertThat(all.totalQueuedCount()).isNotNegative();
        assertThat(all.globalInFlightUsed()).isBetween(0, 2);
        executor.groupStats("g1")
                .ifPresent(group -> assertThat(group.activeCount()).isBetween(0, 1));
        assertThat(executor.activeGroupKeys()).isSubsetOf("g0", "g1", "g2");
        assertThat(executor.toString()).startsWith("GroupExecutor '" + executor.name() + "'[");
    }
}
