package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.ObservedTimer;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do the times of past and running tasks give an honest estimate of the wait, at a constant cost? */
@Timeout(60)
class EstimatedWaitTest {

    private final FakeTimer timer = new FakeTimer();

    private GroupExecutor executor(UnaryOperator<GroupPolicy.Builder> settings) {
        timer.advance(1); // 0 means "not started"
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(2)
                .defaultQueueThresholdPerGroup(3)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .idleGroupTtl(Duration.ofDays(1));
        return SimGroups.of(settings.apply(policy).build(), TaskRunner.freshVirtualThreads(), timer);
    }

    private void advanceMillis(long millis) {
        timer.advance(Duration.ofMillis(millis).toNanos());
    }

    /** Runs a task that takes so long. */
    private void run(GroupExecutor executor, String group, long millis) {
        BlockingTask task = BlockingTask.interruptible();
        TaskHandle<String> handle = executor.submit(group, "t", task);
        await(task.started);
        advanceMillis(millis);
        task.release();
        resultOf(handle);
    }

    private static void queue(GroupExecutor executor, String group, int tasks) {
        for (int i = 0; i < tasks; i++) {
            executor.submit(group, "queued", () -> "ran");
        }
    }

    private static long estimateMillis(GroupExecutor executor, String group) {
        Rejection rejection =
                resultOf(executor.submit(group, "rejected", () -> "ran")).rejection();
        assertThat(rejection).isNotNull();
        return rejection.estimatedWait().toMillis();
    }

    @Test
    void estimateIsUnknownBeforeATaskHasRun() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask.in(executor, "g");
            BlockingTask.in(executor, "g");
            queue(executor, "g", 3);
            assertThat(estimateMillis(executor, "g")).isZero();
        }
    }

    @Test
    void estimateIsTheQueueDividedByTheRate() {
        try (GroupExecutor executor = executor(b -> b)) {
            run(executor, "g", 100);
            BlockingTask.in(executor, "g");
            BlockingTask.in(executor, "g");
            queue(executor, "g", 3);
            assertThat(estimateMillis(executor, "g"))
                    .as("the fourth of two at a time, 100 ms each")
                    .isEqualTo(200);
        }
    }

    @Test
    void tasksThatHangRaiseTheEstimate() {
        try (GroupExecutor executor = executor(b -> b)) {
            run(executor, "g", 100);
            BlockingTask.in(executor, "g");
            BlockingTask.in(executor, "g");
            queue(executor, "g", 3);
            advanceMillis(60_000);
            assertThat(estimateMillis(executor, "g"))
                    .as("each has taken a minute already")
                    .isEqualTo(120_000);
        }
    }

    @Test
    void oneTaskThatHangsLeavesTheOtherPermits() {
        try (GroupExecutor executor = executor(b -> b)) {
            run(executor, "g", 100);
            BlockingTask.in(executor, "g");
            advanceMillis(60_000);
            BlockingTask.in(executor, "g");
            queue(executor, "g", 3);
            assertThat(estimateMillis(executor, "g"))
                    .as("four after each other, on the permit that works")
                    .isBetween(390L, 400L);
        }
    }

    @Test
    void pausedGroupIsEstimatedAsIfItWasResumed() {
        try (GroupExecutor executor = executor(b -> b)) {
            run(executor, "g", 100);
            executor.pauseGroup("g");
            queue(executor, "g", 3);
            assertThat(estimateMillis(executor, "g")).isEqualTo(200);
        }
    }

    @Test
    void globalLimitHasAnEstimateOfItsOwn() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(2).globalQueueThreshold(1))) {
            run(executor, "a", 100);
            BlockingTask.in(executor, "a");
            BlockingTask.in(executor, "b");
            queue(executor, "c", 1);
            assertThat(estimateMillis(executor, "d")).isEqualTo(100);
            advanceMillis(10_000);
            assertThat(estimateMillis(executor, "d"))
                    .as("no task has started for ten seconds")
                    .isEqualTo(10_000);
        }
    }

    @Test
    void timeWithoutAnyTaskDoesNotRaiseTheEstimate() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(2).globalQueueThreshold(1))) {
            run(executor, "a", 100);
            advanceMillis(3_600_000);
            BlockingTask.in(executor, "a");
            BlockingTask.in(executor, "b");
            queue(executor, "c", 1);
            assertThat(estimateMillis(executor, "d")).isEqualTo(100);
        }
    }

    // ---- statistics ----------------------------------------------------------------------------------------------

    @Test
    void statisticsHaveTheTypicalAndTheOldestRun() {
        try (GroupExecutor executor = executor(b -> b)) {
            run(executor, "g", 80);
            run(executor, "g", 160);
            BlockingTask.in(executor, "g");
            advanceMillis(30);
            BlockingTask.in(executor, "g");
            advanceMillis(15);
            GroupStats stats = executor.groupStats("g").orElseThrow();
            assertThat(stats.typicalRun())
                    .as("the last one counts for an eighth")
                    .isEqualTo(Duration.ofMillis(90));
            assertThat(stats.oldestRunning()).isEqualTo(Duration.ofMillis(45));
            assertThat(stats.toString()).contains("2/2 active (oldest 45 ms)");
        }
    }

    @Test
    void callersThatWaitedForTheirPermitCount() throws Exception {
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(1))) {
            Permit first = executor.acquire("g");
            Caller<Permit> second = Caller.of(() -> executor.acquire("g"));
            second.awaitWaiting();
            first.close();
            Permit permit = second.result();
            advanceMillis(70);
            permit.close();
            assertThat(executor.groupStats("g").orElseThrow().typicalRun()).isEqualTo(Duration.ofMillis(70));
        }
    }

    // ---- cost ----------------------------------------------------------------------------------------------------

    @Test
    void rejectionDoesNotReadEveryGroup() throws Exception {
        ObservedTimer counting = new ObservedTimer(timer);
        timer.advance(1);
        GroupPolicy policy = GroupPolicy.builder()
                .globalMaxInFlight(1)
                .globalQueueThreshold(1)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .idleGroupTtl(Duration.ofDays(1))
                .build();
        try (GroupExecutor executor = SimGroups.of(policy, TaskRunner.freshVirtualThreads(), counting)) {
            for (int i = 0; i < 1_000; i++) {
                resultOf(executor.submit("group-" + i, "t", () -> "ran"));
            }
            BlockingTask.in(executor, "running");
            queue(executor, "queued", 1);
            int before = counting.reads(); // a pass over all groups reads the clock for each group
            assertThat(resultOf(executor.submit("g", "rejected", () -> "ran")).status())
                    .isEqualTo(TaskStatus.REJECTED);
            executor.tryAcquire("g", Duration.ZERO);
            assertThat(counting.reads() - before).isLessThan(20);
        }
    }
}
