package io.github.kobe.pool;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TestKit.BlockingTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Do the statistics show the state and the outcomes of a pool? */
class PoolStatsTest {

    @Test
    void everyOutcomeIsCountedAndTheStateIsShown() {
        try (WorkerPool pool =
                WorkerPool.builder().name("p").maxWorkers(2).queueCapacity(2).build()) {
            resultOf(pool.submit(() -> 1));
            resultOf(pool.submit((Callable<?>) () -> {
                throw new IllegalStateException();
            }));
            resultOf(pool.submit(
                    BlockingTask.interruptible(),
                    TaskOptions.builder().timeout(Duration.ofMillis(1)).build()));
            List<BlockingTask> blockers = List.of(BlockingTask.interruptible(), BlockingTask.interruptible());
            blockers.forEach(blocker -> pool.submit(blocker));
            blockers.forEach(blocker -> await(blocker.started));
            TaskHandle<?> cancelled = pool.submit(() -> 1);
            pool.submit(() -> 1);
            pool.submit(() -> 1); // the queue is full
            cancelled.cancel(false);
            eventually(() -> assertThat(pool.stats().oldestWaiting()).isPositive());
            WorkerPoolStats stats = pool.stats();
            assertThat(stats.name()).isEqualTo("p");
            assertThat(stats.workers()).isEqualTo(2);
            assertThat(stats.activeWorkers()).isEqualTo(2);
            assertThat(stats.queuedTasks()).isEqualTo(1);
            assertThat(stats.queueCapacity()).isEqualTo(2);
            pool.setQueueCapacity(7);
            assertThat(pool.stats().queueCapacity()).isEqualTo(7);
            assertThat(stats.completed()).isEqualTo(1);
            assertThat(stats.failed()).isEqualTo(2);
            assertThat(stats.timedOut()).isEqualTo(1);
            assertThat(stats.cancelled()).isEqualTo(1);
            assertThat(stats.rejected()).isEqualTo(1);
            assertThat(stats.counts().rejectedByReason()).containsOnlyKeys(RejectionReason.GLOBAL_QUEUE_FULL);
            assertThat(stats.busyShare()).isBetween(0.0, 1.0).isPositive();
            assertThat(stats.sizingDecisions()).isEmpty();
            assertThat(pool.toString())
                    .contains("WorkerPool 'p'")
                    .contains("2/2 workers active")
                    .contains("1 queued");
            blockers.forEach(BlockingTask::release);
        }
    }

    @Test
    void sizingByUtilizationGrowsAndShrinksWithAReason() {
        try (WorkerPool pool = WorkerPool.builder()
                .minWorkers(1)
                .maxWorkers(3)
                .sizing(Sizing.UTILIZATION, 0.8)
                .build()) {
            assertThat(pool.stats().size()).isEqualTo(1);
            List<BlockingTask> blockers = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                blockers.add(BlockingTask.interruptible());
                pool.submit(blockers.get(i));
            }
            eventually(() -> assertThat(pool.stats().size()).isEqualTo(3));
            await(blockers.get(2).started);
            assertThat(pool.stats().sizingDecisions().getFirst().from()).isEqualTo(1);
            assertThat(pool.stats().sizingDecisions().getFirst().why()).contains("of wanted 80%");
            assertThat(pool.stats().sizingDecisions().getLast().to()).isEqualTo(3);
            assertThat(pool.stats().sizingDecisions().getLast().toString()).contains(" to 3, ");
            blockers.forEach(BlockingTask::release);
            eventually(() -> assertThat(pool.stats().size()).isEqualTo(1));
        }
    }
}
