package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does a paused group start no task until it is resumed? */
@Timeout(60)
class PauseTest {

    private static final int NO_LIMIT = Integer.MAX_VALUE;

    private static boolean isPaused(GroupExecutor executor, String group) {
        return executor.groupStats(group).orElseThrow().paused();
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 5})
    void runningTasksContinueAndNoTaskStartsUntilResume(int globalLimit) {
        try (GroupExecutor executor =
                executor(b -> b.defaultMaxConcurrencyPerGroup(2).globalMaxInFlight(globalLimit))) {
            BlockingTask running = BlockingTask.interruptible();
            TaskHandle<String> before = executor.submit("g", "before", running);
            await(running.started);
            executor.pauseGroup("g");
            BlockingTask waiting = BlockingTask.interruptible();
            TaskHandle<String> meanwhile = executor.submit("g", "meanwhile", waiting);
            running.release();
            assertThat(resultOf(before).value()).isEqualTo("released");
            assertThat(running.wasInterrupted()).isFalse();
            letOthersRun();
            assertThat(waiting.hasStarted()).isFalse();
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(1, 0, 1, 0, globalLimit));
            executor.resumeGroup("g");
            await(waiting.started); // without another submit
            waiting.release();
            assertThat(resultOf(meanwhile).value()).isEqualTo("released");
        }
    }

    @Test
    void resumeStartsQueuedTasksInOrderUpToTheLimit() {
        List<String> order = new ArrayList<>(); // one at a time
        try (GroupExecutor executor = executor(b -> b)) {
            executor.pauseGroup("g");
            List<TaskHandle<Boolean>> handles = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                String name = "t" + i;
                handles.add(executor.submit("g", name, () -> order.add(name)));
            }
            executor.resumeGroup("g");
            assertThat(handles)
                    .allSatisfy(h -> assertThat(resultOf(h).isSuccess()).isTrue());
        }
        List<String> submitted = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            submitted.add("t" + i);
        }
        assertThat(order).isEqualTo(submitted);
    }

    @Test
    void limitSetDuringAPauseAppliesAfterResume() {
        try (GroupExecutor executor = executor(b -> b)) {
            executor.pauseGroup("g");
            List<BlockingTask> blockers =
                    List.of(BlockingTask.interruptible(), BlockingTask.interruptible(), BlockingTask.interruptible());
            blockers.forEach(blocker -> executor.submit("g", "t", blocker));
            executor.setMaxConcurrency("g", 2);
            letOthersRun();
            assertThat(blockers).noneMatch(BlockingTask::hasStarted);
            assertThat(executor.groupStats("g").orElseThrow().limit()).isEqualTo(2);
            executor.resumeGroup("g");
            await(blockers.get(0).started);
            await(blockers.get(1).started);
            letOthersRun();
            assertThat(blockers.get(2).hasStarted()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT1M"})
    void taskIsRejectedAsPausedIfTheQueueIsFull(Duration idleGroupTtl) {
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(3)
                .defaultQueueThresholdPerGroup(0)
                .idleGroupTtl(idleGroupTtl))) {
            executor.pauseGroup("g");
            TaskHandle<String> rejected = executor.submit("g", "t", () -> "ran");
            RejectedTaskException e = catchThrowableOfType(RejectedTaskException.class, rejected::await);
            assertThat(TestKit.withoutEstimate(e.rejection()))
                    .isEqualTo(new Rejection(RejectionReason.PAUSED, 0, 0, 3, 0, Duration.ZERO));
            assertThat(executor.stats().counts().rejectedByReason())
                    .containsOnly(Map.entry(RejectionReason.PAUSED, 1L));
        }
    }

    @Test
    void tasksAreQueuedUpToTheThreshold() {
        try (GroupExecutor executor =
                executor(b -> b.defaultMaxConcurrencyPerGroup(3).defaultQueueThresholdPerGroup(2))) {
            BlockingTask.in(executor, "g");
            executor.pauseGroup("g");
            executor.submit("g", "one", () -> "ran");
            executor.submit("g", "two", () -> "ran");
            TaskHandle<String> rejected = executor.submit("g", "three", () -> "ran");
            RejectedTaskException e = catchThrowableOfType(RejectedTaskException.class, rejected::await);
            assertThat(TestKit.withoutEstimate(e.rejection()))
                    .isEqualTo(new Rejection(RejectionReason.PAUSED, 1, 2, 3, 2, Duration.ZERO));
        }
    }

    @Test
    void pauseOutlastsRetirementEvictGroupAndShutdownGroup() {
        try (GroupExecutor executor = executor(b -> b.idleGroupTtl(Duration.ZERO))) {
            resultOf(executor.submit("g", "t", () -> "ran"));
            eventually(() -> assertThat(executor.activeGroupKeys()).isEmpty());
            executor.pauseGroup("g");
            TaskHandle<String> first = executor.submit("g", "first", () -> "ran");
            assertThat(isPaused(executor, "g")).isTrue();
            assertThat(first.cancel(true)).isTrue();
            assertThat(executor.activeGroupKeys()).as("the group is idle").isEmpty();
            executor.submit("g", "second", () -> "ran");
            executor.evictGroup("g");
            TaskHandle<String> third = executor.submit("g", "third", () -> "ran");
            assertThat(isPaused(executor, "g")).isTrue();
            executor.shutdownGroup("g");
            assertThat(resultOf(third).status()).isEqualTo(TaskStatus.CANCELLED);
            TaskHandle<String> fourth = executor.submit("g", "fourth", () -> "ran");
            letOthersRun();
            assertThat(fourth.isDone()).isFalse();
            executor.resumeGroup("g");
            assertThat(resultOf(fourth).value()).isEqualTo("ran");
        }
    }

    @Test
    void unknownGroupCanBePaused() {
        try (GroupExecutor executor = executor(b -> b)) {
            executor.pauseGroup("g");
            assertThat(executor.activeGroupKeys()).isEmpty();
            TaskHandle<String> handle = executor.submit("g", "t", () -> "ran");
            letOthersRun();
            assertThat(handle.isDone()).isFalse();
            assertThat(isPaused(executor, "g")).isTrue();
            executor.resumeGroup("g");
            assertThat(resultOf(handle).value()).isEqualTo("ran");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 1})
    void otherGroupsAreNotAffected(int globalLimit) {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(globalLimit))) {
            executor.pauseGroup("g");
            executor.submit("g", "t", () -> "ran");
            for (int i = 0; i < 10; i++) {
                assertThat(resultOf(executor.submit("other", "t", () -> "ran")).value())
                        .isEqualTo("ran");
            }
            assertThat(isPaused(executor, "other")).isFalse();
        }
    }

    @Test
    void statisticsShowThePause() {
        try (GroupExecutor executor = executor(b -> b.perGroupMaxConcurrency(Map.of("g", 4)))) {
            BlockingTask.in(executor, "g");
            BlockingTask.in(executor, "other");
            assertThat(executor.stats().pausedGroupCount()).isZero();
            executor.pauseGroup("g");
            GroupStats stats = executor.groupStats("g").orElseThrow();
            assertThat(stats.paused()).isTrue();
            assertThat(stats.activeCount()).isEqualTo(1);
            assertThat(stats.limit()).as("the limit after resume").isEqualTo(4);
            assertThat(stats.toString()).contains("1/4 active").contains(", paused");
            assertThat(executor.stats().pausedGroupCount()).isEqualTo(1);
            assertThat(executor.stats().toString()).startsWith("2 groups (1 paused): 2 active");
            executor.resumeGroup("g");
            assertThat(isPaused(executor, "g")).isFalse();
            assertThat(executor.stats().pausedGroupCount()).isZero();
            assertThat(executor.groupStats("g").orElseThrow().activeCount()).isEqualTo(1);
        }
    }

    @Test
    void pausingTwiceIsTheSameAsOnce() {
        try (GroupExecutor executor = executor(b -> b)) {
            executor.pauseGroup("g");
            executor.pauseGroup("g");
            TaskHandle<String> handle = executor.submit("g", "t", () -> "ran");
            executor.resumeGroup("g");
            assertThat(resultOf(handle).value()).isEqualTo("ran");
            executor.resumeGroup("g");
            BlockingTask.in(executor, "g");
            TaskHandle<String> behind = executor.submit("g", "t", () -> "ran");
            executor.resumeGroup("g");
            letOthersRun();
            assertThat(behind.isDone())
                    .as("resuming a group that is not paused adds no permit")
                    .isFalse();
        }
    }

    @Test
    void drainStopsQueuedTasksAtItsTimeout() {
        GroupExecutor executor = executor(b -> b);
        executor.pauseGroup("g");
        TaskHandle<String> waiting = executor.submit("g", "t", () -> "ran");
        assertThat(executor.shutdown(Duration.ofMillis(20))).isFalse();
        assertThat(waiting.isDone()).isTrue();
        assertThat(resultOf(waiting).status()).isEqualTo(TaskStatus.CANCELLED);
        executor.resumeGroup("g");
        assertThat(resultOf(waiting).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void groupCanBeResumedDuringADrain() throws Exception {
        GroupExecutor executor = executor(b -> b);
        executor.pauseGroup("g");
        TaskHandle<String> waiting = executor.submit("g", "t", () -> "ran");
        Caller<Boolean> drain = Caller.of(() -> executor.shutdown(TestKit.PATIENCE));
        drain.awaitWaiting();
        executor.resumeGroup("g");
        assertThat(drain.result()).isTrue();
        assertThat(resultOf(waiting).value()).isEqualTo("ran");
    }

    @Test
    void queuedTaskOfAPausedGroupCanBeCancelled() {
        try (GroupExecutor executor = executor(b -> b.defaultQueueThresholdPerGroup(1))) {
            executor.pauseGroup("g");
            TaskHandle<String> waiting = executor.submit("g", "t", () -> "ran");
            assertThat(waiting.cancel(false)).isTrue();
            TaskHandle<String> next = executor.submit("g", "next", () -> "ran");
            executor.resumeGroup("g");
            assertThat(resultOf(next).value()).isEqualTo("ran");
        }
    }

    @Test
    void nullKeyThrows() {
        try (GroupExecutor executor = executor(b -> b)) {
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.pauseGroup(null))
                    .withMessage("groupKey");
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.resumeGroup(null))
                    .withMessage("groupKey");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 3})
    void repeatedPauseAndResumeLosesNoTask(int globalLimit) throws Throwable {
        AtomicInteger ran = new AtomicInteger();
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(2)
                .globalMaxInFlight(globalLimit)
                .idleGroupTtl(Duration.ZERO))) {
            List<TaskHandle<Integer>> handles = new ArrayList<>();
            Runnable pauseAndResume = () -> {
                for (String group : List.of("a", "b")) {
                    executor.pauseGroup(group);
                    TestKit.yieldToOthers();
                    executor.resumeGroup(group);
                }
            };
            TestKit.whileRepeating(pauseAndResume, () -> {
                for (int i = 0; i < 4000; i++) {
                    handles.add(executor.submit(i % 2 == 0 ? "a" : "b", "t" + i, ran::incrementAndGet));
                }
            });
            assertThat(handles)
                    .allSatisfy(h -> assertThat(resultOf(h).isSuccess()).isTrue());
            assertThat(ran).hasValue(4000);
            eventually(
                    () -> assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(0, 0, 0, 0, globalLimit)));
        }
    }

    @Test
    void noTaskStartsAfterPauseReturned() {
        AtomicInteger started = new AtomicInteger();
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(4))) {
            List<TaskHandle<Integer>> handles = new ArrayList<>();
            for (int round = 0; round < 200; round++) {
                for (int i = 0; i < 20; i++) {
                    handles.add(executor.submit("g", "t", started::incrementAndGet));
                }
                executor.pauseGroup("g");
                eventually(
                        () -> assertThat(executor.groupStats("g").orElseThrow().activeCount())
                                .isZero());
                int atRest = started.get();
                int queued = executor.groupStats("g").orElseThrow().queuedCount();
                handles.add(executor.submit("g", "t", started::incrementAndGet));
                TestKit.yieldToOthers();
                assertThat(started).hasValue(atRest);
                assertThat(executor.groupStats("g").orElseThrow().queuedCount()).isEqualTo(queued + 1);
                executor.resumeGroup("g");
            }
            assertThat(handles)
                    .allSatisfy(h -> assertThat(resultOf(h).isSuccess()).isTrue());
        }
    }
}
