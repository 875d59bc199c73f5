package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.scope.FailurePolicy;
import io.github.kobe.scope.Task;
import io.github.kobe.scope.ThreadScope;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Do the meters of scopes count tasks by outcome? */
class ScopeMetricsTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double completed(String outcome) {
        return registry.get("group.concurrency.scope.completed")
                .tags("name", "checkout", "outcome", outcome)
                .counter()
                .count();
    }

    private long durations(String outcome) {
        return registry.get("group.concurrency.scope.duration")
                .tags("name", "checkout", "outcome", outcome)
                .timer()
                .count();
    }

    private double started() {
        return registry.get("group.concurrency.scope.started").counter().count();
    }

    @Test
    void tasksAreCountedByOutcome() throws Exception {
        GroupPolicy policy =
                GroupPolicy.builder().defaultQueueThresholdPerGroup(0).build();
        ScopeMetrics metrics = ScopeMetrics.of(registry, "checkout");
        try (GroupExecutor groups = GroupExecutor.newVirtualThreadExecutor(policy)) {
            Blocker blocker = new Blocker();
            groups.submit("full", blocker);
            blocker.awaitStarted();
            try (ThreadScope scope = ThreadScope.open()
                    .withFailurePolicy(FailurePolicy.SUPERVISOR)
                    .withGroups(groups)
                    .withHook(metrics)) {
                Blocker blocked = new Blocker();
                Task<Boolean> cancelled = scope.submit(blocked);
                blocked.awaitStarted();
                cancelled.cancel();
                scope.await(
                        scope.submit(() -> 1),
                        scope.submit(() -> 2),
                        scope.submit((Callable<Integer>) () -> {
                            throw new IllegalStateException("expected");
                        }),
                        scope.submitTo("full", () -> 1),
                        cancelled);
            }
            blocker.release();
            assertThat(started()).isEqualTo(4);
            assertThat(completed("success")).isEqualTo(2);
            assertThat(completed("failure")).isEqualTo(1);
            assertThat(completed("rejected")).isEqualTo(1);
            assertThat(completed("cancelled")).isEqualTo(1);
            assertThat(completed("timeout")).isZero();
            assertThat(durations("success")).isEqualTo(2);
            assertThat(durations("rejected")).as("it never ran").isZero();
            assertThat(durations("cancelled")).as("it ran").isEqualTo(1);
            metrics.close();
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    @Test
    void aTaskThatExceedsItsTimeoutIsATimeout() throws Exception {
        ScopeMetrics metrics = ScopeMetrics.of(registry, "checkout");
        try (ThreadScope scope = ThreadScope.open()
                .withFailurePolicy(FailurePolicy.SUPERVISOR)
                .withAttemptTimeout(Duration.ofMillis(1))
                .withHook(metrics)) {
            scope.await(scope.submit(new Blocker()));
        }
        assertThat(completed("timeout")).isEqualTo(1);
        assertThat(durations("timeout")).isEqualTo(1);
        assertThat(completed("failure")).isZero();
    }
}
