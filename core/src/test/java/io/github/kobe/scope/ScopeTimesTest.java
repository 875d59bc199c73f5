package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TestKit;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.FakeTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Are the durations in {@code metrics()} exact at high submission rates, for every kind of task? */
@Timeout(60)
class ScopeTimesTest {

    private static final int MANY = 10_000;
    private static final long SHORT = 200;

    private final FakeTimer timer = new FakeTimer();
    private final Scheduler scheduler = new Scheduler("test", true, null, TaskRunner.freshVirtualThreads(), timer);

    ScopeTimesTest() {
        timer.advance(1_000_000); // the kernel reads a start at 0 as "not started"
    }

    private Callable<Integer> taking(long nanos) {
        return () -> {
            timer.advance(nanos);
            return 1;
        };
    }

    private ThreadScope open() {
        return ThreadScope.open().withScheduler(scheduler);
    }

    /** One after the other, on a clock that only the tasks move: the highest submission rate that this clock can show. */
    private void run(ThreadScope scope, int tasks, LongUnaryOperator nanos) {
        for (int i = 0; i < tasks; i++) {
            scope.submit(taking(nanos.applyAsLong(i))).await();
        }
    }

    @Test
    void durationsOfFewTasksAreExact() {
        try (ThreadScope scope = open()) {
            run(scope, 100, i -> i);
            assertThat(scope.metrics().totalDuration()).isEqualTo(Duration.ofNanos(99 * 50));
            assertThat(scope.metrics().maxDuration()).isEqualTo(Duration.ofNanos(99));
        }
    }

    @Test
    void durationsOfManyTasksAreExact() {
        try (ThreadScope scope = open()) {
            run(scope, 3_000, i -> 501 + i);
            assertThat(scope.metrics().totalDuration()).isEqualTo(Duration.ofNanos(3_000 * 501 + 3_000 * 2_999 / 2));
            assertThat(scope.metrics().maxDuration()).isEqualTo(Duration.ofNanos(3_500));
        }
    }

    @Test
    void durationsOfManyTasksAtAHighSubmissionRateAreExact() {
        try (ThreadScope scope = open()) {
            run(scope, MANY, i -> i % 16 == 0 ? 10 * SHORT : SHORT / 10);
            assertThat(scope.metrics().totalDuration())
                    .isEqualTo(Duration.ofNanos(625 * 10 * SHORT + 9_375 * SHORT / 10));
            assertThat(scope.metrics().maxDuration()).isEqualTo(Duration.ofNanos(10 * SHORT));
            assertThat(scope.metrics().averageDuration())
                    .isEqualTo(scope.metrics().totalDuration().dividedBy(MANY));
        }
    }

    /** All of them are submitted before the first one may advance the clock, so that their durations overlap. */
    @Test
    void durationsOfTasksThatRunAtOnceAreExact() {
        int tasks = 1_000;
        CountDownLatch started = new CountDownLatch(tasks);
        CountDownLatch mayReturn = new CountDownLatch(1);
        try (ThreadScope scope = open()) {
            List<Task<Integer>> all = new ArrayList<>();
            for (int i = 0; i < tasks; i++) {
                all.add(scope.submit(() -> {
                    started.countDown();
                    mayReturn.await();
                    return 1;
                }));
            }
            TestKit.await(started);
            timer.advance(SHORT);
            mayReturn.countDown();
            scope.await(all);
            assertThat(scope.metrics().totalDuration()).isEqualTo(Duration.ofNanos(tasks * SHORT));
            assertThat(scope.metrics().maxDuration()).isEqualTo(Duration.ofNanos(SHORT));
        }
    }

    @Test
    void countsAreExact() {
        try (ThreadScope scope = open().withFailurePolicy(FailurePolicy.SUPERVISOR)) {
            run(scope, 5_000, i -> SHORT);
            assertThat(scope.metrics().started()).isEqualTo(5_000);
            assertThat(scope.metrics().succeeded()).isEqualTo(5_000);
        }
    }

    @Test
    void durationOfALongTaskAfterManyShortOnesIsExact() {
        try (ThreadScope scope = open()) {
            run(scope, MANY, i -> SHORT);
            run(scope, 1, i -> 5_000_000);
            assertThat(scope.metrics().maxDuration()).isEqualTo(Duration.ofNanos(5_000_000));
            assertThat(scope.metrics().totalDuration()).isEqualTo(Duration.ofNanos(MANY * SHORT + 5_000_000));
        }
    }

    // ---- kinds of tasks ------------------------------------------------------------------------------------------

    @FunctionalInterface
    private interface Submission {
        Task<Integer> submit(ThreadScope scope, Callable<Integer> work);
    }

    /** How long the last hundred of many tasks took. */
    private Duration lastHundred(UnaryOperator<ThreadScope> settings, Submission submission) {
        try (ThreadScope scope = settings.apply(open())) {
            run(scope, 500, i -> SHORT);
            Duration before = scope.metrics().totalDuration();
            for (int i = 0; i < 100; i++) {
                submission.submit(scope, taking(SHORT + i % 7)).await();
            }
            return scope.metrics().totalDuration().minus(before);
        }
    }

    private static final Duration EXACT;

    static {
        long nanos = 0;
        for (int i = 0; i < 100; i++) {
            nanos += SHORT + i % 7;
        }
        EXACT = Duration.ofNanos(nanos);
    }

    @Test
    void durationOfAPlainTaskIsExact() {
        assertThat(lastHundred(scope -> scope, ThreadScope::submit)).isEqualTo(EXACT);
    }

    @Test
    void durationOfATaskWithATimeoutIsExact() {
        assertThat(lastHundred(scope -> scope, (scope, work) -> scope.submit(work, Duration.ofMinutes(1))))
                .isEqualTo(EXACT);
    }

    @Test
    void durationOfATaskThatMayBeRetriedIsExact() {
        assertThat(lastHundred(scope -> scope, (scope, work) -> scope.submit(work, RetryPolicy.attempts(2))))
                .isEqualTo(EXACT);
    }

    @Test
    void durationOfATaskWithAHookIsExact() {
        assertThat(lastHundred(scope -> scope.withHook(new ThreadHook() {}), ThreadScope::submit))
                .isEqualTo(EXACT);
    }

    @Test
    void durationOfATaskOfAScopeWithGroupsIsExact() {
        try (GroupExecutor groups = TestKit.executor(policy -> policy)) {
            assertThat(lastHundred(scope -> scope.withGroups(groups), ThreadScope::submit))
                    .isEqualTo(EXACT);
        }
    }

    @Test
    void durationOfATaskUnderALimitIsExact() {
        assertThat(lastHundred(scope -> scope.withConcurrencyLimit(2), ThreadScope::submit))
                .isEqualTo(EXACT);
    }

    @Test
    void durationOfATaskThatFailsIsExact() {
        try (ThreadScope scope = open().withFailurePolicy(FailurePolicy.SUPERVISOR)) {
            run(scope, 500, i -> SHORT);
            Task<Integer> task = scope.submit(() -> {
                timer.advance(50 * SHORT);
                throw new IllegalStateException("no");
            });
            scope.await(task);
            assertThat(((ScopeTaskImpl<?>) task).nanosSpent()).isEqualTo(50 * SHORT);
        }
    }
}
