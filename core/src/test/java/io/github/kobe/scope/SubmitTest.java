package io.github.kobe.scope;

import static io.github.kobe.scope.ScopeKit.LONG;
import static io.github.kobe.scope.ScopeKit.blocker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.Flaky;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.TestKit.BlockingTask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Does every way to submit a task do what it says? */
@Timeout(60)
class SubmitTest {

    private static final TaskPriority HIGH = TaskPriority.HIGH;
    private static final RetryPolicy THRICE = RetryPolicy.attempts(3);
    private static final Duration TIMEOUT = Duration.ofMillis(2);

    @FunctionalInterface
    interface Way {
        Task<String> submit(ThreadScope scope, Callable<String> work);
    }

    private static Arguments way(String with, Way way) {
        return Arguments.of(with, way);
    }

    /** The first argument lists the options that the call sets. The calls are written out, so that they must compile. */
    static Stream<Arguments> ways() {
        return Stream.of(
                way("", (s, c) -> s.submit(c)),
                way("priority", (s, c) -> s.submit(c, HIGH)),
                way("retry", (s, c) -> s.submit(c, THRICE)),
                way("timeout", (s, c) -> s.submit(c, TIMEOUT)),
                way("priority retry", (s, c) -> s.submit(c, HIGH, THRICE)),
                way("priority timeout", (s, c) -> s.submit(c, HIGH, TIMEOUT)),
                way("retry timeout", (s, c) -> s.submit(c, THRICE, TIMEOUT)),
                way("priority retry timeout", (s, c) -> s.submit(c, HIGH, THRICE, TIMEOUT)),
                way("name", (s, c) -> s.submit("x", c)),
                way("name priority", (s, c) -> s.submit("x", c, HIGH)),
                way("name retry", (s, c) -> s.submit("x", c, THRICE)),
                way("name timeout", (s, c) -> s.submit("x", c, TIMEOUT)),
                way("name priority retry", (s, c) -> s.submit("x", c, HIGH, THRICE)),
                way("name priority timeout", (s, c) -> s.submit("x", c, HIGH, TIMEOUT)),
                way("name retry timeout", (s, c) -> s.submit("x", c, THRICE, TIMEOUT)),
                way("name priority retry timeout", (s, c) -> s.submit("x", c, HIGH, THRICE, TIMEOUT)));
    }

    static Stream<Arguments> waysWithATimeout() {
        return ways().filter(way -> way.get()[0].toString().contains("timeout"));
    }

    static Stream<Arguments> waysWithoutATimeout() {
        return ways().filter(way -> !way.get()[0].toString().contains("timeout"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("waysWithoutATimeout")
    void runsAndReturnsItsValue(String with, Way way) {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThat(way.submit(scope, () -> "ran").await()).isEqualTo("ran");
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ways")
    void taskHasTheGivenName(String with, Way way) {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThat(way.submit(scope, () -> "ran").name()).isEqualTo(with.contains("name") ? "x" : "task-1");
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("waysWithoutATimeout")
    void taskHasTheGivenRetryPolicy(String with, Way way) {
        Flaky flaky = Flaky.failingAlways();
        try (ThreadScope scope = ThreadScope.open()) {
            Task<String> task = way.submit(scope, flaky);
            assertThatThrownBy(task::await).isInstanceOf(TaskExecutionException.class);
            assertThat(flaky.attempts()).isEqualTo(with.contains("retry") ? 3 : 1);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("waysWithATimeout")
    void taskHasTheGivenTimeout(String with, Way way) {
        try (ThreadScope scope = ThreadScope.open()) {
            Task<String> task = way.submit(scope, BlockingTask.interruptible());
            assertThatThrownBy(task::await).isInstanceOf(TaskTimeoutException.class);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("waysWithoutATimeout")
    void taskHasTheGivenPriority(String with, Way way) {
        List<String> order = new CopyOnWriteArrayList<>();
        try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(1).withQueueing(true)) {
            BlockingTask blocker = blocker(scope);
            Task<Boolean> normal = scope.submit(() -> order.add("normal"));
            Task<String> other = way.submit(scope, () -> {
                order.add("other");
                return "ran";
            });
            blocker.release();
            scope.await(normal, other);
            assertThat(order.getFirst()).isEqualTo(with.contains("priority") ? "other" : "normal");
        }
    }

    @Test
    void omittedOptionsAreThoseOfTheScope() {
        Flaky flaky = Flaky.failing(1);
        List<String> order = new CopyOnWriteArrayList<>();
        try (ThreadScope scope = ThreadScope.open()
                .withRetryPolicy(RetryPolicy.attempts(2))
                .withDefaultTaskPriority(TaskPriority.LOW)
                .withConcurrencyLimit(1)
                .withQueueing(true)) {
            assertThat(scope.submit(flaky).await()).isEqualTo("succeeded");
            BlockingTask blocker = blocker(scope);
            Task<Boolean> byDefault = scope.submit(() -> order.add("default"));
            Task<Boolean> normal = scope.submit(() -> order.add("normal"), TaskPriority.NORMAL);
            blocker.release();
            scope.await(byDefault, normal);
            assertThat(order).containsExactly("normal", "default");
        }
    }

    @Test
    void taskWithoutRetryInAScopeThatRetriesHasOneAttempt() {
        Flaky flaky = Flaky.failing(1);
        try (ThreadScope scope = ThreadScope.open().withRetryPolicy(RetryPolicy.attempts(2))) {
            Task<String> task = scope.submit(flaky, RetryPolicy.noRetry());
            assertThatThrownBy(task::await).hasCause(flaky.thrown.getFirst());
            assertThat(flaky.attempts()).isEqualTo(1);
        }
    }

    @Test
    void nullTimeoutIsNone() {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThat(scope.submit("x", () -> "ran", (Duration) null).await()).isEqualTo("ran");
        }
    }

    @Test
    void timeoutThatIsNotPositiveThrowsAndNothingRuns() {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> scope.submit(() -> "ran", Duration.ZERO))
                    .withMessageContainingAll("timeout", "PT0S");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> scope.submit(() -> "ran", LONG.negated()))
                    .withMessageContaining("timeout");
            assertThat(scope.metrics().started()).isZero();
        }
    }

    @Test
    void idsCountFromOne() {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThat(List.of(scope.submit(() -> 1).id(), scope.submit(() -> 2).id()))
                    .containsExactly(1L, 2L);
        }
    }

    @Test
    void actionsOfTheSubmitterHappenBeforeTheTask() {
        int[] written = new int[1];
        try (ThreadScope scope = ThreadScope.open()) {
            written[0] = 7;
            assertThat(scope.submit(() -> written[0]++).await()).isEqualTo(7);
            assertThat(written[0]).isEqualTo(8);
        }
    }

    @Test
    void runnableCanBeSubmitted() {
        List<String> ran = new CopyOnWriteArrayList<>();
        try (ThreadScope scope = ThreadScope.open()) {
            Task<?> one = scope.submit(() -> ran.add("one"));
            scope.await(one);
            Task<?> other = scope.submit("other", () -> ran.clear());
            assertThat(other.await()).isNull();
            assertThat(other.name()).isEqualTo("other");
            assertThat(one.await()).as("what returns something is a callable").isEqualTo(true);
            assertThat(ran).isEmpty();
            assertThatIllegalStateException().isThrownBy(scope.submit((Runnable) () -> {
                throw new IllegalStateException("on purpose");
            })::await);
        }
    }
}
