package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TestKit;
import io.github.kobe.internal.FakeTimer;
import io.github.kobe.internal.Runner;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who looks at the clock for whom, and how late is what the others go by? */
@Timeout(60)
class GlanceTest {

    private static final long THICK = Glance.THICK / Glance.SHARERS; // from one task to the next
    private static final int ENOUGH_TASKS = Glance.SHARERS * Glance.ENOUGH;

    private final FakeTimer timer = new FakeTimer();
    private final Glance glance = new Glance(timer);
    private long lastId;

    /** The next {@code tasks}, {@code apart} from each other; how late the latest of them is told the time. */
    private long latest(int tasks, long apart) {
        long latest = 0;
        for (int i = 0; i < tasks; i++) {
            timer.advance(apart);
            latest = Math.max(latest, timer.nanoTime() - glance.time(++lastId));
        }
        return latest;
    }

    @Test
    void eachLooksUntilItIsClearThatTheyComeThick() {
        assertThat(latest(ENOUGH_TASKS - Glance.SHARERS, THICK)).isZero();
        assertThat(timer.pending()).isZero();
    }

    @Test
    void thenOneInSixteenLooksForTheOthers() {
        latest(ENOUGH_TASKS, THICK);
        assertThat(latest(1_600, THICK)).isEqualTo(THICK * (Glance.SHARERS - 1));
    }

    @Test
    void whereTheyDoNotComeThickEachLooks() {
        assertThat(latest(10 * ENOUGH_TASKS, THICK + 1)).isZero();
        assertThat(timer.pending()).isZero();
    }

    @Test
    void oneLongerPauseAndItIsNotClearAnyMore() {
        latest(ENOUGH_TASKS - Glance.SHARERS, THICK);
        timer.advance(Glance.THICK);
        assertThat(latest(ENOUGH_TASKS - Glance.SHARERS, THICK)).isZero();
    }

    @Test
    void itGoesOnForAsLongAsTheyComeThick() {
        latest(ENOUGH_TASKS, THICK);
        int tasks = (int) (20 * Glance.LONGEST / THICK);
        assertThat(latest(tasks, THICK)).isEqualTo(THICK * (Glance.SHARERS - 1));
        assertThat(timer.pending()).isOne();
    }

    @Test
    void afterAQuietTimeEachLooksAgainAndNothingIsLeftInTheTimer() {
        latest(ENOUGH_TASKS, THICK);
        timer.advance(2 * Glance.LONGEST);
        assertThat(timer.pending()).isZero();
        assertThat(latest(Glance.SHARERS, THICK)).isZero();
    }

    @Test
    void itMayComeThickAgain() {
        for (int i = 0; i < 5; i++) {
            assertThat(latest(ENOUGH_TASKS - Glance.SHARERS, THICK)).isZero();
            assertThat(latest(10 * Glance.SHARERS, THICK)).isPositive();
            timer.advance(2 * Glance.LONGEST);
        }
    }

    /** Which is also how a test on a clock that it moves by hand, or a clock of little resolution, looks. */
    @Test
    void clockThatStandsStillAtZeroIsAClock() {
        assertThat(latest(10 * ENOUGH_TASKS, 0)).isZero();
        timer.advance(2 * Glance.LONGEST);
        assertThat(latest(Glance.SHARERS, THICK)).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void nobodyIsEverLateByMoreThanTheTimeoutAndAQuarterHoweverTheyCome(long seed) {
        Random random = new Random(seed);
        long latest = 0;
        for (int i = 0; i < 2_000; i++) {
            long apart = random.nextInt(4) == 0 ? random.nextLong(2 * Glance.LONGEST) : random.nextLong(2 * THICK);
            latest = Math.max(latest, latest(random.nextInt(1, 2 * Glance.SHARERS), apart));
            latest = Math.max(latest, latest(random.nextInt(4 * Glance.SHARERS * Glance.ENOUGH), THICK / 2));
        }
        assertThat(latest).isBetween(THICK, Glance.LONGEST * 5 / 4);
    }

    // ---- of a scope ----------------------------------------------------------------------------------------------

    /** The longest duration of a scope in which many came at once, and then one that takes a quarter of a millisecond. */
    private Duration longest(UnaryOperator<ThreadScope> settings, Submission last) {
        timer.advance(1); // a start at 0 is none
        Scheduler scheduler = new Scheduler("test", true, null, Runner.freshVirtualThreads(), timer);
        try (ThreadScope scope = settings.apply(ThreadScope.open().withScheduler(scheduler))) {
            for (int i = 0; i <= ENOUGH_TASKS; i++) {
                scope.submit(() -> 1).await();
            }
            Callable<Integer> work = () -> {
                timer.advance(Glance.LONGEST / 4);
                return 1;
            };
            last.submit(scope, work).await();
            return scope.metrics().maxDuration();
        }
    }

    @FunctionalInterface
    private interface Submission {
        Task<Integer> submit(ThreadScope scope, Callable<Integer> work);
    }

    @Test
    void plainTaskThatComesRightAfterAThickLotIsTimedByWhatTheyKnow() {
        assertThat(longest(scope -> scope, ThreadScope::submit)).isZero();
    }

    @Test
    void taskWithABudgetIsTimedExactly() {
        assertThat(longest(scope -> scope, (scope, work) -> scope.submit(work, Duration.ofMinutes(1))))
                .isEqualTo(Duration.ofNanos(Glance.LONGEST / 4));
    }

    @Test
    void taskThatMayBeRetriedIsTimedExactly() {
        assertThat(longest(scope -> scope, (scope, work) -> scope.submit(work, RetryPolicy.attempts(2))))
                .isEqualTo(Duration.ofNanos(Glance.LONGEST / 4));
    }

    @Test
    void tasksThatAHookIsToldOfAreTimedExactly() {
        assertThat(longest(scope -> scope.withHook(new ThreadHook() {}), ThreadScope::submit))
                .isEqualTo(Duration.ofNanos(Glance.LONGEST / 4));
    }

    @Test
    void tasksOfAScopeWithGroupsWhichGoByTimeAreTimedExactly() {
        try (GroupExecutor groups = TestKit.executor(policy -> policy)) {
            assertThat(longest(scope -> scope.withGroups(groups), ThreadScope::submit))
                    .isEqualTo(Duration.ofNanos(Glance.LONGEST / 4));
        }
    }

    @Test
    void tasksUnderALimitAreTimedExactly() {
        assertThat(longest(scope -> scope.withConcurrencyLimit(2), ThreadScope::submit))
                .isEqualTo(Duration.ofNanos(Glance.LONGEST / 4));
    }
}
