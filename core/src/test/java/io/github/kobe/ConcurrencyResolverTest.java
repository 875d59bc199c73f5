package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Log;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens if the resolver returns an invalid limit, throws, or returns another limit each time? */
@Timeout(60)
class ConcurrencyResolverTest {

    private static GroupPolicy policy(ToIntFunction<String> resolver) {
        return GroupPolicy.builder()
                .concurrencyResolver(resolver)
                .defaultMaxConcurrencyPerGroup(3)
                .build();
    }

    private static int failing(String key) {
        throw new IllegalStateException("resolver broke at " + key);
    }

    private static int failingBadly(String key) {
        throw new StackOverflowError("resolver broke badly at " + key);
    }

    private static int limitInUse(GroupExecutor executor, String group) {
        return executor.groupStats(group).orElseThrow().maxConcurrency();
    }

    @Test
    void zeroIsTreatedAsOne() {
        try (Log log = new Log()) {
            assertThat(policy(key -> 0).resolveConcurrency("g")).isEqualTo(1);
            assertThat(log.lines("concurrencyResolver")).hasSize(1);
        }
    }

    @Test
    void negativeIsTreatedAsOne() {
        try (Log log = new Log()) {
            assertThat(policy(key -> -5).resolveConcurrency("g")).isEqualTo(1);
            assertThat(policy(key -> Integer.MIN_VALUE).resolveConcurrency("g")).isEqualTo(1);
            assertThat(log.lines("-5")).hasSize(1);
        }
    }

    @Test
    void throwingResolverGivesTheDefault() {
        try (Log log = new Log()) {
            assertThat(policy(ConcurrencyResolverTest::failing).resolveConcurrency("g"))
                    .isEqualTo(3);
            assertThat(policy(ConcurrencyResolverTest::failingBadly).resolveConcurrency("g"))
                    .isEqualTo(3);
            assertThat(log.lines("resolver broke")).hasSize(2);
        }
    }

    @Test
    void invalidValueIsReportedOnce() {
        try (Log log = new Log()) {
            GroupPolicy low = policy(key -> 0);
            GroupPolicy broken = policy(ConcurrencyResolverTest::failing);
            for (int i = 0; i < 50; i++) {
                low.resolveConcurrency("g" + i);
                broken.resolveConcurrency("g" + i);
            }
            assertThat(log.lines("for group 'g0': 0")).hasSize(1);
            assertThat(log.lines("resolver broke at g0")).hasSize(1);
            assertThat(log.lines("")).hasSize(2);
        }
    }

    @Test
    void executorWorksWithABrokenResolver() {
        try (Log log = new Log();
                GroupExecutor executor =
                        GroupExecutor.newVirtualThreadExecutor(policy(ConcurrencyResolverTest::failingBadly))) {
            assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
            assertThat(limitInUse(executor, "g")).isEqualTo(3);
            assertThat(log.lines("concurrencyResolver")).hasSize(1);
        }
    }

    @Test
    void resolvedLimitStaysWhileTheGroupIsKnown() {
        AtomicInteger calls = new AtomicInteger();
        try (GroupExecutor executor = executor(b -> b.concurrencyResolver(key -> 10 + calls.incrementAndGet()))) {
            for (int i = 0; i < 20; i++) {
                resultOf(executor.submit("g", "t" + i, () -> "ran"));
                assertThat(limitInUse(executor, "g")).isEqualTo(11);
            }
            resultOf(executor.submit("other", "t", () -> "ran"));
            assertThat(limitInUse(executor, "other")).isEqualTo(12);
        }
        assertThat(calls).hasValue(2);
    }

    @Test
    void concurrentFirstSubmittersShareOneGroup() throws Exception {
        CyclicBarrier together = new CyclicBarrier(8);
        AtomicInteger answer = new AtomicInteger();
        try (GroupExecutor executor = executor(
                b -> b.concurrencyResolver(key -> answer.incrementAndGet()).defaultQueueThresholdPerGroup(100))) {
            List<BlockingTask> blockers = new ArrayList<>();
            List<Caller<TaskHandle<String>>> callers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                BlockingTask blocker = BlockingTask.interruptible();
                blockers.add(blocker);
                callers.add(Caller.of(() -> {
                    together.await(30, TimeUnit.SECONDS);
                    return executor.submit("g", "t", blocker);
                }));
            }
            for (Caller<TaskHandle<String>> caller : callers) {
                caller.result();
            }
            int limit = limitInUse(executor, "g");
            TestKit.eventually(() -> assertThat(blockers.stream().filter(BlockingTask::hasStarted))
                    .hasSizeGreaterThanOrEqualTo(Math.min(8, limit)));
            TestKit.letOthersRun();
            assertThat(blockers.stream().filter(BlockingTask::hasStarted)).hasSize(Math.min(8, limit));
            assertThat(executor.stats().totalQueuedCount()).isEqualTo(8 - Math.min(8, limit));
            blockers.forEach(BlockingTask::release);
        }
    }
}
