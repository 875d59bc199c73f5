package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.scope.ScopeKit.LONG;
import static io.github.kobe.scope.ScopeKit.assertReachesState;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.Flaky;
import io.github.kobe.GroupExecutor;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Log;
import io.github.kobe.internal.time.FakeTimer;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How many attempts does a scope's task have, what does it hold while it awaits a retry, and what stops the retries? */
@Timeout(60)
class ScopeRetryTest {

    private final ThreadScope scope = ThreadScope.open();

    @AfterEach
    void close() {
        scope.close();
    }

    /** Returns when its first attempt has failed, and its thread has terminated. */
    private Task<String> delayed(ThreadScope scope, Flaky flaky, RetryPolicy policy) throws InterruptedException {
        Task<String> task = scope.submit("flaky", flaky, policy);
        eventually(() -> assertThat(flaky.attempts()).isEqualTo(1));
        assertThat(flaky.threads.getFirst().join(TestKit.PATIENCE))
                .as("its thread has terminated")
                .isTrue();
        return task;
    }

    private Task<String> delayed(Flaky flaky) throws InterruptedException {
        return delayed(scope, flaky, RetryPolicy.fixedDelay(5, LONG));
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void taskThatSucceedsAtItsThirdAttemptSucceedsOnEveryScheduler(Scheduler scheduler) {
        Flaky flaky = Flaky.failing(2);
        try (ThreadScope other = ThreadScope.open().withScheduler(scheduler)) {
            assertThat(other.submit(flaky, RetryPolicy.fixedDelay(5, Duration.ofMillis(1)))
                            .await())
                    .isEqualTo("succeeded");
            assertThat(flaky.attempts()).isEqualTo(3);
            assertThat(other.metrics().started()).isEqualTo(1);
            assertThat(other.metrics().completed()).isEqualTo(1);
        }
    }

    @Test
    void lastFailureHasTheEarlierOnesSuppressed() {
        Flaky flaky = Flaky.failingAlways();
        Throwable thrown = catchThrowable(scope.submit(flaky, RetryPolicy.attempts(3))::await);
        assertThat(thrown).hasCause(flaky.thrown.get(2));
        assertThat(thrown.getCause().getSuppressed()).containsExactly(flaky.thrown.get(0), flaky.thrown.get(1));
    }

    @Test
    void awaitOfTheScopeAddsNothingToTheEarlierFailures() {
        Flaky flaky = Flaky.failingAlways();
        Task<String> task = scope.submit(flaky, RetryPolicy.attempts(3));
        Throwable thrown = catchThrowable(() -> scope.await(task));
        assertThat(thrown).hasCause(flaky.thrown.get(2));
        assertThat(thrown.getCause().getSuppressed()).containsExactly(flaky.thrown.get(0), flaky.thrown.get(1));
        assertThat(scope.failureTree().orElseThrow()).contains(task.name() + " FAILED");
    }

    @Test
    void sameObjectThrownEachTimeIsNotSuppressedInItself() {
        IOException shared = new IOException("shared");
        Task<String> task = scope.submit(ScopeKit.failing(shared), RetryPolicy.attempts(3));
        assertThatThrownBy(task::await).hasCause(shared);
        assertThat(shared.getSuppressed()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void undesiredValueIsRetriedAndTheLastOneIsTheOutcome(Scheduler scheduler) {
        RetryPolicy policy = RetryPolicy.attempts(4).retryOnResult(value -> value instanceof Integer n && n < 3);
        try (ThreadScope other = ThreadScope.open().withScheduler(scheduler)) {
            assertThat(other.submit(new AtomicInteger()::incrementAndGet, policy)
                            .await())
                    .isEqualTo(3);
            assertThat(other.submit(new AtomicInteger(-9)::incrementAndGet, policy)
                            .await())
                    .as("the last value")
                    .isEqualTo(-5);
        }
    }

    @Test
    void undesiredValueIsRetriedInAGroup() {
        try (GroupExecutor groups = TestKit.executor(b -> b);
                ThreadScope other = ThreadScope.open().withGroups(groups)) {
            RetryPolicy policy = RetryPolicy.attempts(4).retryOnResult(value -> value instanceof Integer n && n < 3);
            assertThat(other.submit("g", "t", new AtomicInteger()::incrementAndGet, null, policy, LONG)
                            .await())
                    .isEqualTo(3);
            eventually(() -> assertThat(
                            groups.groupStats("g").orElseThrow().counts().succeeded())
                    .as("each attempt is a task of the group")
                    .isEqualTo(3));
        }
    }

    @Test
    void throwingPredicateForValuesIsReportedAndTheValueIsTheOutcome() {
        try (Log log = new Log()) {
            RetryPolicy bad = RetryPolicy.attempts(5).retryOnResult(value -> {
                throw new UnsupportedOperationException("bad predicate for values of a scope");
            });
            assertThat(scope.submit(() -> "value", bad).await()).isEqualTo("value");
            assertThat(log.lines("bad predicate for values of a scope")).hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void attemptThatExceedsItsTimeoutIsRetriedOnEveryScheduler(Scheduler scheduler) {
        try (ThreadScope other = ThreadScope.open()
                .withScheduler(scheduler)
                .withRetryPolicy(RetryPolicy.attempts(2))
                .withAttemptTimeout(Duration.ofMillis(5))) {
            AtomicInteger attempts = new AtomicInteger();
            assertThat(other.submit(
                                    () -> attempts.incrementAndGet() == 1
                                            ? BlockingTask.interruptible().call()
                                            : "interrupted: "
                                                    + Thread.currentThread().isInterrupted(),
                                    RetryPolicy.attempts(1000)) // on a busy machine the second one may be too slow
                            .await())
                    .isEqualTo("interrupted: false");
            Task<String> hanging =
                    other.submit("hanging", () -> BlockingTask.interruptible().call());
            Throwable thrown = catchThrowable(hanging::await);
            assertThat(thrown)
                    .isInstanceOfSatisfying(
                            TaskTimeoutException.class,
                            timeout -> assertThat(timeout.attempt()).isEqualTo(2));
            assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(TaskTimeoutException.class);
        }
    }

    @Test
    void attemptTimeoutDoesNotIncludeTheQueueOfAGroup() {
        scope.close(); // its deadline is on another clock and would hold for a scope nested in it
        FakeTimer timer = new FakeTimer();
        timer.advance(1); // the kernel reads a start at 0 as "not started"
        try (GroupExecutor groups = TestKit.executor(b -> b);
                ThreadScope other = ThreadScope.open()
                        .withScheduler(ScopeKit.on(timer))
                        .withDeadline(LONG.multipliedBy(9))
                        .withGroups(groups)
                        .withAttemptTimeout(LONG)) {
            BlockingTask blocker = BlockingTask.in(groups, "g");
            Task<String> queued = other.submit("g", "t", () -> {
                timer.advance(LONG.toNanos() - 1);
                return "ran";
            });
            eventually(() -> assertThat(groups.groupStats("g").orElseThrow().queuedCount())
                    .isEqualTo(1));
            timer.advance(LONG.toNanos());
            blocker.release();
            assertThat(queued.await()).isEqualTo("ran");
        }
    }

    @Test
    void interruptionAndCancellationAreNeverRetried() {
        AtomicInteger attempts = new AtomicInteger();
        for (Exception fault : new Exception[] {
            new InterruptedException("x"), new CancellationException("x"), new CancelledException("x")
        }) {
            attempts.set(0);
            Task<Object> task = scope.submit(
                    () -> {
                        attempts.incrementAndGet();
                        throw fault;
                    },
                    RetryPolicy.attempts(5));
            assertReachesState(task, Task.State.CANCELLED);
            assertThat(attempts).hasValue(1);
        }
    }

    @Test
    void policyDecidesWhichFailuresAreRetried() {
        Flaky flaky = Flaky.failingAlways();
        Task<String> task =
                scope.submit(flaky, RetryPolicy.attempts(5).retryIf(IllegalStateException.class::isInstance));
        assertReachesState(task, Task.State.FAILED);
        assertThat(flaky.attempts()).isEqualTo(1);
    }

    @Test
    void throwingPolicyMakesTheTaskFailWithItsOwnFailure() {
        Flaky flaky = Flaky.failingAlways();
        RetryPolicy bad = RetryPolicy.attempts(5).retryIf(fault -> {
            throw new IllegalStateException("bad policy");
        });
        try (Log log = new Log()) {
            Task<String> task = scope.submit(flaky, bad);
            assertThatThrownBy(task::await).hasCause(flaky.thrown.getFirst());
            assertThat(log.lines("bad policy")).hasSize(1);
        }
    }

    @Test
    void taskAwaitingRetryIsRunningAndHoldsNoThreadAndNoPermit() throws Exception {
        try (ThreadScope one = ThreadScope.open().withConcurrencyLimit(1)) {
            Task<String> task = delayed(one, Flaky.failing(1), RetryPolicy.fixedDelay(2, LONG));
            assertThat(one.submit("other", () -> "ran").await()).isEqualTo("ran");
            assertThat(task.state()).isEqualTo(Task.State.RUNNING);
        }
    }

    @Test
    void cancelCompletesATaskAwaitingRetryAtOnce() throws Exception {
        Flaky flaky = Flaky.failingAlways();
        Task<String> task = delayed(flaky);
        assertThat(task.cancel()).isTrue();
        assertThat(task.state()).isEqualTo(Task.State.CANCELLED);
        assertThat(flaky.attempts()).isEqualTo(1);
    }

    @Test
    void cancellingTheScopeCompletesATaskAwaitingRetryAtOnce() throws Exception {
        Flaky flaky = Flaky.failingAlways();
        Task<String> task = delayed(flaky);
        scope.token().cancel();
        assertThat(task.state()).isEqualTo(Task.State.CANCELLED);
        assertThat(flaky.attempts()).isEqualTo(1);
    }

    @Test
    void closeDoesNotWaitForTheDelay() throws Exception {
        Task<String> task = delayed(Flaky.failingAlways());
        scope.close();
        assertThat(task.state()).isEqualTo(Task.State.CANCELLED);
    }

    @Test
    void closeDoesNotWaitForTheDelayOfATaskThatKeepsItsPermit() throws Exception {
        Task<String> task = delayed(
                scope, Flaky.failingAlways(), RetryPolicy.fixedDelay(5, LONG).keepingPermit());
        scope.close();
        assertThat(task.state()).isEqualTo(Task.State.CANCELLED);
    }

    @Test
    void hooksAreNotifiedOnceForAllAttempts() {
        ScopeKit.RecordingHook heard = new ScopeKit.RecordingHook();
        try (ThreadScope hooked = ThreadScope.open().withHook(heard)) {
            hooked.submit("t", Flaky.failing(3), RetryPolicy.attempts(5)).await();
        }
        assertThat(heard.all()).containsExactly("start t", "success t");
    }

    @Test
    void joinersUseTheRetryPolicyOfTheScope() {
        try (ThreadScope retrying = ThreadScope.open().withRetryPolicy(RetryPolicy.attempts(2))) {
            assertThat(retrying.joiner().<String>firstSuccess(Flaky.failing(1))).isEqualTo("succeeded");
        }
    }
}
