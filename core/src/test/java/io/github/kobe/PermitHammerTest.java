package io.github.kobe;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import io.github.kobe.TestKit.Peak;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Do permits and tasks together stay within the limits, and is no permit lost? */
@Timeout(120)
class PermitHammerTest {

    private static final int MOST = 4;
    private static final int ROUNDS = 400;
    private static final List<String> GROUPS = List.of("a", "b");

    private final Map<String, Peak> peaks = Map.of("a", new Peak(), "b", new Peak());
    private final Peak all = new Peak();
    private final AtomicInteger done = new AtomicInteger();

    private Integer work(String group) throws Exception {
        return peaks.get(group)
                .during(() -> all.during(() -> {
                    TestKit.yieldToOthers();
                    return done.incrementAndGet();
                }));
    }

    private int oneRound(GroupExecutor executor, SplittableRandom random) throws Exception {
        String group = GROUPS.get(random.nextInt(2));
        switch (random.nextInt(5)) {
            case 0 -> {
                try (Permit permit = executor.acquire(group)) {
                    assertThat(permit.groupKey()).isEqualTo(group);
                    work(group);
                }
                return 1;
            }
            case 1 -> {
                try (PermitResult result = executor.tryAcquire(group, Duration.ofNanos(random.nextInt(200_000)))) {
                    if (!result.isGranted()) {
                        return 0;
                    }
                    work(group);
                    Thread.startVirtualThread(result::close);
                }
                return 1;
            }
            case 2 -> {
                executor.call(group, () -> work(group));
                return 1;
            }
            case 3 -> {
                TaskHandle<Integer> handle = executor.submit(group, "t", () -> work(group));
                return handle.cancel(false) || !resultOf(handle).isSuccess() ? 0 : 1;
            }
            default -> {
                resultOf(executor.submit(group, "t", () -> work(group)));
                return 1;
            }
        }
    }

    private static void disturb(GroupExecutor executor, SplittableRandom random) {
        String group = GROUPS.get(random.nextInt(2));
        switch (random.nextInt(4)) {
            case 0 -> executor.pauseGroup(group);
            case 1 -> executor.setMaxConcurrency(group, 1 + random.nextInt(MOST));
            case 2 -> executor.setMaxInFlight(group, 1 + random.nextInt(2 * MOST));
            default -> executor.setWeight(group, 1 + random.nextInt(3));
        }
        TestKit.yieldToOthers();
        executor.resumeGroup(group);
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, 5})
    void limitsHoldAndNoPermitIsLost(int globalLimit) throws Throwable {
        int threads = 8;
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(MOST)
                .globalMaxInFlight(globalLimit)
                .idleGroupTtl(Duration.ZERO))) {
            SplittableRandom random = new SplittableRandom(42);
            List<Caller<Integer>> callers = new ArrayList<>();
            TestKit.whileRepeating(() -> disturb(executor, random), () -> {
                for (int t = 0; t < threads; t++) {
                    SplittableRandom own = new SplittableRandom(t);
                    callers.add(Caller.of(() -> {
                        int worked = 0;
                        for (int i = 0; i < ROUNDS; i++) {
                            worked += oneRound(executor, own);
                        }
                        return worked;
                    }));
                }
                for (Caller<Integer> caller : callers) {
                    caller.result();
                }
            });
            int worked = 0;
            for (Caller<Integer> caller : callers) {
                worked += caller.result();
            }
            assertThat(peaks.get("a").most()).isBetween(1, MOST);
            assertThat(peaks.get("b").most()).isBetween(1, MOST);
            assertThat(all.most()).isLessThanOrEqualTo(globalLimit);
            eventually(
                    () -> assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(0, 0, 0, 0, globalLimit)));
            assertThat(done.get())
                    .as("a task that was cancelled too late may have run")
                    .isGreaterThanOrEqualTo(worked);
            TaskCounts counts = executor.stats().counts();
            assertThat(counts.submitted()).isEqualTo(threads * ROUNDS);
            assertThat(counts.succeeded()).isEqualTo(worked);
            assertThat(counts.succeeded() + counts.cancelled() + counts.rejected())
                    .as("each has one outcome")
                    .isEqualTo(threads * ROUNDS);
        }
    }

    /** The timeout and the grant of the permit race again and again. Exactly one of them wins. */
    @Test
    void permitThatRacesWithATimeoutIsNotLost() throws Throwable {
        try (GroupExecutor executor = executor(b -> b)) {
            SplittableRandom random = new SplittableRandom(1);
            AtomicInteger got = new AtomicInteger();
            TestKit.whileRepeating(() -> comeAndGo(executor), () -> {
                for (int i = 0; i < 20_000; i++) {
                    PermitResult result = executor.tryAcquire("a", Duration.ofNanos(random.nextInt(20_000)));
                    result.close();
                    got.addAndGet(result.isGranted() ? 1 : 0);
                }
            });
            assertThat(got).hasPositiveValue();
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(1, 0, 0, 0, Integer.MAX_VALUE));
        }
    }

    /** A caller that is interrupted at the moment of the grant either has the permit or throws. */
    @Test
    void permitThatRacesWithAnInterruptionIsNotLost() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            for (int i = 0; i < 3000; i++) {
                Permit first = executor.acquire("a");
                Thread waiting = Thread.ofVirtual().start(() -> acquireOnce(executor));
                Thread interrupting = Thread.startVirtualThread(waiting::interrupt);
                first.close();
                interrupting.join();
                waiting.join();
                assertThat(CurrentStats.of(executor).active()).isZero();
                assertThat(CurrentStats.of(executor).queued()).isZero();
            }
        }
    }

    private static void acquireOnce(GroupExecutor executor) {
        try {
            executor.acquire("a").close();
        } catch (InterruptedException e) {
            // then it has no permit
        }
    }

    private static void comeAndGo(GroupExecutor executor) {
        try (Permit permit = executor.acquire("a")) {
            assertThat(permit.groupKey()).isEqualTo("a");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
