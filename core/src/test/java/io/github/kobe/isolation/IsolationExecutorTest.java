package io.github.kobe.isolation;

import static io.github.kobe.isolation.IsolationKit.await;
import static io.github.kobe.isolation.IsolationKit.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.TestKit.Log;
import io.github.kobe.isolation.IsolationKit.BlockingTask;
import io.github.kobe.isolation.IsolationKit.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does the executor keep its contract about tasks, limits, statistics and shutdown? */
class IsolationExecutorTest {

    private final Clock clock = new Clock();

    @Test
    void taskReturnsItsValueOrItsException() throws Exception {
        try (IsolationExecutor executor =
                IsolationExecutor.create(IsolationPolicy.builder().build())) {
            assertThat(executor.submit("a", () -> 42).await().value()).isEqualTo(42);
            IllegalStateException thrown = new IllegalStateException("thrown by the task");
            TaskHandle<Object> failing = executor.submit("a", () -> {
                throw thrown;
            });
            assertThat(failing.await().error()).isSameAs(thrown);
            assertThat(failing.groupKey()).isEqualTo("a");
        }
    }

    @Test
    void taskThatExceedsItsTimeoutFailsIsInterruptedAndItsPermitGoesToTheNext() throws Exception {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).taskTimeout(Duration.ofSeconds(2)))) {
            BlockingTask blocker = new BlockingTask();
            TaskHandle<Lane> hanging = executor.submit("a", blocker);
            await(blocker.started);
            TaskHandle<Integer> next = executor.submit("b", () -> 1);
            clock.advance(Duration.ofMillis(1999));
            assertThat(hanging.isDone()).isFalse();
            clock.advance(Duration.ofMillis(1));
            assertThat(hanging.await().error()).isInstanceOf(TaskTimeoutException.class);
            assertThat(next.await().value()).isEqualTo(1);
        }
    }

    @Test
    void currentLaneIsSetOnTheThreadOfTheTaskOnly() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p)) {
            assertThat(IsolationExecutor.currentLane()).isNull();
            AtomicReference<Lane> onOtherThread = new AtomicReference<>(Lane.ISOLATION);
            executor.submit("a", () -> {
                        Thread other =
                                Thread.ofVirtual().start(() -> onOtherThread.set(IsolationExecutor.currentLane()));
                        other.join();
                        return IsolationExecutor.currentLane();
                    })
                    .await();
            assertThat(onOtherThread).hasNullValue();
        }
    }

    @Test
    void queueCapacityCanBeChanged() {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).queueCapacity(0))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            assertThat(executor.queueCapacity()).isZero();
            executor.setQueueCapacity(1);
            assertThat(executor.queueCapacity()).isEqualTo(1);
            executor.execute("b", () -> {});
            assertThatThrownBy(() -> executor.execute("c", () -> {}))
                    .hasMessageContaining("1 queued, global limit 1, queue threshold 1");
            assertThatThrownBy(() -> executor.setQueueCapacity(-1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("queueCapacity must be at least 0, but is -1");
            blocker.release();
        }
    }

    @Test
    void executeThrowsIfTheQueueIsFull() {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).queueCapacity(0))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            assertThatThrownBy(() -> executor.execute("b", () -> {}))
                    .isInstanceOf(RejectedTaskException.class)
                    .hasMessageContaining("global queue full (1 active, 0 queued, global limit 1, queue threshold 0");
        }
    }

    @Test
    void failuresOfExecutedTasksAreLoggedForEachKeyOnceAMinuteAndCountedAsFailed() {
        try (Log log = new Log();
                IsolationExecutor executor = IsolationKit.executor(clock, p -> p)) {
            executeFailing(executor, "a");
            executeFailing(executor, "a");
            executeFailing(executor, "b");
            eventually(() -> assertThat(log.lines("task failed: group 'a'")).hasSize(1));
            eventually(() -> assertThat(log.lines("task failed: group 'b'")).hasSize(1));
            assertThat(executor.stats().counts().failed()).isEqualTo(3);
            clock.advance(Duration.ofMinutes(1));
            eventually(() -> {
                executeFailing(executor, "a");
                assertThat(log.lines("task failed: group 'a'")).hasSize(2);
            });
            assertThat(log.lines("thrown by an executed task")).hasSize(3);
            assertThat(executor.toString()).doesNotContain("faults");
        }
    }

    /** Returns when the failure is counted; it is logged a moment later. */
    private static void executeFailing(IsolationExecutor executor, String key) {
        long failed = executor.stats().counts().failed();
        executor.execute(key, () -> {
            throw new IllegalStateException("thrown by an executed task");
        });
        eventually(() -> assertThat(executor.stats().counts().failed()).isEqualTo(failed + 1));
    }

    @Test
    void executedTaskThatTimesOutIsLoggedAndOneThatIsCancelledIsNot() {
        try (Log log = new Log()) {
            IsolationExecutor executor = IsolationKit.executor(clock, p -> p.taskTimeout(Duration.ofSeconds(2)));
            CountDownLatch hangs = new CountDownLatch(1);
            CountDownLatch started = new CountDownLatch(1);
            CountDownLatch never = new CountDownLatch(1);
            executor.execute("hangs", () -> {
                hangs.countDown();
                IsolationKit.awaitQuietly(never);
            });
            await(hangs); // its timeout counts from now
            clock.advance(Duration.ofSeconds(1));
            executor.execute("cancelled", () -> {
                started.countDown();
                try {
                    never.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException("interrupted", e);
                }
            });
            await(started);
            clock.advance(Duration.ofSeconds(1));
            eventually(() -> assertThat(log.lines("task failed: group 'hangs'")).hasSize(1));
            executor.shutdown();
            eventually(() -> assertThat(executor.stats().running()).isZero());
            assertThat(log.lines("cancelled")).isEmpty();
        }
    }

    @Test
    void fallbackOfAnExecutedTaskIsCalledIfItIsDiscarded() {
        List<DiscardReason> reasons = new CopyOnWriteArrayList<>();
        try (IsolationExecutor executor = IsolationKit.executor(
                clock, p -> p.maxConcurrency(1).queueCapacity(1).taskExpiry(Duration.ofSeconds(1)))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            executor.execute("b", () -> {}, (key, reason) -> reasons.add(reason));
            executor.execute("b", () -> {}, (key, reason) -> reasons.add(reason));
            eventually(() -> assertThat(reasons).containsExactly(DiscardReason.REJECTED));
            clock.advance(Duration.ofSeconds(2));
            eventually(() -> assertThat(reasons).containsExactly(DiscardReason.REJECTED, DiscardReason.EXPIRED));
            blocker.release();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 50})
    void oneKeyAloneGetsTheWholeBudgetAndNoMoreOnceATaskHasCompleted(int budget) {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(budget))) {
            List<BlockingTask> blockers = new ArrayList<>();
            for (int i = 0; i < budget + 3; i++) {
                blockers.add(new BlockingTask());
                executor.submit("alone", blockers.get(i));
            }
            int most = Math.max(1, budget * 3 / 10); // until a task completes
            clock.advance(Duration.ofSeconds(2));
            eventually(() ->
                    assertThat(blockers).filteredOn(BlockingTask::hasStarted).hasSize(most));
            clock.advance(Duration.ofMillis(1));
            blockers.get(0).release();
            eventually(() ->
                    assertThat(blockers).filteredOn(BlockingTask::hasStarted).hasSize(budget + 1));
            assertThat(executor.stats().running()).isEqualTo(budget);
            assertThat(executor.stats().queued()).isEqualTo(2);
        }
    }

    @Test
    void neverMoreAtOnceThanTheLimitWhileItChanges() throws Exception {
        AtomicInteger limit = new AtomicInteger(8);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (IsolationExecutor executor = IsolationExecutor.create(
                IsolationPolicy.builder().maxConcurrency(limit::get).build())) {
            CountDownLatch left = new CountDownLatch(20_000);
            for (int i = 0; i < 20_000; i++) {
                if (i == 10_000) {
                    limit.set(3);
                }
                executor.execute("key" + i % 37, () -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    Thread.onSpinWait();
                    running.decrementAndGet();
                    left.countDown();
                });
            }
            await(left);
            assertThat(most).hasValueLessThanOrEqualTo(8);
        }
    }

    @Test
    void liveLimitIsPolledWhileThereAreTasks() {
        AtomicInteger limit = new AtomicInteger(1);
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(limit::get))) {
            BlockingTask first = BlockingTask.in(executor, "a");
            BlockingTask second = new BlockingTask();
            executor.submit("b", second);
            limit.set(2);
            clock.advance(Duration.ofMillis(100));
            await(second.started);
            assertThat(executor.stats().maxConcurrency()).isEqualTo(2);
            limit.set(1);
            eventually(() -> {
                clock.advance(Duration.ofMillis(100)); // again: a poll is skipped while the one before is running
                assertThat(executor.stats().maxConcurrency()).isEqualTo(1);
            });
            BlockingTask third = new BlockingTask();
            executor.submit("c", third);
            first.release();
            eventually(() -> assertThat(executor.stats().running()).isEqualTo(1));
            assertThat(third.hasStarted())
                    .as("the lowered limit is paid off first")
                    .isFalse();
            second.release();
            await(third.started);
        }
    }

    @Test
    void limitCanBeSetAndReplacesTheSupplier() {
        AtomicInteger limit = new AtomicInteger(1);
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(limit::get))) {
            BlockingTask first = BlockingTask.in(executor, "a");
            BlockingTask second = new BlockingTask();
            executor.submit("b", second);
            executor.setMaxConcurrency(10);
            await(second.started);
            assertThat(executor.stats().maxConcurrency()).isEqualTo(10);
            limit.set(7);
            executor.submit("c", () -> 1);
            clock.advance(Duration.ofMillis(500));
            assertThat(executor.stats().maxConcurrency()).isEqualTo(10);
            assertThatThrownBy(() -> executor.setMaxConcurrency(0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("maxConcurrency must be at least 1, but is 0");
            assertThat(executor.stats().maxConcurrency()).isEqualTo(10);
            first.release();
            second.release();
        }
    }

    @Test
    void settingsStayInForceIfASupplierFails() {
        AtomicInteger limit = new AtomicInteger(2);
        AtomicReference<Set<String>> white = new AtomicReference<>(Set.of());
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(limit::get).whiteList(white::get))) {
            BlockingTask.in(executor, "a");
            limit.set(0);
            clock.advance(Duration.ofMillis(100));
            eventually(() -> assertThat(executor.toString()).contains("1 faults"));
            assertThat(executor.stats().maxConcurrency()).isEqualTo(2);
            limit.set(2);
            white.set(Set.of("a"));
            eventually(() -> {
                clock.advance(Duration.ofMillis(100));
                assertThat(executor.stats("a").orElseThrow().lane()).isEqualTo(Lane.WHITE_LIST);
            });
        }
    }

    @Test
    void idleKeyIsForgotten() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.statsWindow(Duration.ofSeconds(10)))) {
            executor.submit("a", () -> 1).await();
            assertThat(executor.stats().keys()).containsOnlyKeys("a");
            clock.advance(Duration.ofSeconds(90)); // nine windows
            assertThat(executor.stats().keys()).containsOnlyKeys("a");
            clock.advance(Duration.ofSeconds(100));
            assertThat(executor.stats().keys()).isEmpty();
            assertThat(executor.stats("a")).isEmpty();
        }
    }

    @Test
    void numberOfRememberedKeysIsBounded() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxTrackedKeys(10))) {
            for (int i = 0; i < 1_000; i++) {
                executor.submit("key" + i, () -> 1).await();
            }
            assertThat(executor.stats().counts().succeeded()).isEqualTo(1_000);
            eventually(
                    () -> { // a key is not forgotten while the outcome of its last task is being published
                        executor.submit("one more", () -> 1).await();
                        assertThat(executor.stats().keys()).hasSizeLessThanOrEqualTo(13);
                    });
        }
    }

    @Test
    void keysOfRejectedTasksAreNotRemembered() {
        try (IsolationExecutor executor = IsolationKit.executor(
                clock, p -> p.maxConcurrency(1).queueCapacity(0).maxTrackedKeys(10))) {
            BlockingTask blocker = BlockingTask.in(executor, "busy");
            for (int i = 0; i < 1_000; i++) {
                String key = "key" + i;
                assertThatThrownBy(() -> executor.execute(key, () -> {})).isInstanceOf(RejectedTaskException.class);
            }
            assertThat(executor.stats().keys()).hasSizeLessThanOrEqualTo(12).containsKey("busy");
            blocker.release();
        }
    }

    @Test
    void statisticsByLaneAndByKey() throws Exception {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(2).name("mine"))) {
            BlockingTask blocker = new BlockingTask();
            TaskHandle<Lane> handle = executor.submit("a", blocker);
            await(blocker.started);
            clock.advance(Duration.ofMillis(40));
            KeyStats running = executor.stats("a").orElseThrow();
            assertThat(running).isEqualTo(new KeyStats("a", Lane.FAST, 1, 0, 0, Duration.ofMillis(40)));
            assertThat(executor.toString())
                    .isEqualTo("IsolationExecutor 'mine'[1/2 running, 0 queued, reserve 0 | FAST 1 | 1 submitted]");
            blocker.release();
            handle.await();
            assertThat(executor.stats("a").orElseThrow())
                    .isEqualTo(new KeyStats("a", Lane.FAST, 0, 0, 1, Duration.ofMillis(40)));
            LaneStats fast = executor.stats().lane(Lane.FAST);
            assertThat(fast.running()).isZero();
            assertThat(fast.started()).isEqualTo(1);
            assertThat(fast.waiting().count()).isEqualTo(1);
            assertThat(executor.stats().lane(Lane.SLOW).started()).isZero();
        }
    }

    @Test
    void everyDecisionIsInTheStatisticsAndReachesTheListenerInOrder() throws Exception {
        Queue<Decision> heard = new ConcurrentLinkedQueue<>();
        try (IsolationExecutor executor = IsolationKit.executor(
                clock,
                p -> p.maxConcurrency(10).listener(decision -> {
                    heard.add(decision);
                    throw new IllegalStateException("thrown by the listener");
                }))) {
            for (int round = 0; round < 3; round++) {
                BlockingTask slow = BlockingTask.in(executor, "slow");
                for (int i = 0; i < 20; i++) {
                    BlockingTask fast = BlockingTask.in(executor, "fast");
                    clock.advance(Duration.ofMillis(100));
                    fast.release();
                    eventually(() -> assertThat(
                                    executor.stats("fast").orElseThrow().running())
                            .isZero());
                }
                slow.release();
                eventually(() -> assertThat(executor.stats().running()).isZero());
            }
            List<Decision> decisions = executor.stats().decisions();
            assertThat(decisions)
                    .contains(new Decision.LaneChange(Duration.ofSeconds(1), "slow", Lane.FAST, Lane.SLOW));
            assertThat(decisions).anyMatch(d -> d instanceof Decision.ReserveChange change && change.to() == 1);
            assertThat(executor.stats().reserve()).isEqualTo(1);
            eventually(() -> assertThat(heard).containsExactlyElementsOf(decisions));
        }
    }

    @Test
    void shutdownCancelsQueuedTasksWithoutCallingTheFallback() throws Exception {
        Queue<String> discarded = new ConcurrentLinkedQueue<>();
        IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(1));
        BlockingTask.in(executor, "a");
        TaskHandle<Integer> queued = executor.submit("a", () -> 1, (key, reason) -> discarded.add(key));
        executor.close();
        assertThat(queued.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(discarded).isEmpty();
        assertThatThrownBy(() -> executor.submit("a", () -> 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void drainLetsTasksFinish() throws Exception {
        IsolationExecutor executor = IsolationExecutor.create(
                IsolationPolicy.builder().maxConcurrency(2).build());
        List<TaskHandle<Integer>> handles = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            handles.add(executor.submit("key" + i % 7, () -> 1));
        }
        assertThat(executor.shutdown(IsolationKit.PATIENCE)).isTrue();
        assertThat(handles).allMatch(handle -> handle.join().isSuccess());
    }
}
