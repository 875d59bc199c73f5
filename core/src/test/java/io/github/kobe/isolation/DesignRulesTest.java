package io.github.kobe.isolation;

import static io.github.kobe.isolation.IsolationKit.await;
import static io.github.kobe.isolation.IsolationKit.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.isolation.IsolationKit.BlockingTask;
import io.github.kobe.isolation.IsolationKit.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The twelve rules of the design that the isolation face implements, one by one. */
class DesignRulesTest {

    private final Clock clock = new Clock();

    /** Runs one task of that length until it completes. */
    private Lane run(IsolationExecutor executor, String key, Duration length) throws InterruptedException {
        BlockingTask blocker = new BlockingTask();
        TaskHandle<Lane> handle = executor.submit(key, blocker);
        await(blocker.started);
        clock.advance(length);
        blocker.release();
        return handle.await().value();
    }

    private static List<BlockingTask> blockers(IsolationExecutor executor, String key, int number) {
        List<BlockingTask> blockers = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            blockers.add(BlockingTask.in(executor, key));
        }
        return blockers;
    }

    @Test
    void rule01UnknownKeyIsFast() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(4))) {
            assertThat(executor.submit("new", IsolationExecutor::currentLane)
                            .await()
                            .value())
                    .isEqualTo(Lane.FAST);
        }
    }

    @Test
    void rule02KeyIsFastOrSlowByMeasuredTime() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(4))) {
            run(executor, "slow", Duration.ofMillis(1000));
            run(executor, "fast", Duration.ofMillis(999));
            assertThat(run(executor, "slow", Duration.ZERO)).isEqualTo(Lane.SLOW);
            assertThat(run(executor, "fast", Duration.ZERO)).isEqualTo(Lane.FAST);
            assertThat(executor.stats("slow").orElseThrow().lane()).isEqualTo(Lane.SLOW);
            assertThat(executor.stats("fast").orElseThrow().lane()).isEqualTo(Lane.FAST);
        }
    }

    @Test
    void rule02CountsTheAgeOfRunningTasks() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(4))) {
            run(executor, "hung", Duration.ofMillis(10));
            BlockingTask.in(executor, "hung");
            clock.advance(Duration.ofSeconds(3));
            assertThat(executor.stats("hung").orElseThrow().lane()).isEqualTo(Lane.SLOW);
            assertThat(BlockingTask.in(executor, "hung").lane).isEqualTo(Lane.SLOW);
        }
    }

    @Test
    void rule03And06LateTaskRunsOnAnyIdleCapacityAsBackup() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(1))) {
            BlockingTask first = BlockingTask.in(executor, "a");
            TaskHandle<Lane> late = executor.submit("b", IsolationExecutor::currentLane);
            clock.advance(Duration.ofMillis(301));
            first.release();
            assertThat(late.await().value()).isEqualTo(Lane.FAST_BACKUP);
            BlockingTask second = BlockingTask.in(executor, "a");
            TaskHandle<Lane> inTime = executor.submit("b", IsolationExecutor::currentLane);
            clock.advance(Duration.ofMillis(299));
            second.release();
            assertThat(inTime.await().value()).isEqualTo(Lane.FAST);
        }
    }

    @Test
    void rule04FullLaneOverflowsToItsBackupThenToIsolation() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(10))) {
            run(executor, "first", Duration.ofMillis(10));
            List<BlockingTask> first = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                first.add(BlockingTask.in(executor, "key" + i));
            }
            assertThat(first).as("while no task is queued").allMatch(blocker -> blocker.lane == Lane.FAST);
            List<BlockingTask> waiting = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                BlockingTask blocker = new BlockingTask();
                waiting.add(blocker);
                executor.submit("other" + i, blocker);
            }
            for (int i = 0; i < 10; i++) {
                first.get(i).release();
                int more = i + 1;
                eventually(() ->
                        assertThat(waiting).filteredOn(BlockingTask::hasStarted).hasSize(more));
            }
            assertThat(waiting)
                    .filteredOn(BlockingTask::hasStarted)
                    .as("ten other tasks still ran when the first of these started")
                    .extracting(blocker -> blocker.lane)
                    .containsOnly(Lane.FAST, Lane.FAST_BACKUP, Lane.ISOLATION)
                    .contains(Lane.FAST, Lane.FAST_BACKUP, Lane.ISOLATION);
        }
    }

    @Test
    void rule05KeyWhoseClassChangedMovesWithItsQueuedTasks() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(1))) {
            run(executor, "key", Duration.ofMillis(10));
            BlockingTask slow = BlockingTask.in(executor, "key");
            TaskHandle<Lane> queued = executor.submit("key", IsolationExecutor::currentLane);
            clock.advance(Duration.ofSeconds(20));
            slow.release();
            assertThat(slow.lane).isEqualTo(Lane.FAST);
            assertThat(queued.await().value()).as("it was late, too").isEqualTo(Lane.SLOW_BACKUP);
            assertThat(executor.stats().decisions())
                    .filteredOn(Decision.LaneChange.class::isInstance)
                    .singleElement()
                    .isEqualTo(new Decision.LaneChange(Duration.ofMillis(1250), "key", Lane.FAST, Lane.SLOW));
        }
    }

    /**
     * Three other keys, because a key is out of the queue for the moment in which a thread starts its task: with two processors, one of the three
     * is always in the queue, also if the threads that start tasks of the others are delayed.
     */
    @Test
    void rule07And08KeyPastItsLimitIsMovedToBackupThenToIsolation() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(50))) {
            run(executor, "filler", Duration.ofMillis(10));
            List<BlockingTask> fill = blockers(executor, "filler", 50);
            List<BlockingTask> greedy = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                greedy.add(new BlockingTask());
                executor.submit("greedy", greedy.get(i));
                for (int other = 0; other < 3; other++) {
                    executor.submit("other" + other, new BlockingTask());
                }
            }
            fill.forEach(BlockingTask::release);
            eventually(() -> assertThat(startedOf(greedy)).isGreaterThan(6));
            assertThat(greedy)
                    .filteredOn(BlockingTask::hasStarted)
                    .extracting(blocker -> blocker.lane)
                    .as(
                            "while others are queued, a key may have three permits of a lane of ten, and three of its backup")
                    .contains(Lane.ISOLATION);
        }
    }

    private static long startedOf(List<BlockingTask> tasks) {
        return tasks.stream().filter(BlockingTask::hasStarted).count();
    }

    @Test
    void rule07KeyAloneIsNotMoved() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(10))) {
            run(executor, "alone", Duration.ofMillis(10));
            assertThat(blockers(executor, "alone", 10)).allMatch(blocker -> blocker.lane == Lane.FAST);
        }
    }

    @Test
    void rule09WhiteListedKeysHaveTheirOwnCapacityAndOverflowToIsolation() {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(10).whiteList(Set.of("vip")))) {
            List<BlockingTask> blockers = blockers(executor, "vip", 5);
            assertThat(blockers)
                    .extracting(blocker -> blocker.lane)
                    .containsExactly(Lane.WHITE_LIST, Lane.WHITE_LIST, Lane.WHITE_LIST, Lane.ISOLATION, Lane.ISOLATION);
        }
    }

    @Test
    void rule09WhiteListedKeyGoesFirstHoweverSlowItIs() throws Exception {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).whiteList(Set.of("vip")))) {
            run(executor, "vip", Duration.ofSeconds(9));
            run(executor, "fast", Duration.ofMillis(1));
            BlockingTask blocker = BlockingTask.in(executor, "filler");
            Queue<String> order = new ConcurrentLinkedQueue<>();
            CountDownLatch both = new CountDownLatch(2);
            for (String key : List.of("fast", "vip")) {
                executor.execute(key, () -> {
                    order.add(key);
                    both.countDown();
                });
            }
            blocker.release();
            await(both);
            assertThat(order).containsExactly("vip", "fast");
            assertThat(executor.stats().lane(Lane.WHITE_LIST).started()).isEqualTo(2);
        }
    }

    @Test
    void rule10TaskThatDoesNotFitGoesToTheFallbackRejected() throws Exception {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).queueCapacity(2))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            executor.submit("a", () -> 1);
            executor.submit("b", () -> 1);
            Queue<String> discarded = new ConcurrentLinkedQueue<>();
            TaskHandle<Integer> third =
                    executor.submit("c", () -> 1, (key, reason) -> discarded.add(key + " " + reason));
            GroupResult<Integer> result = third.await();
            assertThat(result.status()).isEqualTo(TaskStatus.REJECTED);
            assertThat(result.rejection().reason()).isEqualTo(RejectionReason.GLOBAL_QUEUE_FULL);
            eventually(() -> assertThat(discarded).containsExactly("c REJECTED"));
            blocker.release();
        }
    }

    @Test
    void rule10KeyThatFillsTheQueueDoesNotKeepOthersOut() throws Exception {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).queueCapacity(10))) {
            BlockingTask blocker = BlockingTask.in(executor, "flood");
            Queue<String> discarded = new ConcurrentLinkedQueue<>();
            for (int i = 0; i < 20; i++) {
                executor.submit("flood", () -> 1, (key, reason) -> discarded.add(key + " " + reason));
            }
            TaskHandle<Integer> other =
                    executor.submit("other", () -> 2, (key, reason) -> discarded.add(key + " " + reason));
            eventually(() -> assertThat(discarded).hasSize(11).containsOnly("flood REJECTED"));
            blocker.release();
            assertThat(other.await().value()).isEqualTo(2);
        }
    }

    @Test
    void rule11TaskQueuedPastTheExpiryGoesToTheFallbackExpired() throws Exception {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).taskExpiry(Duration.ofSeconds(2)))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            Queue<String> discarded = new ConcurrentLinkedQueue<>();
            TaskHandle<Integer> late =
                    executor.submit("b", () -> 1, (key, reason) -> discarded.add(key + " " + reason));
            clock.advance(Duration.ofMillis(1999));
            assertThat(late.isDone()).isFalse();
            clock.advance(Duration.ofMillis(1));
            assertThat(late.await().status()).isEqualTo(TaskStatus.REJECTED);
            eventually(() -> assertThat(discarded).containsExactly("b EXPIRED"));
            blocker.release();
        }
    }

    @Test
    void rule12FallbackThatBlocksOrThrowsDelaysNoTask() throws Exception {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).queueCapacity(0))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            CountDownLatch inside = new CountDownLatch(2);
            CountDownLatch never = new CountDownLatch(1);
            executor.submit("b", () -> 1, (key, reason) -> {
                inside.countDown();
                IsolationKit.awaitQuietly(never);
            });
            executor.submit("b", () -> 1, (key, reason) -> {
                inside.countDown();
                throw new IllegalStateException("thrown by the fallback");
            });
            await(inside);
            blocker.release();
            eventually(() -> assertThat(executor.stats().running()).isZero());
            assertThat(executor.submit("b", () -> 2).await().value()).isEqualTo(2);
            eventually(() -> assertThat(executor.toString()).contains("1 faults"));
        }
    }
}
