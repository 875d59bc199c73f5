package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.scope.ScopeKit.LONG;
import static io.github.kobe.scope.ScopeKit.assertEnds;
import static io.github.kobe.scope.ScopeKit.plug;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.Flaky;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.Plug;
import io.github.kobe.internal.FakeTimer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What happens when a scope has taken as long as it may? */
@Timeout(60)
class ScopeDeadlineTest {

    private static final Duration DEADLINE = Duration.ofMillis(40);

    private static ThreadScope open() {
        return ThreadScope.open().withDeadline(DEADLINE);
    }

    private static void awaitDeadline(ThreadScope scope) {
        eventually(() -> assertThat(scope.token().isCancelled()).isTrue());
    }

    @ParameterizedTest
    @EnumSource(FailurePolicy.class)
    void waiterGetsScopeTimeoutUnderEveryPolicyAndAllIsCancelled(FailurePolicy policy) {
        Plug one = Plug.polite();
        Plug other = Plug.polite();
        try (ThreadScope scope = open().withFailurePolicy(policy)) {
            Task<String> first = scope.submit("first", one);
            Task<String> second = scope.submit("second", other);
            assertThatThrownBy(() -> scope.await(first, second))
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
    void awaitAllAndJoinersGetItToo() {
        try (ThreadScope scope = open()) {
            Task<String> task = scope.submit(Plug.polite());
            assertThatThrownBy(() -> scope.awaitAll(task)).isInstanceOf(ScopeTimeoutException.class);
        }
        try (ThreadScope scope = open()) {
            assertThatThrownBy(() -> scope.joiner().firstSuccess(Plug.polite(), Plug.polite()))
                    .isInstanceOf(ScopeTimeoutException.class);
        }
    }

    @Test
    void tasksThatRunAreInterrupted() {
        try (ThreadScope scope = open()) {
            Plug plug = plug(scope);
            TestKit.await(plug.interrupted);
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void tasksThatRunOrWaitAreCancelledOnEveryScheduler(Scheduler scheduler) {
        Plug stubborn = Plug.stubborn();
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope scope =
                open().withScheduler(scheduler).withConcurrencyLimit(1).withQueueing(true)) {
            Task<String> running = scope.submit(stubborn);
            Task<Integer> waiting = scope.submit(runs::incrementAndGet);
            assertEnds(running, Task.State.CANCELLED);
            assertEnds(waiting, Task.State.CANCELLED);
            stubborn.release();
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void waiterIsTheOnlyOneWhoseTasksMatter() {
        try (ThreadScope scope = open()) {
            Task<String> done = scope.submit(() -> "in time");
            done.await();
            scope.submit(Plug.polite());
            awaitDeadline(scope);
            assertThat(scope.await(done).succeeded()).isEqualTo(1);
            assertThat(done.await()).isEqualTo("in time");
        }
    }

    @Test
    void awaitOfASingleTaskSaysWhy() {
        try (ThreadScope scope = open()) {
            Task<String> task = scope.submit(Plug.polite());
            assertThatThrownBy(task::await)
                    .isInstanceOf(CancelledException.class)
                    .hasMessageContaining("deadline");
        }
    }

    @Test
    void afterItNothingCanBeSubmittedOrScheduled() {
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope scope = open()) {
            scope.submit(() -> "ran").await();
            awaitDeadline(scope);
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
    void retryThatWaitsForItsDelayIsEnded() {
        Flaky flaky = Flaky.failingAlways();
        try (ThreadScope scope = open()) {
            Task<String> task = scope.submit(flaky, RetryPolicy.fixedDelay(9, LONG));
            assertThatThrownBy(() -> scope.await(task)).isInstanceOf(ScopeTimeoutException.class);
            assertThat(flaky.attempts()).isEqualTo(1);
        }
    }

    @Test
    void retriesWithoutADelayAreEnded() {
        try (ThreadScope scope = open()) {
            Task<String> task = scope.submit(Flaky.failingAlways(), RetryPolicy.attempts(Integer.MAX_VALUE));
            assertEnds(task, Task.State.CANCELLED);
        }
    }

    @Test
    void taskTimeoutThatComesFirstIsTheTasksOwn() {
        try (ThreadScope scope = ThreadScope.open()) {
            Task<String> other = scope.submit(Plug.polite());
            Task<String> task = scope.submit(Plug.polite(), ScopeKit.SHORT);
            assertThatThrownBy(() -> scope.await(List.of(task))).isInstanceOf(TaskTimeoutException.class);
            assertThat(scope.token().isCancelled()).isFalse();
            assertThat(other.isDone()).isFalse();
        }
    }

    @Test
    void scopeThatIsClosedInTimeHasNoneLeft() {
        ThreadScope scope = ThreadScope.open().withDeadline(LONG);
        scope.submit(() -> "ran").await();
        scope.close();
        assertThatThrownBy(() -> scope.submit(() -> "ran")).isExactlyInstanceOf(IllegalStateException.class);
    }

    // ---- before anything is submitted ----------------------------------------------------------------------------

    @Test
    void firstSubmissionAfterTheDeadlineIsRefused() {
        FakeTimer timer = new FakeTimer();
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope scope =
                ThreadScope.open().withScheduler(ScopeKit.on(timer)).withDeadline(DEADLINE)) {
            timer.advance(DEADLINE.toNanos());
            assertThatThrownBy(() -> scope.submit(runs::incrementAndGet)).isInstanceOf(ScopeTimeoutException.class);
            assertThatThrownBy(() -> scope.schedule(Duration.ZERO, runs::incrementAndGet))
                    .isInstanceOf(ScopeTimeoutException.class);
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void tokenOfAScopeWithoutTasksKnowsOfTheDeadlineToo() {
        FakeTimer timer = new FakeTimer();
        try (ThreadScope scope =
                ThreadScope.open().withScheduler(ScopeKit.on(timer)).withDeadline(LONG)) {
            assertThat(scope.token().isCancelled()).isFalse();
            scope.token().throwIfCancelled();
            timer.advance(LONG.toNanos());
            assertThatThrownBy(() -> scope.token().throwIfCancelled())
                    .isInstanceOf(CancelledException.class)
                    .hasMessageContaining("deadline");
            assertThat(scope.token().isCancelled()).isTrue();
        }
    }

    @Test
    void scopeInsideOneWhoseDeadlineHasPassedTakesNothing() {
        FakeTimer timer = new FakeTimer();
        try (ThreadScope outer =
                        ThreadScope.open().withScheduler(ScopeKit.on(timer)).withDeadline(DEADLINE);
                ThreadScope inner = ThreadScope.open().withScheduler(ScopeKit.on(timer))) {
            timer.advance(DEADLINE.toNanos());
            assertThatThrownBy(() -> inner.submit(() -> "ran")).isInstanceOf(ScopeTimeoutException.class);
            assertThat(outer.token().isCancelled()).isTrue();
        }
    }
}
