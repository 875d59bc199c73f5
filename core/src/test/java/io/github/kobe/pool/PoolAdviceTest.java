package io.github.kobe.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TaskCounts;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Do statistics give the right advice? */
class PoolAdviceTest {

    private static WorkerPoolStats stats(
            int workers, int active, int min, int max, int queued, double busy, int zombies) {
        return new WorkerPoolStats(
                "p",
                workers,
                active,
                min,
                max,
                max,
                queued,
                Integer.MAX_VALUE,
                0,
                TaskCounts.none(),
                TaskCounts.none(),
                zombies,
                zombies,
                Duration.ofMillis(queued == 0 ? 0 : 1500),
                busy,
                0,
                List.of());
    }

    @Test
    void maxIsTheBottleneckIfAllAreBusyAndTasksAreQueued() {
        assertThat(stats(4, 4, 1, 4, 12, 0.97, 0).advice())
                .contains("maxWorkers (4) is the bottleneck")
                .contains("97%")
                .contains("12 tasks wait")
                .contains("1500 ms");
    }

    @Test
    void tasksPileUpIfManyAreQueuedAlthoughWorkersWereIdle() {
        assertThat(stats(4, 4, 1, 4, 12, 0.3, 0).advice()).contains("Tasks pile up: 12 wait for 4 workers");
    }

    @Test
    void minIsWastedIfWorkersAreIdle() {
        assertThat(stats(8, 0, 8, 8, 0, 0.05, 0).advice())
                .contains("minWorkers (8) is wasted")
                .contains("5%");
        assertThat(stats(1, 0, 1, 8, 0, 0.05, 0).advice()).doesNotContain("wasted");
    }

    @Test
    void zombiesAreMentioned() {
        assertThat(stats(3, 2, 1, 2, 0, 0.5, 1).advice()).contains("1 workers are held by tasks that do not end");
    }

    @Test
    void nothingToChange() {
        assertThat(stats(2, 1, 1, 4, 0, 0.5, 0).advice()).isEqualTo("Nothing to change.");
    }
}
