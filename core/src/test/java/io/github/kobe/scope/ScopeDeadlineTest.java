package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.scope.ScopeKit.LONG;
import static io.github.kobe.scope.ScopeKit.assertReachesState;
import static io.github.kobe.scope.ScopeKit.blocker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.Flaky;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.scope.ScopeKit.Threads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What happens when the deadline of a scope passes? The test advances the clock. */
@Timeout(60)
class ScopeDeadlineTest {

    private static final Duration DEADLINE = LONG.dividedBy(2);

    private final FakeTimer timer = new FakeTimer();

    private ThreadScope open() {
        return open(Threads.FRESH);
    }

    private ThreadScope open(Threads threads) {
        return ThreadScope.open().withScheduler(threads.on(timer)).withDeadline(DEADLINE);
    }

    private void passDeadline(ThreadScope scope) {
        timer.advance(DEADLINE.toNanos());
        eventually(() -> assertThat(scope.token().isCancelled()).isTrue());
    }

    private AbstractThrowableAssert<?, ?> assertThatWhenItPasses(ThrowingCallable waiting) {
        return assertThat(ScopeKit.thrownAfter(timer, DEADLINE, waiting));
    }

    @ParameterizedTest
    @EnumSource(FailurePolicy.class)
    void waiterGetsScopeTimeoutUnderEveryPolicyAndAllTasksAreCancelled(FailurePolicy policy) {
        BlockingTask one = BlockingTask.interruptible();
        BlockingTask other = BlockingTask.interruptible();
        try (ThreadScope scope = open().withFailurePolicy(policy)) {
            Task<String> first = scope.submit("first", one);
            Task<String> second = scope.submit("second", other);
            assertThatWhenItPasses(() -> scope.await(first, second))
                    .isInstanceOfSatisfying(
                            ScopeTimeoutException.class,
                            e -> assertThat(e.deadline()).isEqualTo(DEADLINE))
                    .hasMessageContainingAll(scope.id(), "deadline", "first");
            assertThat(first.isCancelled()).isTrue();
            assertThat(second.isCancelled()).isTrue();
            assertThat(scope.token().isCancelled()).isTrue();
        }
    }

    @Test
    void timeLeftShrinksToZeroAndIsNotAffectedByCancellation() {
        try (ThreadScope scope = open()) {
            Duration left = scope.timeLeft(); // a little time passed before the scope got this timer
            assertThat(left).isPositive().isLessThanOrEqualTo(DEADLINE);
            Duration quarter = DEADLINE.dividedBy(4);
            timer.advance(quarter.toNanos());
            assertThat(scope.timeLeft()).isEqualTo(left.minus(quarter));
            scope.submit(BlockingTask.interruptible());
            scope.token().cancel();
            assertThat(scope.timeLeft()).isEqualTo(left.minus(quarter));
            timer.advance(DEADLINE.toNanos());
            assertThat(scope.timeLeft()).isZero();
        }
    }

    @Test
    void awaitAllThrowsScopeTimeout() {
        try (ThreadScope scope = open()) {
            Task<String> task = scope.submit(BlockingTask.interruptible());
            assertThatWhenItPasses(() -> scope.awaitAll(task)).isInstanceOf(ScopeTimeoutException.class);
        }
    }

    @Test
    void joinersThrowScopeTimeout() throws Exception {
        BlockingTask one = BlockingTask.interruptible();
        BlockingTask other = BlockingTask.interruptible();
        try (ThreadScope scope = open()) {
            Caller<Throwable> joiner =
                    Caller.of(() -> catchThrowable(() -> scope.joiner().firstSuccess(one, other)));
            TestKit.await(one.started);
            TestKit.await(other.started);
            joiner.awaitWaiting();
            timer.advance(DEADLINE.toNanos());
            assertThat(joiner.result()).isInstanceOf(ScopeTimeoutException.class);
        }
    }

    @Test
    void runningTasksAreInterrupted() {
        try (ThreadScope scope = open()) {
            BlockingTask blocker = blocker(scope);
            timer.advance(DEADLINE.toNanos());
            TestKit.await(blocker.interrupted);
        }
    }

    @ParameterizedTest
    @EnumSource(Threads.class)
    void runningAndQueuedTasksAreCancelledOnEveryScheduler(Threads threads) {
        BlockingTask stubborn = BlockingTask.uninterruptible();
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope scope = open(threads).withConcurrencyLimit(1).withQueueing(true)) {
            Task<String> running = scope.submit(stubborn);
            Task<Integer> waiting = scope.submit(runs::incrementAndGet);
            TestKit.await(stubborn.started);
            timer.advance(DEADLINE.toNanos());
            assertReachesState(running, Task.State.CANCELLED);
            assertReachesState(waiting, Task.State.CANCELLED);
            stubborn.release();
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void waiterForCompletedTasksGetsTheirOutcomeAfterTheDeadline() {
        try (ThreadScope scope = open()) {
            Task<String> done = scope.submit(() -> "in time");
            done.await();
            scope.submit(BlockingTask.interruptible());
            passDeadline(scope);
            assertThat(scope.await(done).succeeded()).isEqualTo(1);
            assertThat(done.await()).isEqualTo("in time");
        }
    }

    @Test
    void awaitOfASingleTaskNamesTheDeadline() {
        try (ThreadScope scope = open()) {
            Task<String> task = scope.submit(BlockingTask.interruptible());
            assertThatWhenItPasses(task::await)
                    .isInstanceOf(CancelledException.class)
                    .hasMessageContaining("deadline");
        }
    }

    @Test
    void submitAndScheduleAfterTheDeadlineThrow() {
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope scope = open()) {
            scope.submit(() -> "ran").await();
            passDeadline(scope);
            assertThatThrownBy(() -> scope.submit(runs::incrementAndGet)).isInstanceOf(ScopeTimeoutException.class);
            assertThatThrownBy(() -> scope.schedule(Duration.ZERO, runs::incrementAndGet))
                    .isInstanceOf(ScopeTimeoutException.class);
            assertThatThrownBy(() -> scope.joiner().firstSuccess(runs::incrementAndGet))
                    .isInstanceOf(ScopeTimeoutException.class);
            assertThatThrownBy(scope.token()::throwIfCancelled)
                    .isInstanceOf(CancelledException.class)
                    .hasMessageContaining("deadline");
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void taskAwaitingRetryIsCancelled() {
        Flaky flaky = Flaky.failingAlways();
        try (ThreadScope scope = open()) {
            Task<String> task = scope.submit(flaky, RetryPolicy.fixedDelay(9, LONG));
            eventually(() -> assertThat(timer.pending())
                    .as("the deadline, and the retry")
                    .isEqualTo(2));
            assertThatWhenItPasses(() -> scope.await(task)).isInstanceOf(ScopeTimeoutException.class);
            assertThat(flaky.attempts()).isEqualTo(1);
        }
    }

    /** Each retry has a timer entry, even without a delay. */
    @Test
    void retriesWithoutADelayAreStopped() {
        Flaky flaky = Flaky.failingAlways();
        try (ThreadScope scope = open()) {
            Task<String> task = scope.submit(flaky, RetryPolicy.attempts(Integer.MAX_VALUE));
            eventually(() -> {
                timer.advance(0);
                assertThat(flaky.attempts()).isGreaterThan(5);
            });
            timer.advance(DEADLINE.toNanos());
            eventually(() -> {
                timer.advance(0);
                assertThat(task.state()).isEqualTo(Task.State.CANCELLED);
            });
        }
    }

    @Test
    void taskTimeoutBeforeTheDeadlineFailsOnlyThatTask() {
        Duration first = DEADLINE.dividedBy(2);
        try (ThreadScope scope = open()) {
            Task<String> other = scope.submit(BlockingTask.interruptible());
            Task<String> task = scope.submit(BlockingTask.interruptible(), first);
            assertThat(ScopeKit.thrownAfter(timer, first, () -> scope.await(List.of(task))))
                    .isInstanceOf(TaskTimeoutException.class);
            assertThat(scope.token().isCancelled()).isFalse();
            assertThat(other.isDone()).isFalse();
        }
    }

    @Test
    void closedScopeThrowsIllegalStateInsteadOfScopeTimeout() {
        ThreadScope scope = open();
        scope.submit(() -> "ran").await();
        scope.close();
        assertThatThrownBy(() -> scope.submit(() -> "ran")).isExactlyInstanceOf(IllegalStateException.class);
    }

    // ---- before anything is submitted ----------------------------------------------------------------------------

    @Test
    void firstSubmissionAfterTheDeadlineThrows() {
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope scope = open()) {
            timer.advance(DEADLINE.toNanos());
            assertThatThrownBy(() -> scope.submit(runs::incrementAndGet)).isInstanceOf(ScopeTimeoutException.class);
            assertThatThrownBy(() -> scope.schedule(Duration.ZERO, runs::incrementAndGet))
                    .isInstanceOf(ScopeTimeoutException.class);
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void tokenOfAScopeWithoutTasksIsCancelledAtTheDeadline() {
        try (ThreadScope scope = open()) {
            assertThat(scope.token().isCancelled()).isFalse();
            scope.token().throwIfCancelled();
            timer.advance(DEADLINE.toNanos());
            assertThatThrownBy(() -> scope.token().throwIfCancelled())
                    .isInstanceOf(CancelledException.class)
                    .hasMessageContaining("deadline");
            assertThat(scope.token().isCancelled()).isTrue();
        }
    }

    @Test
    void scopeNestedInAnExpiredScopeRejectsSubmissions() {
        try (ThreadScope outer = open();
                ThreadScope inner =
                        ThreadScope.open().withScheduler(ScopeKit.on(timer)).withDeadline(LONG)) {
            timer.advance(DEADLINE.toNanos());
            assertThatThrownBy(() -> inner.submit(() -> "ran")).isInstanceOf(ScopeTimeoutException.class);
            assertThat(outer.token().isCancelled()).isTrue();
        }
    }
}
