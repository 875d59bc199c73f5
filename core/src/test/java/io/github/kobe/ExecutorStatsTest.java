package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Are the outcomes of tasks counted, for each group and in total? */
@Timeout(120)
class ExecutorStatsTest {

    private static final String FOREVER = "PT1H";

    private static TaskCounts of(GroupExecutor executor, String group) {
        return executor.groupStats(group).orElseThrow().counts();
    }

    private static TaskOptions options(UnaryOperator<TaskOptions.Builder> settings) {
        return settings.apply(TaskOptions.builder()).build();
    }

    private static Object fail() throws Exception {
        throw new Exception("on purpose");
    }

    /** Submits one task for each outcome to the group {@code key}, whose limit is 1 and whose queue threshold is 1. */
    private static void everyEnd(GroupExecutor executor, String key) {
        resultOf(executor.submit(key, "succeeds", () -> "ran"));
        resultOf(executor.submit(key, "fails", ExecutorStatsTest::fail));
        resultOf(executor.submit(
                key, "tries thrice", ExecutorStatsTest::fail, options(b -> b.retry(RetryPolicy.attempts(3)))));
        BlockingTask late = BlockingTask.interruptible();
        resultOf(executor.submit(key, "times out", late, options(b -> b.timeout(Duration.ofMillis(1)))));
        eventually(() -> assertThat(executor.stats().totalActiveCount()).isZero());
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> blocked = executor.submit(key, "blocker", blocker);
        await(blocker.started);
        TaskHandle<String> waiting = executor.submit(key, "cancelled", () -> "ran");
        assertThat(waiting.cancel(true)).isTrue();
        resultOf(executor.submit(key, "expires", () -> "ran", options(b -> b.maxQueueTime(Duration.ofMillis(1)))));
        TaskHandle<String> fills = executor.submit(key, "fills the queue", () -> "ran");
        resultOf(executor.submit(key, "no room", () -> "ran"));
        executor.pauseGroup(key);
        resultOf(executor.submit(key, "paused", () -> "ran"));
        executor.resumeGroup(key);
        blocker.release();
        resultOf(blocked); // its permit is released before its outcome is counted
        resultOf(fills);
        eventually(() -> assertThat(executor.stats().totalActiveCount()).isZero());
    }

    private static final TaskCounts EVERY_END = new TaskCounts(
            10,
            3,
            3,
            1,
            1,
            2,
            Map.of(RejectionReason.EXPIRED, 1L, RejectionReason.GROUP_QUEUE_FULL, 1L, RejectionReason.PAUSED, 1L));

    @Test
    void everyOutcomeIsCountedOnceInItsGroupAndInTheTotal() {
        try (GroupExecutor executor =
                executor(b -> b.defaultQueueThresholdPerGroup(1).rejectionPolicy(RejectionPolicy.DISCARD))) {
            everyEnd(executor, "a");
            assertThat(of(executor, "a")).isEqualTo(EVERY_END);
            assertThat(executor.stats().counts()).isEqualTo(EVERY_END);
            everyEnd(executor, "b");
            assertThat(of(executor, "b")).isEqualTo(EVERY_END);
            assertThat(of(executor, "a")).isEqualTo(EVERY_END);
            assertThat(executor.stats().counts()).isEqualTo(EVERY_END.plus(EVERY_END));
        }
    }

    @Test
    void totalsKeepTheCountsOfRetiredGroups() {
        try (GroupExecutor executor = executor(b -> b.defaultQueueThresholdPerGroup(1)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .idleGroupTtl(Duration.ZERO))) {
            everyEnd(executor, "a");
            everyEnd(executor, "b");
            eventually(() -> assertThat(executor.activeGroupKeys()).isEmpty());
            assertThat(executor.stats().counts()).isEqualTo(EVERY_END.plus(EVERY_END));
            executor.shutdown();
            assertThat(executor.stats().counts()).isEqualTo(EVERY_END.plus(EVERY_END));
        }
    }

    @Test
    void totalsKeepTheTimesOfRetiredGroups() {
        try (GroupExecutor executor = executor(b -> b.recordTimes(true).idleGroupTtl(Duration.ZERO))) {
            for (int i = 0; i < 50; i++) {
                resultOf(executor.submit("g" + i % 5, "t", () -> "ran"));
            }
            eventually(() -> assertThat(executor.activeGroupKeys()).isEmpty());
            assertThat(executor.stats().waitingTime().count()).isEqualTo(50);
            assertThat(executor.stats().runningTime().count()).isEqualTo(50);
        }
    }

    @Test
    void evictedGroupStartsAtZeroAndTheTotalsContinue() {
        try (GroupExecutor executor = executor(b -> b)) {
            resultOf(executor.submit("g", "t", () -> "ran"));
            executor.evictGroup("g");
            resultOf(executor.submit("g", "t", () -> "ran"));
            assertThat(of(executor, "g").succeeded()).isEqualTo(1);
            assertThat(executor.stats().counts().succeeded()).isEqualTo(2);
        }
    }

    @Test
    void tasksStoppedByShutdownCountAsCancelled() {
        GroupExecutor executor = executor(b -> b);
        BlockingTask.in(executor, "g");
        executor.submit("g", "waits", () -> "ran");
        executor.shutdown();
        assertThat(executor.stats().counts()).isEqualTo(new TaskCounts(2, 0, 0, 2, 0, 0, Map.of()));
    }

    // ---- the oldest queued task -------------------------------------------------------------------------------------

    @Test
    void oldestWaitingIsTheTimeOfTheOldestQueuedTaskOrZero() {
        try (GroupExecutor executor = executor(b -> b)) {
            assertThat(executor.stats().oldestWaiting()).isZero();
            BlockingTask blocker = BlockingTask.in(executor, "g");
            assertThat(executor.groupStats("g").orElseThrow().oldestWaiting()).isZero();
            long before = System.nanoTime();
            TaskHandle<String> first = executor.submit("g", "first", () -> "ran");
            eventually(() -> assertThat(executor.stats().oldestWaiting()).isPositive());
            TaskHandle<String> second = executor.submit("g", "second", () -> "ran", options(b -> b.priority(9)));
            Duration seen = executor.groupStats("g").orElseThrow().oldestWaiting();
            assertThat(seen).isPositive().isLessThanOrEqualTo(Duration.ofNanos(System.nanoTime() - before));
            assertThat(executor.groupStats("g").orElseThrow().oldestWaiting()).isGreaterThanOrEqualTo(seen);
            blocker.release();
            resultOf(first);
            resultOf(second);
            assertThat(executor.groupStats("g").orElseThrow().oldestWaiting()).isZero();
            assertThat(executor.stats().oldestWaiting()).isZero();
        }
    }

    @Test
    void cancelledTaskIsNotTheOldestQueuedTask() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask.in(executor, "g");
            TaskHandle<String> first = executor.submit("g", "first", () -> "ran");
            eventually(() -> assertThat(executor.stats().oldestWaiting()).isPositive());
            first.cancel(false);
            assertThat(executor.stats().oldestWaiting()).isZero();
        }
    }

    // ---- times ---------------------------------------------------------------------------------------------------

    @Test
    void timesAreRecordedIfEnabled() {
        try (GroupExecutor executor = executor(b -> b.recordTimes(true))) {
            BlockingTask blocker = BlockingTask.interruptible();
            TaskHandle<String> runs = executor.submit("g", "runs", blocker);
            await(blocker.started);
            TaskHandle<String> waits = executor.submit("g", "waits", () -> "ran");
            eventually(() -> assertThat(executor.stats().oldestWaiting()).isPositive());
            Duration waitedAtLeast = executor.stats().oldestWaiting();
            blocker.release();
            resultOf(runs);
            resultOf(waits);
            GroupStats stats = executor.groupStats("g").orElseThrow();
            assertThat(stats.waitingTime().count()).isEqualTo(2);
            assertThat(stats.waitingTime().max()).isGreaterThanOrEqualTo(waitedAtLeast);
            assertThat(stats.waitingTime().p50())
                    .as("one was not queued")
                    .isLessThan(stats.waitingTime().max());
            assertThat(stats.runningTime().count()).isEqualTo(2);
            assertThat(stats.runningTime().max()).isGreaterThanOrEqualTo(waitedAtLeast);
            resultOf(executor.submit("h", "t", () -> "ran"));
            assertThat(executor.stats().waitingTime().count()).isEqualTo(3);
            assertThat(executor.stats().waitingTime().max())
                    .isEqualTo(stats.waitingTime().max());
            assertThat(executor.stats().runningTime().count()).isEqualTo(3);
        }
    }

    @Test
    void tasksThatNeverStartedHaveNoTimes() {
        try (GroupExecutor executor = executor(b -> b.recordTimes(true))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            executor.submit("g", "cancelled", () -> "ran").cancel(true);
            blocker.release();
            eventually(() -> assertThat(executor.stats().runningTime().count()).isEqualTo(1));
            assertThat(executor.stats().waitingTime().count()).isEqualTo(1);
        }
    }

    @Test
    void timesAreNotRecordedByDefault() {
        try (GroupExecutor executor = executor(b -> b)) {
            resultOf(executor.submit("g", "t", () -> "ran"));
            GroupStats stats = executor.groupStats("g").orElseThrow();
            assertThat(stats.waitingTime()).isEqualTo(TimeStats.none());
            assertThat(stats.runningTime()).isEqualTo(TimeStats.none());
            assertThat(executor.stats().waitingTime()).isEqualTo(TimeStats.none());
            assertThat(executor.stats().runningTime()).isEqualTo(TimeStats.none());
        }
    }

    // ---- an outcome is counted before it is visible -----------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", FOREVER})
    void outcomeIsCountedBeforeTheHandleIsDone(Duration idleGroupTtl) {
        try (GroupExecutor executor = executor(b -> b.idleGroupTtl(idleGroupTtl))) {
            for (int i = 1; i <= 10_000; i++) {
                TaskHandle<String> handle = executor.submit("g", "t", () -> "ran");
                while (!handle.isDone()) {
                    TestKit.yieldToOthers();
                }
                assertThat(executor.stats().counts().succeeded()).isEqualTo(i);
                assertThat(executor.stats().counts().submitted()).isEqualTo(i);
            }
        }
    }

    @Test
    void cancellationIsCountedWhenCancelReturns() {
        try (GroupExecutor executor = executor(b -> b)) {
            for (int i = 1; i <= 3000; i++) {
                TaskHandle<String> handle = executor.submit("g", "t", () -> "ran");
                handle.cancel(true);
                assertThat(handle.isDone()).isTrue();
                TaskStatus status = handle.join().status();
                TaskCounts counts = of(executor, "g");
                assertThat(status == TaskStatus.CANCELLED ? counts.cancelled() : counts.succeeded())
                        .isPositive();
                assertThat(counts.succeeded() + counts.cancelled()).isBetween((long) i, i + 1L);
                while (counts.succeeded() + counts.cancelled() != i) {
                    TestKit.yieldToOthers(); // until the late outcome is uncounted, or there would be two
                    counts = of(executor, "g");
                }
            }
            eventually(() -> assertThat(executor.stats().totalActiveCount()).isZero());
            TaskCounts counts = of(executor, "g");
            assertThat(counts.succeeded() + counts.cancelled())
                    .as("no outcome was counted twice")
                    .isEqualTo(3000);
        }
    }

    /** Groups are created and retired all the time, and their counts move to the totals. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void totalsAreExactWhileGroupsAreCreatedAndRetired(int groupLimit) throws Exception {
        int threads = 4;
        int each = 2500;
        AtomicInteger seenDone = new AtomicInteger();
        AtomicInteger begun = new AtomicInteger();
        AtomicBoolean stop = new AtomicBoolean();
        try (GroupExecutor executor = executor(b ->
                b.defaultMaxConcurrencyPerGroup(groupLimit).recordTimes(true).idleGroupTtl(Duration.ZERO))) {
            List<Caller<Integer>> callers = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                String group = "g" + t % 2;
                callers.add(Caller.of(() -> {
                    for (int i = 0; i < each; i++) {
                        begun.incrementAndGet();
                        resultOf(executor.submit(group, "t", () -> "ran"));
                        seenDone.incrementAndGet();
                    }
                    return each;
                }));
            }
            Caller<Integer> looker = Caller.of(() -> {
                int looks = 0;
                while (!stop.get()) {
                    int doneBefore = seenDone.get();
                    GroupExecutorStats stats = executor.stats();
                    int begunAfter = begun.get();
                    assertThat(stats.counts().succeeded()).isBetween((long) doneBefore, (long) begunAfter);
                    assertThat(stats.counts().submitted()).isBetween((long) doneBefore, (long) begunAfter);
                    assertThat(stats.runningTime().count()).isBetween((long) doneBefore, (long) begunAfter);
                    looks++;
                }
                return looks;
            });
            for (Caller<Integer> caller : callers) {
                caller.result();
            }
            stop.set(true);
            assertThat(looker.result()).isPositive();
            assertThat(executor.stats().counts())
                    .isEqualTo(new TaskCounts(threads * each, threads * each, 0, 0, 0, 0, Map.of()));
        }
    }

    // ---- text ----------------------------------------------------------------------------------------------------

    @Test
    void toStringIsOneLineOfStatistics() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(10)
                .defaultQueueThresholdPerGroup(1)
                .perGroupWeight(Map.of("g", 3))
                .rejectionPolicy(RejectionPolicy.DISCARD))) {
            BlockingTask.in(executor, "g");
            executor.submit("g", "waits", () -> "ran");
            executor.submit("g", "rejected", () -> "ran");
            assertThat(executor.toString())
                    .matches("GroupExecutor '[^']+'\\[1 group: 1/10 active, 1 queued \\(oldest [^)]+\\)"
                            + " \\| 3 submitted, 1 rejected \\(1 group queue full\\)]");
            assertThat(executor.groupStats("g").orElseThrow().toString())
                    .matches("group 'g': 1/1 active \\(oldest [^)]+\\), 1/1 queued \\(oldest [^)]+\\), weight 3"
                            + " \\| 3 submitted, 1 rejected \\(1 group queue full\\)");
            executor.shutdown();
            assertThat(executor.toString())
                    .isEqualTo("GroupExecutor '" + executor.name() + "'[shut down | 0 groups: 0/10 active, 0 queued"
                            + " | 3 submitted, 2 cancelled, 1 rejected (1 group queue full)]");
        }
    }
}
