package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long is an idle group remembered? */
@Timeout(60)
class IdleGroupTest {

    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final AtomicInteger resolved = new AtomicInteger();

    private GroupExecutor remembering(Duration ttl) {
        return executor(b -> b.idleGroupTtl(ttl).concurrencyResolver(key -> 10 + resolved.incrementAndGet()));
    }

    @Test
    void idleGroupIsRetiredWithItsLimits() {
        try (GroupExecutor executor = remembering(SHORT)) {
            resultOf(executor.submit("g", "t", () -> "ran"));
            eventually(() -> assertThat(executor.activeGroupKeys()).isEmpty());
            assertThat(executor.groupStats("g")).isEmpty();
            assertThat(executor.stats().activeGroupCount()).isZero();
            BlockingTask blocker = BlockingTask.in(executor, "g");
            assertThat(executor.groupStats("g").orElseThrow().maxConcurrency()).isEqualTo(12);
            blocker.release();
        }
    }

    @Test
    void thousandIdleGroupsAreRetired() {
        try (GroupExecutor executor = remembering(SHORT)) {
            List<TaskHandle<String>> handles = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                handles.add(executor.submit("g" + i, "t", () -> "ran"));
            }
            handles.forEach(TestKit::resultOf);
            eventually(() -> assertThat(executor.stats().activeGroupCount()).isZero());
        }
    }

    @Test
    void groupsUnderAGlobalLimitAreRetiredToo() {
        for (Duration ttl : List.of(Duration.ZERO, SHORT)) {
            try (GroupExecutor executor = executor(b -> b.idleGroupTtl(ttl).globalMaxInFlight(1))) {
                BlockingTask blocker = BlockingTask.in(executor, "a");
                TaskHandle<String> waited = executor.submit("b", "waited", () -> "ran");
                TaskHandle<String> cancelled = executor.submit("c", "cancelled", () -> "ran");
                cancelled.cancel(true);
                blocker.release();
                assertThat(resultOf(waited).value()).isEqualTo("ran");
                eventually(() -> assertThat(executor.activeGroupKeys()).isEmpty());
            }
        }
    }

    @Test
    void busyGroupIsNeverRetired() {
        try (GroupExecutor executor = remembering(SHORT)) {
            BlockingTask blocker = BlockingTask.interruptible();
            TaskHandle<String> running = executor.submit("busy", "running", blocker);
            await(blocker.started);
            resultOf(executor.submit("idle", "t", () -> "ran"));
            eventually(() -> assertThat(executor.activeGroupKeys()).containsExactly("busy"));
            blocker.release();
            assertThat(resultOf(running).value()).isEqualTo("released");
            eventually(() -> assertThat(executor.activeGroupKeys()).isEmpty());
        }
    }

    @Test
    void zeroTtlRetiresAtOnce() {
        try (GroupExecutor executor = remembering(Duration.ZERO)) {
            for (int i = 1; i <= 20; i++) {
                resultOf(executor.submit("g", "t", () -> "ran"));
                eventually(() -> assertThat(executor.activeGroupKeys()).isEmpty()); // just after the outcome
                assertThat(resolved).hasValue(i);
            }
        }
    }

    @Test
    void foreverTtlNeverRetires() {
        try (GroupExecutor executor = remembering(FOR_EVER);
                GroupExecutor other = executor(b -> b.idleGroupTtl(SHORT))) {
            resultOf(executor.submit("g", "t", () -> "ran"));
            resultOf(other.submit("g", "t", () -> "ran"));
            eventually(() -> assertThat(other.activeGroupKeys()).isEmpty());
            assertThat(executor.activeGroupKeys()).containsExactly("g");
            resultOf(executor.submit("g", "t", () -> "ran"));
            assertThat(resolved).hasValue(1);
        }
    }

    @Test
    void defaultTtlKeepsAGroupThroughAShortPause() {
        try (GroupExecutor executor = executor(b -> b.concurrencyResolver(key -> resolved.incrementAndGet()));
                GroupExecutor other = executor(b -> b.idleGroupTtl(SHORT))) {
            resultOf(executor.submit("g", "t", () -> "ran"));
            resultOf(other.submit("g", "t", () -> "ran"));
            eventually(() -> assertThat(other.activeGroupKeys()).isEmpty());
            resultOf(executor.submit("g", "t", () -> "ran"));
            assertThat(resolved).hasValue(1);
        }
    }

    @Test
    void submitThatRacesWithRetirementIsNeverLost() throws Exception {
        for (boolean globallyLimited : new boolean[] {false, true}) {
            try (GroupExecutor executor = executor(b -> globallyLimited
                    ? b.idleGroupTtl(Duration.ZERO).globalMaxInFlight(2)
                    : b.idleGroupTtl(Duration.ZERO))) {
                List<Caller<Integer>> callers = new ArrayList<>();
                for (int c = 0; c < 4; c++) {
                    callers.add(Caller.of(() -> {
                        int sum = 0;
                        for (int i = 0; i < 1000; i++) {
                            sum += resultOf(executor.submit("g" + i % 3, "t", () -> 1))
                                    .value();
                        }
                        return sum;
                    }));
                }
                for (Caller<Integer> caller : callers) {
                    assertThat(caller.result()).isEqualTo(1000);
                }
                eventually(() -> assertThat(executor.activeGroupKeys()).isEmpty());
            }
        }
    }
}
