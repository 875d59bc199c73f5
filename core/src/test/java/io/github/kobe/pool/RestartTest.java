package io.github.kobe.pool;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.resultOf;
import static io.github.kobe.TestKit.whileRepeating;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskCounts;
import io.github.kobe.TaskHandle;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.internal.time.SystemTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Does a pool work again after a restart? */
class RestartTest {

    private final WorkerPool pool = WorkerPool.builder().name("p").maxWorkers(2).build();

    private void runTasks(int number) {
        for (int i = 0; i < number; i++) {
            resultOf(pool.submit(() -> 1));
        }
    }

    @Test
    void restartKeepsSettingsAndLifetimeCountsAndResetsCounts() {
        runTasks(3);
        pool.setMaxWorkers(5);
        pool.shutdown();
        pool.restart();
        assertThat(pool.isShutdown()).isFalse();
        runTasks(2);
        WorkerPoolStats stats = pool.stats();
        assertThat(stats.completed()).isEqualTo(2);
        assertThat(stats.lifetimeCounts().succeeded()).isEqualTo(5);
        assertThat(stats.restarts()).isEqualTo(1);
        assertThat(stats.maxWorkers()).isEqualTo(5);
        pool.shutdown();
        assertThat(pool.stats().lifetimeCounts().succeeded()).isEqualTo(5);
        pool.restart();
        assertThat(pool.stats().completed()).isZero();
        assertThat(pool.stats().lifetimeCounts().succeeded()).isEqualTo(5);
        pool.shutdown();
    }

    /** A counter of a monitoring system that went back would look as if the process had begun again. */
    @Test
    void lifetimeCountsDoNotCountAGenerationTwiceDuringARestart() {
        List<WorkerPoolStats> during = new ArrayList<>();
        AtomicReference<WorkerPool> restarting = new AtomicReference<>();
        WorkerPool observed = new WorkerPool(
                WorkerPool.builder().maxWorkers(1).settings(),
                settings -> {
                    WorkerPool pool = restarting.get();
                    if (pool != null) {
                        during.add(pool.stats());
                    }
                    return WorkerThreads.of(settings.factory());
                },
                SystemTimer.shared());
        restarting.set(observed);
        for (int restarts = 0; restarts < 6; restarts++) {
            resultOf(observed.submit(() -> 1));
            observed.shutdown();
            observed.restart();
            assertThat(observed.stats().restarts()).isEqualTo(restarts + 1);
        }
        observed.shutdown();
        assertThat(during)
                .extracting(stats -> stats.lifetimeCounts().succeeded() + " ok, " + stats.restarts() + " restarts")
                .containsExactly(
                        "1 ok, 0 restarts",
                        "2 ok, 1 restarts",
                        "3 ok, 2 restarts",
                        "4 ok, 3 restarts",
                        "5 ok, 4 restarts",
                        "6 ok, 5 restarts");
    }

    @Test
    void lifetimeCountsNeverGoBack() throws Throwable {
        AtomicLong last = new AtomicLong();
        whileRepeating(
                () -> {
                    long now = pool.stats().lifetimeCounts().succeeded();
                    assertThat(now).isGreaterThanOrEqualTo(last.getAndSet(now)).isLessThanOrEqualTo(300);
                },
                () -> {
                    for (int i = 0; i < 300; i++) {
                        runTasks(1);
                        pool.shutdown();
                        pool.restart();
                    }
                });
        pool.shutdown();
    }

    @Test
    void runningPoolCannotBeRestarted() {
        assertThatIllegalStateException().isThrownBy(pool::restart).withMessageContaining("worker pool 'p' is running");
        assertThat(resultOf(pool.submit(() -> 1)).value()).isEqualTo(1);
        pool.shutdown();
    }

    @Test
    void submissionBetweenShutdownAndRestartFailsWithTheReason() {
        pool.shutdown();
        assertThatIllegalStateException()
                .isThrownBy(() -> pool.submit(() -> 1))
                .withMessageContaining("worker pool 'p' is shut down");
        assertThatIllegalStateException().isThrownBy(() -> pool.submit(context -> 1));
        assertThatIllegalStateException().isThrownBy(() -> pool.submit("group", () -> 1));
        pool.restart();
        assertThat(resultOf(pool.submit(() -> 1)).value()).isEqualTo(1);
        pool.shutdown();
    }

    @Test
    void restartRequiresThatAllTasksHaveFinished() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        pool.submit(blocker);
        await(blocker.started);
        Caller<Boolean> shutdown = Caller.of(() -> {
            pool.shutdown();
            return true;
        });
        eventually(() -> assertThat(pool.isShutdown()).isTrue());
        assertThatIllegalStateException().isThrownBy(pool::restart).withMessageContaining("still finishing");
        blocker.release();
        shutdown.result();
        pool.restart();
        pool.shutdown();
    }

    @Test
    void afterShutdownNowAPoolCanRestartAlthoughATaskIgnoresTheInterrupt() {
        BlockingTask stubborn = BlockingTask.uninterruptible();
        pool.submit(stubborn);
        await(stubborn.started);
        pool.shutdownNow();
        pool.restart();
        assertThat(resultOf(pool.submit(() -> 1)).value()).isEqualTo(1);
        stubborn.release();
        pool.shutdown();
    }

    @Test
    void restartChangesSettings() {
        pool.shutdown();
        pool.restart(builder -> builder.maxWorkers(7).name("q"));
        assertThat(pool.stats().maxWorkers()).isEqualTo(7);
        assertThat(resultOf(pool.submit(() -> Thread.currentThread().getName())).value())
                .startsWith("q-");
        pool.shutdown();
    }

    @Test
    void restartWithInvalidSettingsLeavesThePoolShutDown() {
        pool.shutdown();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pool.restart(builder -> builder.minWorkers(9)))
                .withMessageContaining("minWorkers is 9")
                .withMessageContaining("maxWorkers is 2");
        assertThat(pool.isShutdown()).isTrue();
        pool.restart();
        pool.shutdown();
    }

    @Test
    void viewOfAnEarlierGenerationStaysShutDown() {
        ExecutorService view = pool.asExecutorService();
        pool.shutdown();
        pool.restart();
        assertThat(view.isShutdown()).isTrue();
        TaskHandle<Integer> task = pool.submit(() -> 1);
        assertThat(resultOf(task).value()).isEqualTo(1);
        pool.shutdown();
    }

    /** Such a task holds no worker, so the pool may be restarted before it completes. */
    @Test
    void taskThatItsSubmitterRunsIsCountedHoweverLateItCompletes() {
        try (WorkerPool small = WorkerPool.builder()
                .queueCapacity(0)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                .build()) {
            BlockingTask blocker = BlockingTask.interruptible();
            small.submit(blocker);
            await(blocker.started);
            TaskHandle<Integer> late = small.submit(() -> {
                blocker.release();
                return restartOften(small);
            });
            assertThat(late.isDone()).isTrue();
            TaskCounts counts = small.stats().lifetimeCounts();
            assertThat(counts.submitted()).isEqualTo(2);
            assertThat(counts.succeeded()).isEqualTo(2);
        }
    }

    private static int restartOften(WorkerPool small) {
        int restarts = 8;
        for (int i = 0; i < restarts; i++) {
            small.shutdown();
            small.restart();
            assertThat(small.stats().restarts()).isEqualTo(i + 1); // reading the statistics adds up past generations
        }
        return restarts;
    }

    @Test
    void lifetimeCountsAddUpOverManyRestarts() {
        int restarts = 12;
        for (int i = 0; i < restarts; i++) {
            runTasks(3);
            pool.shutdown();
            pool.restart();
            assertThat(pool.stats().lifetimeCounts().succeeded()).isEqualTo(3L * (i + 1));
        }
        pool.shutdown();
    }
}
