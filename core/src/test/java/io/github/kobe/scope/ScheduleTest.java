package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.scope.ScopeKit.LONG;
import static io.github.kobe.scope.ScopeKit.SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.RetryPolicy;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Peak;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When does a scheduled task run, how often, and what stops it? */
@Timeout(60)
class ScheduleTest {

    private static final Duration NOW = Duration.ZERO;

    private final ThreadScope scope = ThreadScope.open();
    private final AtomicInteger runs = new AtomicInteger();

    @AfterEach
    void close() {
        scope.close();
    }

    private ScheduledTask repeat(ThreadScope scope, boolean atFixedRate, Runnable work) {
        return atFixedRate
                ? scope.scheduleAtFixedRate(NOW, Duration.ofNanos(1), work)
                : scope.scheduleWithFixedDelay(NOW, Duration.ofNanos(1), work);
    }

    @Test
    void toStringShowsTheScopeAndTheState() {
        ScheduledTask task = scope.schedule(LONG, runs::incrementAndGet);
        assertThat(task).hasToString("schedule of " + scope.id() + ", WAITING");
        task.cancel();
        assertThat(task).hasToString("schedule of " + scope.id() + ", CANCELLED");
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void runsOnceAfterItsDelayOnEveryScheduler(Scheduler scheduler) {
        try (ThreadScope other = ThreadScope.open().withScheduler(scheduler)) {
            ScheduledTask task = other.schedule(SHORT, runs::incrementAndGet);
            eventually(() -> assertThat(task.isDone()).isTrue());
            assertThat(runs).hasValue(1);
            assertThat(task.isCancelled()).isFalse();
            assertThat(task.failure()).isEmpty();
            assertThat(task.cancel()).as("it is done").isFalse();
            eventually(() -> assertThat(other.metrics().succeeded()).isEqualTo(1));
        }
    }

    @Test
    void mayBeARunnable() {
        Runnable work = runs::incrementAndGet;
        ScheduledTask task = scope.schedule(NOW, work);
        eventually(() -> assertThat(task.isDone()).isTrue());
        assertThat(runs).hasValue(1);
    }

    @Test
    void doesNotRunBeforeItsTime() {
        ScheduledTask task = scope.schedule(LONG, runs::incrementAndGet);
        ScheduledTask sooner = scope.schedule(SHORT, () -> "ran");
        eventually(() -> assertThat(sooner.isDone()).isTrue());
        assertThat(task.isDone()).isFalse();
        assertThat(runs).hasValue(0);
    }

    @Test
    void hugeDelayNeverElapses() {
        ScheduledTask task = scope.schedule(Duration.ofSeconds(Long.MAX_VALUE), runs::incrementAndGet);
        ScheduledTask repeated =
                scope.scheduleAtFixedRate(NOW, Duration.ofSeconds(Long.MAX_VALUE), runs::incrementAndGet);
        eventually(() -> assertThat(runs).hasValue(1));
        TestKit.letOthersRun();
        assertThat(runs).hasValue(1);
        assertThat(task.isDone()).isFalse();
        assertThat(repeated.isDone()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void repeatsUntilItIsCancelled(boolean atFixedRate) {
        CountDownLatch three = new CountDownLatch(3);
        ScheduledTask task = repeat(scope, atFixedRate, () -> {
            runs.incrementAndGet();
            three.countDown();
        });
        TestKit.await(three);
        assertThat(task.isDone()).isFalse();
        assertThat(task.cancel()).isTrue();
        assertThat(task.cancel()).isFalse();
        assertThat(task.isCancelled()).isTrue();
        assertThat(task.isDone()).isTrue();
        assertThat(scope.metrics().started()).isGreaterThanOrEqualTo(3);
        scope.close();
        int after = runs.get();
        TestKit.letOthersRun();
        assertThat(runs).hasValue(after);
    }

    @Test
    void cancelInterruptsTheCurrentRun() {
        BlockingTask blocker = BlockingTask.interruptible();
        ScheduledTask task = scope.schedule(NOW, blocker);
        TestKit.await(blocker.started);
        assertThat(task.cancel()).isTrue();
        TestKit.await(blocker.interrupted);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void runsNeverOverlap(boolean atFixedRate) {
        Peak peak = new Peak();
        CountDownLatch many = new CountDownLatch(200);
        repeat(scope, atFixedRate, () -> {
            try {
                peak.during(() -> {
                    TestKit.yieldToOthers();
                    many.countDown();
                    return null;
                });
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        TestKit.await(many);
        assertThat(peak.most()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void runThatThrowsIsTheLast(boolean atFixedRate) {
        IllegalStateException fault = new IllegalStateException("x");
        ScheduledTask task = repeat(scope, atFixedRate, () -> {
            if (runs.incrementAndGet() == 2) {
                throw fault;
            }
        });
        eventually(() -> assertThat(task.isDone()).isTrue());
        assertThat(task.failure()).containsSame(fault);
        assertThat(task.isCancelled()).isFalse();
        TestKit.letOthersRun();
        assertThat(runs).hasValue(2);
    }

    @Test
    void failureOfARunIsKeptIfTheScheduleIsCancelledConcurrently() {
        IllegalStateException fault = new IllegalStateException("x");
        AtomicReference<ScheduledTask> task = new AtomicReference<>();
        ThreadHook hook = new ThreadHook() {
            @Override
            public void onFailure(TaskInfo info, Throwable error, Duration duration) {
                eventually(() -> assertThat(task.get()).isNotNull());
                task.get().cancel();
            }
        };
        try (ThreadScope hooked = ThreadScope.open().withHook(hook)) {
            task.set(hooked.schedule(NOW, () -> {
                throw fault;
            }));
            eventually(() -> assertThat(task.get().failure()).containsSame(fault));
        }
        assertThat(task.get().isCancelled()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void runIsRetriedByTheScopesPolicyAndTheScheduleContinues(boolean atFixedRate) {
        try (ThreadScope retrying = ThreadScope.open().withRetryPolicy(RetryPolicy.attempts(2))) {
            ScheduledTask task = repeat(retrying, atFixedRate, () -> {
                if (runs.incrementAndGet() % 2 == 1) {
                    throw new IllegalStateException("only the first attempt");
                }
            });
            eventually(() -> assertThat(runs.get()).isGreaterThan(6));
            assertThat(task.isDone()).isFalse();
            assertThat(task.failure()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void runThatFailsAfterItsRetriesIsTheLast(Scheduler scheduler) {
        IllegalStateException fault = new IllegalStateException("each time");
        ScheduledTask task;
        try (ThreadScope retrying =
                ThreadScope.open().withScheduler(scheduler).withRetryPolicy(RetryPolicy.attempts(3))) {
            task = repeat(retrying, true, () -> {
                runs.incrementAndGet();
                throw fault;
            });
            eventually(() -> assertThat(task.isDone()).isTrue());
        }
        assertThat(task.failure()).containsSame(fault);
        assertThat(task.isCancelled()).isFalse();
        assertThat(runs).hasValue(3);
    }

    @Test
    void runsHaveTheDefaultPriorityOfTheScope() {
        List<String> order = new CopyOnWriteArrayList<>();
        try (ThreadScope one = ThreadScope.open()
                .withConcurrencyLimit(1)
                .withQueueing(true)
                .withDefaultTaskPriority(TaskPriority.HIGH)) {
            BlockingTask blocker = ScopeKit.blocker(one);
            Task<Boolean> low = one.submit("low", () -> order.add("low"), TaskPriority.LOW);
            one.schedule(NOW, () -> order.add("run"));
            eventually(() -> assertThat(one.toString()).contains("2 pending"));
            blocker.release();
            low.await();
            assertThat(order).containsExactly("run", "low");
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void closeCancelsThemAndNothingRunsAfterwards(Scheduler scheduler) {
        List<ScheduledTask> tasks = new ArrayList<>();
        try (ThreadScope other = ThreadScope.open().withScheduler(scheduler)) {
            tasks.add(other.schedule(LONG, runs::incrementAndGet));
            tasks.add(repeat(other, true, runs::incrementAndGet));
            tasks.add(repeat(other, false, runs::incrementAndGet));
            eventually(() -> assertThat(runs.get()).isGreaterThan(2));
        }
        int after = runs.get();
        assertThat(tasks).allMatch(ScheduledTask::isCancelled);
        TestKit.letOthersRun();
        assertThat(runs).hasValue(after);
    }

    /** The run sees that the scope is cancelled before the canceller, which a hook delays, reaches the schedule. */
    @Test
    void isCancelledWithItsScopeEvenIfItsRunIsCancelledFirst() {
        List<ScheduledTask> tasks = new CopyOnWriteArrayList<>();
        CountDownLatch told = new CountDownLatch(1);
        ThreadHook hook = new ThreadHook() {
            @Override
            public void onCancel(TaskInfo info, Duration duration) {
                if (told.getCount() > 0) {
                    told.countDown();
                    eventually(() -> assertThat(tasks.get(1).isDone()).isTrue());
                }
            }
        };
        BlockingTask blocker = BlockingTask.interruptible();
        try (ThreadScope hooked = ThreadScope.open().withHook(hook)) {
            tasks.add(hooked.schedule(NOW, blocker));
            tasks.add(repeat(hooked, true, runs::incrementAndGet));
            TestKit.await(blocker.started);
            eventually(() -> assertThat(runs.get()).isGreaterThan(2));
        }
        assertThat(told.getCount()).isZero();
        assertThat(tasks).allMatch(ScheduledTask::isCancelled);
        assertThat(tasks).allMatch(task -> task.failure().isEmpty());
    }

    @Test
    void runsObeyTheLimitAndAreQueued() {
        try (ThreadScope one = ThreadScope.open().withConcurrencyLimit(1)) {
            BlockingTask blocker = ScopeKit.blocker(one);
            ScheduledTask task = one.schedule(NOW, runs::incrementAndGet);
            TestKit.letOthersRun();
            assertThat(runs).hasValue(0);
            blocker.release();
            eventually(() -> assertThat(task.isDone()).isTrue());
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void invalidArgumentIsNamedWithItsValue() {
        Duration negative = Duration.ofSeconds(-1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scope.schedule(negative, () -> "x"))
                .withMessageContainingAll("delay", "PT-1S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scope.scheduleAtFixedRate(negative, SHORT, () -> {}))
                .withMessageContainingAll("initial", "PT-1S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scope.scheduleAtFixedRate(NOW, NOW, () -> {}))
                .withMessageContainingAll("period", "PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scope.scheduleWithFixedDelay(NOW, NOW, () -> {}))
                .withMessageContainingAll("delay", "PT0S");
    }
}
