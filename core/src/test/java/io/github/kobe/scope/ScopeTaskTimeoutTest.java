package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.scope.ScopeKit.LONG;
import static io.github.kobe.scope.ScopeKit.SHORT;
import static io.github.kobe.scope.ScopeKit.assertEnds;
import static io.github.kobe.scope.ScopeKit.plug;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.Flaky;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.Plug;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What happens when a task has taken as long as it may, wherever it is? */
@Timeout(60)
class ScopeTaskTimeoutTest {

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void onlyThatTaskFailsAndItsThreadIsInterrupted(Scheduler scheduler) {
        Plug plug = Plug.polite();
        try (ThreadScope scope = ThreadScope.open().withScheduler(scheduler)) {
            Task<String> task = scope.submit("slow", plug, Duration.ofMillis(40));
            TestKit.await(plug.interrupted);
            assertThatThrownBy(task::await)
                    .isInstanceOfSatisfying(
                            TaskTimeoutException.class,
                            e -> assertThat(e.timeout()).isEqualTo(Duration.ofMillis(40)))
                    .hasMessageContaining("slow");
            assertThat(task.state()).isEqualTo(Task.State.FAILED);
            assertThat(scope.submit("other", () -> "ran").await()).isEqualTo("ran");
            assertThat(scope.token().isCancelled()).isFalse();
        }
    }

    @Test
    void othersGoOn() {
        try (ThreadScope scope = ThreadScope.open().withFailurePolicy(FailurePolicy.SUPERVISOR)) {
            Plug other = Plug.polite();
            Task<String> goesOn = scope.submit(other);
            Task<String> slow = scope.submit(Plug.polite(), SHORT);
            assertEnds(slow, Task.State.FAILED);
            other.release();
            assertThat(scope.await(slow, goesOn).succeeded()).isEqualTo(1);
        }
    }

    @Test
    void taskThatWaitsForAPlaceFailsInLineAndNeverRuns() {
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(1).withQueueing(true)) {
            Plug plug = plug(scope);
            Task<Integer> task = scope.submit("waits", runs::incrementAndGet, SHORT);
            assertThatThrownBy(task::await).isInstanceOf(TaskTimeoutException.class);
            assertThat(plug.wasInterrupted()).isFalse();
            plug.release();
            assertThat(scope.submit(() -> "ran").await()).isEqualTo("ran");
            assertThat(scope.metrics().failed()).isEqualTo(1);
        }
        assertThat(runs).hasValue(0);
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulersWithOneThread")
    void taskThatWaitsForAThreadFailsInLineAndNeverRuns(Scheduler scheduler) {
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope scope = ThreadScope.open().withScheduler(scheduler)) {
            Plug plug = plug(scope);
            Task<Integer> task = scope.submit(runs::incrementAndGet, SHORT);
            assertThatThrownBy(task::await).isInstanceOf(TaskTimeoutException.class);
            assertThat(plug.wasInterrupted()).isFalse();
            plug.release();
            assertThat(scope.submit(() -> "ran").await()).isEqualTo("ran");
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void winsOverRetriesWhileItRuns() {
        AtomicInteger attempts = new AtomicInteger();
        try (ThreadScope scope = ThreadScope.open()) {
            Task<String> task = scope.submit(
                    () -> {
                        attempts.incrementAndGet();
                        return Plug.polite().call();
                    },
                    RetryPolicy.attempts(5),
                    Duration.ofMillis(40));
            assertThatThrownBy(task::await).isInstanceOf(TaskTimeoutException.class);
        }
        assertThat(attempts).hasValue(1);
    }

    @Test
    void winsOverRetriesBetweenTwoAttempts() {
        Flaky flaky = Flaky.failingAlways();
        try (ThreadScope scope = ThreadScope.open()) {
            Task<String> task = scope.submit(flaky, RetryPolicy.fixedDelay(5, LONG), Duration.ofMillis(40));
            Throwable thrown = catchThrowable(task::await);
            assertThat(thrown).isInstanceOf(TaskTimeoutException.class);
            assertThat(thrown.getSuppressed()).containsExactlyElementsOf(flaky.thrown);
            assertThat(flaky.attempts()).isEqualTo(1);
        }
    }

    @Test
    void winsOverRetriesThatFollowAtOnce() {
        try (ThreadScope scope = ThreadScope.open()) {
            Task<String> task = scope.submit(
                    Flaky.failingAlways(),
                    RetryPolicy.fixedDelay(Integer.MAX_VALUE, Duration.ofMillis(1)),
                    Duration.ofMillis(20));
            assertThatThrownBy(task::await).isInstanceOf(TaskTimeoutException.class);
        }
    }

    @Test
    void taskThatEndsInTimeIsNotHeldToIt() {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThat(scope.submit(() -> "ran", LONG).await()).isEqualTo("ran");
        }
    }

    @Test
    void stubbornTaskHasFailedToItsWaitersAndHoldsItsPlaceUntilItEnds() {
        Plug stubborn = Plug.stubborn();
        try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(1).withQueueing(true)) {
            Task<String> task = scope.submit(stubborn, Duration.ofMillis(20));
            assertEnds(task, Task.State.FAILED);
            Task<String> next = scope.submit(() -> "ran");
            TestKit.letOthersRun();
            assertThat(next.state()).isEqualTo(Task.State.PENDING);
            stubborn.release();
            assertThat(next.await()).isEqualTo("ran");
            assertThat(task.state()).isEqualTo(Task.State.FAILED);
        }
    }

    @Test
    void cancelBeforeItIsACancellation() {
        try (ThreadScope scope = ThreadScope.open()) {
            Task<String> task = scope.submit(Plug.polite(), Duration.ofMillis(30));
            if (task.cancel()) {
                Task<String> control = scope.submit(Plug.polite(), Duration.ofMillis(30));
                assertEnds(control, Task.State.FAILED);
                eventually(() -> assertThat(task.state()).isEqualTo(Task.State.CANCELLED));
            }
        }
    }
}
