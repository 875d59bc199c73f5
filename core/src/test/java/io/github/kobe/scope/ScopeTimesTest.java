package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.kobe.GroupExecutor;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TestKit;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.FakeTimer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code metrics()} says about durations, where tasks come one by one and where they come thick. */
@Timeout(60)
class ScopeTimesTest {

    private static final int MANY = 2 * Glance.SHARERS * Glance.ENOUGH;
    private static final long SHORT = 200;

    private final FakeTimer timer = new FakeTimer();
    private final Scheduler scheduler = new Scheduler("test", true, null, TaskRunner.freshVirtualThreads(), timer);

    ScopeTimesTest() {
        timer.advance(1_000_000); // a start at 0 is none
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

    /** One after the other, on a clock that only they move: as thick as it gets. */
    private void run(ThreadScope scope, int tasks, LongUnaryOperator nanos) {
        for (int i = 0; i < tasks; i++) {
            scope.submit(taking(nanos.applyAsLong(i))).await();
        }
    }

    private static void assertTotal(ThreadScope scope, long expected, double part) {
        assertThat((double) scope.metrics().totalDuration().toNanos()).isCloseTo(expected, within(part * expected));
    }

    @Test
    void fewTasksAreTimedExactlyHoweverShort() {
        try (ThreadScope scope = open()) {
            run(scope, 100, i -> i);
            assertThat(scope.metrics().totalDuration()).isEqualTo(Duration.ofNanos(99 * 50));
            assertThat(scope.metrics().maxDuration()).isEqualTo(Duration.ofNanos(99));
        }
    }

    @Test
    void manyThatDoNotComeThickAreTimedExactly() {
        try (ThreadScope scope = open()) {
            run(scope, 3_000, i -> 501 + i);
            assertThat(scope.metrics().totalDuration()).isEqualTo(Duration.ofNanos(3_000 * 501 + 3_000 * 2_999 / 2));
            assertThat(scope.metrics().maxDuration()).isEqualTo(Duration.ofNanos(3_500));
        }
    }

    @Test
    void averageOfManyShortOnesIsRightThoughOneInSixteenIsTimed() {
        try (ThreadScope scope = open()) {
            run(scope, 10_000, i -> SHORT);
            assertTotal(scope, 10_000 * SHORT, 0.01);
            assertThat(scope.metrics().maxDuration()).isEqualTo(Duration.ofNanos(SHORT));
        }
    }

    /** It would not be if every sixteenth were timed. */
    @Test
    void averageIsRightIfEverySixteenthTakesLonger() {
        try (ThreadScope scope = open()) {
            run(scope, 10_000, i -> i % 16 == 0 ? 10 * SHORT : SHORT / 10);
            assertTotal(scope, 625 * 10 * SHORT + 9_375 * SHORT / 10, 0.25);
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

    /** While it runs others come, and look; without them it would be the timer that does, a millisecond later. */
    @Test
    void longOneAmongThemIsTimedExactlyButForWhenItBegan() {
        try (ThreadScope scope = open()) {
            run(scope, MANY, i -> SHORT);
            scope.submit(() -> {
                        AtomicLong others = new AtomicLong();
                        while (others.get() * SHORT < 10 * Glance.LONG) {
                            scope.submit(taking(SHORT)).await();
                            others.incrementAndGet();
                        }
                        return 1;
                    })
                    .await();
            assertThat(scope.metrics().maxDuration().toNanos())
                    .isBetween(10 * Glance.LONG, 10 * Glance.LONG + 2 * Glance.THICK);
        }
    }

    @Test
    void longOneAfterThemIsTimedExactlyButForWhenItBegan() {
        try (ThreadScope scope = open()) {
            run(scope, MANY, i -> SHORT);
            run(scope, 1, i -> 5 * Glance.LONGEST);
            assertThat(scope.metrics().maxDuration().toNanos())
                    .isBetween(5 * Glance.LONGEST, 5 * Glance.LONGEST + 2 * Glance.THICK);
            assertTotal(scope, MANY * SHORT + 5 * Glance.LONGEST, 0.01);
        }
    }

    @Test
    void thoseThatComeLaterAreTimedExactly() {
        try (ThreadScope scope = open()) {
            run(scope, MANY, i -> SHORT);
            timer.advance(2 * Glance.LONGEST);
            long before = scope.metrics().totalDuration().toNanos();
            run(scope, 100, i -> i);
            assertThat(scope.metrics().totalDuration().toNanos() - before).isEqualTo(99 * 50);
        }
    }

    // ---- who is never timed by others ----------------------------------------------------------------------------

    @FunctionalInterface
    private interface Submission {
        Task<Integer> submit(ThreadScope scope, Callable<Integer> work);
    }

    /** How long those took, of many that take {@code SHORT}, that come when the clock is shared if it ever is. */
    private Duration lastHundred(UnaryOperator<ThreadScope> settings, Submission submission) {
        try (ThreadScope scope = settings.apply(open())) {
            run(scope, MANY, i -> SHORT);
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
    void plainTasksAre() {
        assertThat(lastHundred(scope -> scope, ThreadScope::submit)).isNotEqualTo(EXACT);
    }

    @Test
    void taskWithATimeoutIsNot() {
        assertThat(lastHundred(scope -> scope, (scope, work) -> scope.submit(work, Duration.ofMinutes(1))))
                .isEqualTo(EXACT);
    }

    @Test
    void taskThatMayBeRetriedIsNot() {
        assertThat(lastHundred(scope -> scope, (scope, work) -> scope.submit(work, RetryPolicy.attempts(2))))
                .isEqualTo(EXACT);
    }

    @Test
    void taskThatAHookIsToldOfIsNot() {
        assertThat(lastHundred(scope -> scope.withHook(new ThreadHook() {}), ThreadScope::submit))
                .isEqualTo(EXACT);
    }

    @Test
    void taskOfAScopeWithGroupsIsNot() {
        try (GroupExecutor groups = TestKit.executor(policy -> policy)) {
            assertThat(lastHundred(scope -> scope.withGroups(groups), ThreadScope::submit))
                    .isEqualTo(EXACT);
        }
    }

    @Test
    void taskUnderALimitIsNot() {
        assertThat(lastHundred(scope -> scope.withConcurrencyLimit(2), ThreadScope::submit))
                .isEqualTo(EXACT);
    }

    /** Somebody will want to see how long it took. */
    @Test
    void taskThatFailsSaysHowLongItTook() {
        try (ThreadScope scope = open().withFailurePolicy(FailurePolicy.SUPERVISOR)) {
            run(scope, MANY, i -> SHORT);
            Task<Integer> task = scope.submit(() -> {
                timer.advance(50 * SHORT);
                throw new IllegalStateException("no");
            });
            scope.await(task);
            assertThat(((ScopeTaskImpl<?>) task).nanosSpent()).isBetween(50 * SHORT, 50 * SHORT + Glance.THICK);
        }
    }
}
