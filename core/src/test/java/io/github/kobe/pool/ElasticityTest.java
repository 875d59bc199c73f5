package io.github.kobe.pool;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TaskHandle;
import io.github.kobe.TestKit.BlockingTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Are there as many workers as needed, and never more than allowed? */
class ElasticityTest {

    private static WorkerPool pool(int min, int max, Duration keepAlive) {
        return WorkerPool.builder()
                .minWorkers(min)
                .maxWorkers(max)
                .keepAlive(keepAlive)
                .build();
    }

    private static List<BlockingTask> blockers(WorkerPool pool, int number) {
        List<BlockingTask> blockers =
                Stream.generate(BlockingTask::interruptible).limit(number).toList();
        blockers.forEach(blocker -> pool.submit(blocker));
        return blockers;
    }

    @Test
    void workersStartUpToMaxWhileTasksAreQueued() {
        try (WorkerPool pool = pool(1, 3, Duration.ofMinutes(1))) {
            List<BlockingTask> blockers = blockers(pool, 5);
            blockers.subList(0, 3).forEach(blocker -> await(blocker.started));
            WorkerPoolStats stats = pool.stats();
            assertThat(stats.workers()).isEqualTo(3);
            assertThat(stats.activeWorkers()).isEqualTo(3);
            assertThat(stats.queuedTasks()).isEqualTo(2);
            assertThat(blockers.get(3).hasStarted()).isFalse();
            blockers.forEach(BlockingTask::release);
        }
    }

    @Test
    void workerIsReused() {
        try (WorkerPool pool = pool(1, 8, Duration.ofMinutes(1))) {
            Set<Thread> threads = ConcurrentHashMap.newKeySet();
            for (int i = 0; i < 50; i++) {
                resultOf(pool.submit(() -> threads.add(Thread.currentThread())));
                eventually(() -> assertThat(pool.stats().activeWorkers()).isZero());
            }
            assertThat(threads).hasSize(1);
        }
    }

    @Test
    void idleWorkersBeyondMinLeaveAfterKeepAlive() {
        try (WorkerPool pool = pool(2, 5, Duration.ofMillis(20))) {
            List<BlockingTask> blockers = blockers(pool, 5);
            blockers.forEach(blocker -> await(blocker.started));
            assertThat(pool.stats().workers()).isEqualTo(5);
            blockers.forEach(BlockingTask::release);
            eventually(() -> assertThat(pool.stats().workers()).isEqualTo(2));
            assertThat(pool.stats().activeWorkers()).isZero();
        }
    }

    @Test
    void withZeroKeepAliveIdleWorkersLeaveAtOnce() {
        try (WorkerPool pool = pool(1, 4, Duration.ZERO)) {
            List<BlockingTask> blockers = blockers(pool, 4);
            blockers.forEach(blocker -> await(blocker.started));
            blockers.forEach(BlockingTask::release);
            eventually(() -> assertThat(pool.stats().workers()).isEqualTo(1));
        }
    }

    @Test
    void growingStartsWorkersForQueuedTasksAtOnce() {
        try (WorkerPool pool = pool(1, 1, Duration.ofMinutes(1))) {
            List<BlockingTask> blockers = blockers(pool, 4);
            await(blockers.get(0).started);
            assertThat(blockers.get(1).hasStarted()).isFalse();
            pool.setMaxWorkers(4);
            blockers.forEach(blocker -> await(blocker.started));
            assertThat(pool.stats().workers()).isEqualTo(4);
            blockers.forEach(BlockingTask::release);
        }
    }

    @Test
    void shrinkingInterruptsNoTaskAndTakesEffectAsTasksComplete() {
        try (WorkerPool pool = pool(1, 4, Duration.ofMinutes(1))) {
            List<BlockingTask> blockers = blockers(pool, 6);
            blockers.subList(0, 4).forEach(blocker -> await(blocker.started));
            pool.setMaxWorkers(1);
            blockers.get(0).release();
            blockers.get(1).release();
            blockers.get(2).release();
            eventually(() -> assertThat(pool.stats().workers()).isEqualTo(1));
            assertThat(blockers.get(3).wasInterrupted()).isFalse();
            assertThat(blockers.get(4).hasStarted()).as("still one at work").isFalse();
            blockers.forEach(BlockingTask::release);
        }
    }

    @Test
    void idleWorkersLeaveAtOnceWhenMaxIsLowered() {
        try (WorkerPool pool = pool(1, 4, Duration.ofMinutes(1))) {
            List<BlockingTask> blockers = blockers(pool, 4);
            blockers.forEach(blocker -> await(blocker.started));
            blockers.forEach(BlockingTask::release);
            eventually(() -> assertThat(pool.stats().activeWorkers()).isZero());
            pool.setMaxWorkers(2);
            assertThat(pool.stats().workers()).isEqualTo(2);
        }
    }

    @Test
    void minCanBeRaisedAndLowered() {
        try (WorkerPool pool = pool(1, 4, Duration.ofMillis(20))) {
            pool.setMinWorkers(3);
            List<BlockingTask> blockers = blockers(pool, 4);
            blockers.forEach(blocker -> await(blocker.started));
            blockers.forEach(BlockingTask::release);
            eventually(() -> assertThat(pool.stats().workers()).isEqualTo(3));
            pool.setMinWorkers(1);
            eventually(() -> assertThat(pool.stats().workers()).isEqualTo(1));
        }
    }

    @Test
    void taskThatSubmitsAndWaitsGetsAnotherWorker() {
        try (WorkerPool pool = pool(1, 2, Duration.ofMinutes(1))) {
            TaskHandle<String> outer = pool.submit(() -> {
                TaskHandle<String> inner = pool.submit(() -> "inner");
                return inner.await().value();
            });
            assertThat(resultOf(outer).value()).isEqualTo("inner");
        }
    }

    @Test
    void dependentStageOfAFutureDelaysNoWorker() {
        try (WorkerPool pool = pool(1, 1, Duration.ofMinutes(1))) {
            BlockingTask blocker = BlockingTask.interruptible();
            TaskHandle<String> first = pool.submit(blocker);
            List<TaskHandle<Integer>> second = new ArrayList<>();
            var waited = first.toCompletableFuture()
                    .thenApply(result -> second.get(0).join().value());
            second.add(pool.submit(() -> 2));
            blocker.release();
            assertThat(waited.join()).isEqualTo(2);
        }
    }
}
