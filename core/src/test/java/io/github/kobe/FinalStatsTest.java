package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.isolation.KeyStats;
import io.github.kobe.pool.WorkerPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Can the statistics be read after a shutdown, for a final report? */
@Timeout(60)
class FinalStatsTest {

    private static TaskCounts sumOfGroups(GroupExecutor executor) {
        return executor.groups().map(GroupStats::counts).reduce(TaskCounts.none(), TaskCounts::plus);
    }

    private static long outcomes(TaskCounts counts) {
        return counts.succeeded() + counts.failed() + counts.cancelled() + counts.rejected();
    }

    @ParameterizedTest
    @EnumSource(ShutdownMode.class)
    void countsTimesAndTagsOfGroupsKnownAtTheShutdownStay(ShutdownMode mode) {
        GroupExecutor executor = executor(
                b -> b.recordTimes(true).defaultQueueThresholdPerGroup(1).rejectionPolicy(RejectionPolicy.DISCARD));
        resultOf(executor.submit(
                "a", "t", () -> "ran", TaskOptions.builder().tag("mail").build()));
        BlockingTask running = BlockingTask.in(executor, "b");
        TaskHandle<String> queued = executor.submit("b", "queued", () -> "ran");
        executor.submit("b", "rejected", () -> "never");
        if (mode == ShutdownMode.DRAIN) {
            running.release();
        }
        executor.shutdown(mode == ShutdownMode.DRAIN ? TestKit.PATIENCE : Duration.ZERO, mode);
        resultOf(queued);

        GroupStats a = executor.groupStats("a").orElseThrow();
        assertThat(a.counts()).isEqualTo(new TaskCounts(1, 1, 0, 0, 0, 0, Map.of()));
        assertThat(a.completedByTag()).isEqualTo(Map.of("mail", 1L));
        assertThat(a.runningTime().count()).isEqualTo(1);
        GroupStats b = executor.groupStats("b").orElseThrow();
        int drained = mode == ShutdownMode.DRAIN ? 2 : 0;
        assertThat(b.counts())
                .isEqualTo(
                        new TaskCounts(3, drained, 0, 2 - drained, 0, 0, Map.of(RejectionReason.GROUP_QUEUE_FULL, 1L)));
        assertThat(b.queuedCount()).isZero();
        eventually(() ->
                assertThat(executor.groupStats("b").orElseThrow().activeCount()).isZero());
        assertThat(executor.groupStats("unknown")).isEmpty();
        assertThat(sumOfGroups(executor)).isEqualTo(executor.stats().counts());
        eventually(
                () -> assertThat(executor.stats().runningTime().count()).isEqualTo(mode == ShutdownMode.DRAIN ? 3 : 2));
        assertThat(executor.toString()).contains("4 submitted");
    }

    @Test
    void groupThatWasRetiredBeforeIsInTheTotalsOnly() {
        GroupExecutor executor = executor(b -> b);
        resultOf(executor.submit("gone", "t", () -> "ran"));
        executor.evictGroup("gone");
        resultOf(executor.submit("known", "t", () -> "ran"));
        executor.close();
        assertThat(executor.groups()).extracting(GroupStats::groupKey).containsExactly("known");
        assertThat(executor.groupStats("gone")).isEmpty();
        assertThat(executor.stats().counts().succeeded()).isEqualTo(2);
    }

    @Test
    void taskThatIgnoresTheInterruptCountsAsActiveUntilItReturns() {
        GroupExecutor executor = executor(b -> b.recordTimes(true));
        BlockingTask stubborn = BlockingTask.uninterruptible();
        executor.submit("g", "stubborn", stubborn);
        await(stubborn.started);
        executor.shutdown();
        GroupStats stats = executor.groupStats("g").orElseThrow();
        assertThat(stats.activeCount()).isEqualTo(1);
        assertThat(stats.counts().cancelled()).isEqualTo(1);
        stubborn.release();
        eventually(() -> {
            GroupStats last = executor.groupStats("g").orElseThrow();
            assertThat(last.activeCount()).isZero();
            assertThat(last.runningTime().count()).isEqualTo(1);
        });
    }

    @Test
    void rejectedTaskThatItsCallerRunsIsCountedWhenItReturnsAfterTheShutdown() throws InterruptedException {
        GroupExecutor executor =
                executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.CALLER_RUNS));
        BlockingTask blocker = BlockingTask.in(executor, "g");
        BlockingTask onCaller = BlockingTask.uninterruptible();
        Thread caller = Thread.ofPlatform().start(() -> executor.submit("g", "on caller", onCaller));
        await(onCaller.started);
        executor.shutdown();
        assertThat(executor.groupStats("g").orElseThrow().counts())
                .isEqualTo(new TaskCounts(2, 0, 0, 1, 0, 0, Map.of()));
        onCaller.release();
        caller.join();
        assertThat(executor.groupStats("g").orElseThrow().counts())
                .isEqualTo(new TaskCounts(2, 1, 0, 1, 0, 0, Map.of()))
                .isEqualTo(executor.stats().counts());
        eventually(() -> assertThat(blocker.hasEnded()).isTrue()); // on its own thread, after it was cancelled
    }

    /** Groups retire, tasks are cancelled and the executor is closed at the same time. No count may be lost or doubled. */
    @Test
    void countsOfGroupsAddUpWhateverHappensAtTheShutdown() throws InterruptedException {
        for (int round = 0; round < 60; round++) {
            Duration ttl = round % 2 == 0 ? Duration.ZERO : Duration.ofMinutes(1);
            GroupExecutor executor = executor(
                    b -> b.idleGroupTtl(ttl).defaultQueueThresholdPerGroup(2).rejectionPolicy(RejectionPolicy.DISCARD));
            AtomicInteger submitted = new AtomicInteger();
            CountDownLatch some = new CountDownLatch(200);
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        for (int i = 0; ; i++) {
                            TaskHandle<String> handle = executor.submit("g" + i % 5, "t", () -> "ran");
                            submitted.incrementAndGet();
                            if (i % 3 == 0) {
                                handle.cancel(true);
                            }
                            some.countDown();
                        }
                    } catch (ExecutorShutdownException closed) {
                        some.countDown();
                    }
                }));
            }
            await(some);
            executor.shutdown();
            for (Thread thread : threads) {
                thread.join();
            }
            // the thread of a task that was cancelled as it returned may not have taken its count back yet
            eventually(() -> assertThat(outcomes(executor.stats().counts())).isEqualTo(submitted.get()));
            TaskCounts total = executor.stats().counts();
            assertThat(total.submitted()).isEqualTo(submitted.get());
            TaskCounts groups = sumOfGroups(executor);
            assertThat(groups.submitted()).isLessThanOrEqualTo(total.submitted());
            if (round % 2 == 1) {
                assertThat(groups).as("no group had retired before").isEqualTo(total);
            }
        }
    }

    @Test
    void keysOfAnIsolationExecutorStay() {
        IsolationExecutor executor =
                IsolationExecutor.create(IsolationPolicy.builder().build());
        resultOf(executor.submit("k", () -> "ran"));
        executor.close();
        KeyStats key = executor.stats("k").orElseThrow();
        assertThat(key.completed()).isEqualTo(1);
        assertThat(key.running()).isZero();
        assertThat(executor.stats().keys()).containsOnlyKeys("k");
        assertThat(executor.stats().counts().succeeded()).isEqualTo(1);
        assertThat(executor.stats("unknown")).isEmpty();
    }

    @Test
    void countsOfAPoolStay() {
        WorkerPool pool = WorkerPool.builder().build();
        resultOf(pool.submit(() -> "ran"));
        resultOf(pool.submit("g", "t", () -> "ran"));
        pool.close();
        assertThat(pool.stats().counts()).isEqualTo(new TaskCounts(2, 2, 0, 0, 0, 0, Map.of()));
        assertThat(pool.stats().workers()).isZero();
        pool.restart();
        resultOf(pool.submit(() -> "ran"));
        pool.close();
        assertThat(pool.stats().counts().succeeded()).isEqualTo(1);
        assertThat(pool.stats().lifetimeCounts().succeeded()).isEqualTo(3);
    }
}
