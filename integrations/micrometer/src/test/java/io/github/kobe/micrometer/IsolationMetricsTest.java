package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.kobe.TaskHandle;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Do the meters of an isolation executor show what it does? */
class IsolationMetricsTest {

    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final Values values = new Values(registry);

    private static IsolationExecutor executor() {
        return IsolationExecutor.create(
                IsolationPolicy.builder().name("i").maxConcurrency(1).build());
    }

    @Test
    void metersShowTheStateByLane() throws Exception {
        try (IsolationExecutor executor = executor()) {
            IsolationMetrics metrics = IsolationMetrics.monitor(registry, executor);
            Blocker blocker = new Blocker();
            executor.submit("a", blocker);
            blocker.awaitStarted();
            TaskHandle<Integer> queued = executor.submit("b", () -> 1);
            assertThat(values.gauge("isolation.running")).isEqualTo(1);
            assertThat(values.gauge("isolation.queued")).isEqualTo(1);
            assertThat(values.gauge("isolation.limit")).isEqualTo(1);
            assertThat(values.gauge("isolation.reserve")).isBetween(0.0, 1.0);
            assertThat(values.gauge("isolation.lane.running", "lane", "fast")
                            + values.gauge("isolation.lane.running", "lane", "isolation"))
                    .isEqualTo(1);
            assertThat(values.values("lane"))
                    .containsExactlyInAnyOrder("fast", "fast_backup", "slow", "slow_backup", "white_list", "isolation");
            blocker.release();
            queued.join();
            clock.add(Duration.ofSeconds(1));
            double tasks = 0;
            double nanos = 0;
            for (var timer :
                    registry.find("group.concurrency.isolation.lane.wait").functionTimers()) {
                tasks += timer.count();
                nanos += timer.totalTime(TimeUnit.NANOSECONDS);
            }
            assertThat(tasks).isEqualTo(2);
            assertThat(Math.round(nanos))
                    .isEqualTo(executor.stats().lanes().values().stream()
                            .mapToLong(lane -> lane.waiting().total().toNanos())
                            .sum())
                    .isPositive();
            metrics.close();
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    @Test
    void anExecutorOfTheSameNameIsRefused() {
        try (IsolationExecutor first = executor();
                IsolationExecutor second = executor()) {
            IsolationMetrics.monitor(registry, first);
            assertThatThrownBy(() -> IsolationMetrics.monitor(registry, second))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("name=i");
        }
    }

    @Test
    void metersDoNotKeepTheExecutorAndLeaveWithIt() {
        WeakReference<IsolationExecutor> weak = bindAndForget();
        await().until(() -> {
            System.gc();
            return weak.get() == null;
        });
        clock.add(Duration.ofSeconds(1));
        values.gauge("isolation.running");
        assertThat(registry.getMeters()).isEmpty();
    }

    private WeakReference<IsolationExecutor> bindAndForget() {
        IsolationExecutor executor = executor();
        IsolationMetrics.monitor(registry, executor);
        executor.submit("a", () -> 1).join();
        executor.close();
        return new WeakReference<>(executor);
    }
}
