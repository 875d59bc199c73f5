package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.scope.ScopeKit.LONG;
import static io.github.kobe.scope.ScopeKit.SHORT;
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
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.scope.ScopeKit.Threads;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What happens when the timeout of a task passes?
 *
 * <p>A timeout counts from the submission, so it can pass before the task has a thread. Tests of a task that runs use a timer that the test
 * advances after the task has started.
 */
@Timeout(60)
class ScopeTaskTimeoutTest {

    private static final Duration TIMEOUT = Duration.ofMillis(40);

    private final FakeTimer timer = new FakeTimer();

    private ThreadScope open(Threads threads) {
        return ThreadScope.open().withScheduler(threads.on(timer)).withDeadline(LONG);
    }

    private void passTimeout() {
        timer.advance(TIMEOUT.toNanos());
    }

    @ParameterizedTest
    @EnumSource(Threads.class)
    void onlyThatTaskFailsAndItsThreadIsInterrupted(Threads threads) {
        BlockingTask blocker = BlockingTask.interruptible();
        try (ThreadScope scope = open(threads)) {
            Task<String> task = scope.submit("slow", blocker, TIMEOUT);
            TestKit.await(blocker.started);
            passTimeout();
            TestKit.await(blocker.interrupted);
            assertThatThrownBy(task::await)
                    .isInstanceOfSatisfying(
                            TaskTimeoutException.class,
                            e -> assertThat(e.timeout()).isEqualTo(TIMEOUT))
                    .hasMessageContaining("slow");
            assertThat(task.state()).isEqualTo(Task.State.FAILED);
            assertThat(scope.submit("other", () -> "ran").await()).isEqualTo("ran");
            assertThat(scope.token().isCancelled()).isFalse();
        }
    }

    @Test
    void otherTasksContinue() {
        try (ThreadScope scope = ThreadScope.open().withFailurePolicy(FailurePolicy.SUPERVISOR)) {
            BlockingTask other = BlockingTask.interruptible();
            Task<String> continues = scope.submit(other);
            Task<String> slow = scope.submit(BlockingTask.interruptible(), SHORT);
            assertReachesState(slow, Task.State.FAILED);
            other.release();
            assertThat(scope.await(slow, continues).succeeded()).isEqualTo(1);
        }
    }

    @Test
    void taskQueuedForAPermitFailsAndNeverRuns() {
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(1).withQueueing(true)) {
            BlockingTask blocker = blocker(scope);
            Task<Integer> task = scope.submit("waits", runs::incrementAndGet, SHORT);
            assertThatThrownBy(task::await).isInstanceOf(TaskTimeoutException.class);
            assertThat(blocker.wasInterrupted()).isFalse();
            blocker.release();
            assertThat(scope.submit(() -> "ran").await()).isEqualTo("ran");
            assertThat(scope.metrics().failed()).isEqualTo(1);
        }
        assertThat(runs).hasValue(0);
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulersWithOneThread")
    void taskQueuedForAThreadFailsAndNeverRuns(Scheduler scheduler) {
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope scope = ThreadScope.open().withScheduler(scheduler)) {
            BlockingTask blocker = blocker(scope);
            Task<Integer> task = scope.submit(runs::incrementAndGet, SHORT);
            assertThatThrownBy(task::await).isInstanceOf(TaskTimeoutException.class);
            assertThat(blocker.wasInterrupted()).isFalse();
            blocker.release();
            assertThat(scope.submit(() -> "ran").await()).isEqualTo("ran");
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void taskThatTimesOutWhileRunningIsNotRetried() {
        AtomicInteger attempts = new AtomicInteger();
        BlockingTask blocker = BlockingTask.interruptible();
        try (ThreadScope scope = open(Threads.FRESH)) {
            Task<String> task = scope.submit(
                    () -> {
                        attempts.incrementAndGet();
                        return blocker.call();
                    },
                    RetryPolicy.attempts(5),
                    TIMEOUT);
            TestKit.await(blocker.started);
            passTimeout();
            assertThatThrownBy(task::await).isInstanceOf(TaskTimeoutException.class);
        }
        assertThat(attempts).hasValue(1);
    }

    @Test
    void taskAwaitingRetryTimesOut() {
        Flaky flaky = Flaky.failingAlways();
        try (ThreadScope scope = open(Threads.FRESH)) {
            Task<String> task = scope.submit(flaky, RetryPolicy.fixedDelay(5, LONG), TIMEOUT);
            eventually(() -> assertThat(timer.pending())
                    .as("the deadline, the timeout and the retry")
                    .isEqualTo(3));
            passTimeout();
            Throwable thrown = catchThrowable(task::await);
            assertThat(thrown).isInstanceOf(TaskTimeoutException.class);
            assertThat(thrown.getSuppressed()).containsExactlyElementsOf(flaky.thrown);
            assertThat(flaky.attempts()).isEqualTo(1);
        }
    }

    @Test
    void taskWithFrequentRetriesTimesOut() {
        try (ThreadScope scope = ThreadScope.open()) {
            Task<String> task = scope.submit(
                    Flaky.failingAlways(),
                    RetryPolicy.fixedDelay(Integer.MAX_VALUE, Duration.ofMillis(1)),
                    Duration.ofMillis(20));
            assertThatThrownBy(task::await).isInstanceOf(TaskTimeoutException.class);
        }
    }

    @Test
    void taskThatCompletesInTimeIsNotAffected() {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThat(scope.submit(() -> "ran", LONG).await()).isEqualTo("ran");
        }
    }

    @Test
    void timedOutTaskThatIgnoresInterruptionFailsAtOnceAndKeepsItsPermitUntilItReturns() {
        BlockingTask stubborn = BlockingTask.uninterruptible();
        try (ThreadScope scope = open(Threads.FRESH).withConcurrencyLimit(1).withQueueing(true)) {
            Task<String> task = scope.submit(stubborn, TIMEOUT);
            TestKit.await(stubborn.started);
            passTimeout();
            assertReachesState(task, Task.State.FAILED);
            Task<String> next = scope.submit(() -> "ran");
            TestKit.letOthersRun();
            assertThat(next.state()).isEqualTo(Task.State.PENDING);
            stubborn.release();
            assertThat(next.await()).isEqualTo("ran");
            assertThat(task.state()).isEqualTo(Task.State.FAILED);
        }
    }

    @Test
    void taskCancelledBeforeItsTimeoutStaysCancelled() {
        try (ThreadScope scope = open(Threads.FRESH)) {
            Task<String> task = scope.submit(BlockingTask.interruptible(), TIMEOUT);
            assertThat(task.cancel()).isTrue();
            Task<String> control = scope.submit(BlockingTask.interruptible(), TIMEOUT);
            passTimeout();
            assertReachesState(control, Task.State.FAILED);
            assertReachesState(task, Task.State.CANCELLED);
        }
    }
}
