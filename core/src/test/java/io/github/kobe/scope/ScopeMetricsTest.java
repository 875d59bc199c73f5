package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.scope.ScopeKit.blocker;
import static io.github.kobe.scope.ScopeKit.failing;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.scope.ScopeKit.RecordingHook;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Do a scope's metrics add up? */
@Timeout(60)
class ScopeMetricsTest {

    private static final ScopeMetricsSnapshot NOTHING =
            new ScopeMetricsSnapshot(0, 0, 0, 0, Duration.ZERO, Duration.ZERO);

    @Test
    void scopeWithoutTasksHasEmptyMetrics() {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThat(scope.metrics()).isEqualTo(NOTHING);
            assertThat(scope.metrics().completed()).isZero();
            assertThat(scope.metrics().averageDuration()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void everyOutcomeIsCountedOnce(Scheduler scheduler) {
        ThreadScope scope = ThreadScope.open()
                .withScheduler(scheduler)
                .withFailurePolicy(FailurePolicy.SUPERVISOR)
                .withConcurrencyLimit(1)
                .withQueueing(true);
        List<Task<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            tasks.add(scope.submit(() -> "ran"));
            tasks.add(scope.submit(failing(new IOException("x"))));
        }
        scope.await(tasks);
        blocker(scope);
        scope.submit("never runs", () -> "ran");
        assertThat(scope.metrics().started()).isEqualTo(21);
        assertThat(scope.metrics().completed()).isEqualTo(20);
        scope.close();
        ScopeMetricsSnapshot metrics = scope.metrics();
        assertThat(metrics.started()).isEqualTo(21);
        assertThat(metrics.succeeded()).isEqualTo(10);
        assertThat(metrics.failed()).isEqualTo(10);
        assertThat(metrics.cancelled()).isEqualTo(2);
        assertThat(metrics.completed()).isEqualTo(22);
    }

    @Test
    void awaitedTaskIsCounted() {
        try (ThreadScope scope = ThreadScope.open()) {
            for (int i = 1; i <= 200; i++) {
                scope.submit(() -> "ran").await();
                assertThat(scope.metrics().succeeded()).isEqualTo(i);
            }
        }
    }

    @Test
    void durationsEqualThoseReportedToHooks() {
        RecordingHook heard = new RecordingHook();
        ThreadScope scope = ThreadScope.open().withHook(heard);
        BlockingTask blocker = blocker(scope);
        scope.submit(() -> "ran").await();
        scope.submit(failing(new IOException("x")));
        blocker.release();
        // An earlier close would cancel tasks that are about to complete.
        // Of two racing completions, the one that loses may have the longer duration.
        eventually(() -> assertThat(heard.durations).hasSize(3));
        scope.close();
        ScopeMetricsSnapshot metrics = scope.metrics();
        assertThat(heard.durations).hasSize(3).allMatch(d -> !d.isNegative());
        assertThat(metrics.totalDuration()).isEqualTo(heard.durations.stream().reduce(Duration.ZERO, Duration::plus));
        assertThat(metrics.maxDuration())
                .isEqualTo(heard.durations.stream().max(Duration::compareTo).orElseThrow());
        assertThat(metrics.averageDuration()).isEqualTo(metrics.totalDuration().dividedBy(3));
    }

    @Test
    void averageIsOfCompletedTasks() {
        ScopeMetricsSnapshot metrics =
                new ScopeMetricsSnapshot(5, 1, 2, 1, Duration.ofSeconds(8), Duration.ofSeconds(5));
        assertThat(metrics.completed()).isEqualTo(4);
        assertThat(metrics.averageDuration()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void metricsCanBeReadAfterClose() {
        ThreadScope scope = ThreadScope.open();
        scope.submit(() -> "ran").await();
        scope.close();
        assertThat(scope.metrics().succeeded()).isEqualTo(1);
    }
}
