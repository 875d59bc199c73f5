package io.github.kobe.pool;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.end;
import static io.github.kobe.TestKit.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TestKit.Plug;
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
            end(pool.submit(() -> 1));
            end(pool.submit((Callable<?>) () -> {
                throw new IllegalStateException();
            }));
            end(pool.submit(
                    Plug.polite(),
                    TaskOptions.builder().timeout(Duration.ofMillis(1)).build()));
            List<Plug> plugs = List.of(Plug.polite(), Plug.polite());
            plugs.forEach(plug -> pool.submit(plug));
            plugs.forEach(plug -> await(plug.started));
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
            assertThat(stats.completed()).isEqualTo(1);
            assertThat(stats.failed()).isEqualTo(2);
            assertThat(stats.timedOut()).isEqualTo(1);
            assertThat(stats.cancelled()).isEqualTo(1);
            assertThat(stats.rejected()).isEqualTo(1);
            assertThat(stats.counts().rejectedByReason()).containsOnlyKeys(RejectionReason.GROUP_QUEUE_FULL);
            assertThat(stats.busyShare()).isBetween(0.0, 1.0).isPositive();
            assertThat(stats.sizingDecisions()).isEmpty();
            assertThat(pool.toString())
                    .contains("WorkerPool 'p'")
                    .contains("2/2 workers active")
                    .contains("1 queued");
            plugs.forEach(Plug::release);
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
            List<Plug> plugs = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                plugs.add(Plug.polite());
                pool.submit(plugs.get(i));
            }
            eventually(() -> assertThat(pool.stats().size()).isEqualTo(3));
            await(plugs.get(2).started);
            assertThat(pool.stats().sizingDecisions().getFirst().from()).isEqualTo(1);
            assertThat(pool.stats().sizingDecisions().getFirst().why()).contains("of wanted 80%");
            assertThat(pool.stats().sizingDecisions().getLast().to()).isEqualTo(3);
            assertThat(pool.stats().sizingDecisions().getLast().toString()).contains(" to 3, ");
            plugs.forEach(Plug::release);
            eventually(() -> assertThat(pool.stats().size()).isEqualTo(1));
        }
    }
}
