package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TestKit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which settings does a scope have, until when can they be changed, and what are the defaults? */
@Timeout(60)
class ScopeSettingsTest {

    private static final GroupExecutor GROUPS = TestKit.executor(b -> b);

    @AfterAll
    static void close() {
        GROUPS.close();
    }

    static Stream<Arguments> settings() {
        Map<String, UnaryOperator<ThreadScope>> all = Map.ofEntries(
                Map.entry("withScheduler", s -> s.withScheduler(Scheduler.commonPool())),
                Map.entry("withFailurePolicy", s -> s.withFailurePolicy(FailurePolicy.SUPERVISOR)),
                Map.entry("withRetryPolicy", s -> s.withRetryPolicy(RetryPolicy.attempts(2))),
                Map.entry("withDefaultTaskPriority", s -> s.withDefaultTaskPriority(TaskPriority.HIGH)),
                Map.entry("withConcurrencyLimit", s -> s.withConcurrencyLimit(3)),
                Map.entry("withQueueing", s -> s.withQueueing(true)),
                Map.entry("withDeadline", s -> s.withDeadline(Duration.ofSeconds(5))),
                Map.entry("withCloseGrace", s -> s.withCloseGrace(Duration.ofSeconds(5))),
                Map.entry("withHook", s -> s.withHook(new ThreadHook() {})),
                Map.entry("withContextCarrier", s -> s.withContextCarrier(() -> null)),
                Map.entry("withGroups", s -> s.withGroups(GROUPS)));
        return all.entrySet().stream().map(e -> Arguments.of(e.getKey(), e.getValue()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    void returnsTheScopeBeforeTheFirstSubmit(String name, UnaryOperator<ThreadScope> setting) {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThat(setting.apply(scope)).isSameAs(scope);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    void settingAfterTheFirstSubmitThrows(String name, UnaryOperator<ThreadScope> setting) {
        try (ThreadScope scope = ThreadScope.open()) {
            scope.submit(() -> "ran").await();
            assertThatIllegalStateException()
                    .isThrownBy(() -> setting.apply(scope))
                    .withMessageContaining(scope.id());
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    void settingAfterTheFirstScheduleThrows(String name, UnaryOperator<ThreadScope> setting) {
        try (ThreadScope scope = ThreadScope.open()) {
            scope.schedule(ScopeKit.LONG, () -> "never");
            assertThatIllegalStateException().isThrownBy(() -> setting.apply(scope));
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    void settingAfterCloseThrows(String name, UnaryOperator<ThreadScope> setting) {
        ThreadScope scope = ThreadScope.open();
        scope.close();
        assertThatIllegalStateException().isThrownBy(() -> setting.apply(scope));
    }

    @Test
    void rejectedSettingChangesNothing() {
        try (ThreadScope scope = ThreadScope.open()) {
            scope.submit(() -> "ran").await();
            assertThatIllegalStateException().isThrownBy(() -> scope.withFailurePolicy(FailurePolicy.IGNORE_ALL));
            assertThat(scope.failurePolicy()).isEqualTo(FailurePolicy.FAIL_FAST);
        }
    }

    @Test
    void defaultsAreThoseOfTheSeed() {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThat(scope.scheduler()).isSameAs(Scheduler.virtualThreads());
            assertThat(scope.failurePolicy()).isEqualTo(FailurePolicy.FAIL_FAST);
            assertThat(scope.retryPolicy()).isSameAs(RetryPolicy.noRetry());
            assertThat(scope.defaultTaskPriority()).isEqualTo(TaskPriority.NORMAL);
            assertThat(scope.deadline()).isEqualTo(Duration.ofSeconds(30));
        }
    }

    @Test
    void byDefaultThereIsNoLimit() {
        try (ThreadScope scope = ThreadScope.open()) {
            CountDownLatch all = new CountDownLatch(200);
            for (int i = 0; i < 200; i++) {
                scope.submit(() -> {
                    all.countDown();
                    all.await();
                    return "ran";
                });
            }
            TestKit.await(all);
        }
    }

    @Test
    void settersChangeTheSettingsOfTheScope() {
        Scheduler scheduler = Scheduler.fixed(1);
        RetryPolicy retry = RetryPolicy.attempts(3);
        try (ThreadScope scope = ThreadScope.open()
                .withScheduler(scheduler)
                .withFailurePolicy(FailurePolicy.COLLECT_ALL)
                .withRetryPolicy(retry)
                .withDefaultTaskPriority(TaskPriority.LOW)
                .withDeadline(Duration.ofMinutes(2))) {
            assertThat(scope.scheduler()).isSameAs(scheduler);
            assertThat(scope.failurePolicy()).isEqualTo(FailurePolicy.COLLECT_ALL);
            assertThat(scope.retryPolicy()).isSameAs(retry);
            assertThat(scope.defaultTaskPriority()).isEqualTo(TaskPriority.LOW);
            assertThat(scope.deadline()).isEqualTo(Duration.ofMinutes(2));
        }
    }

    static Stream<Arguments> invalid() {
        Map<String, UnaryOperator<ThreadScope>> all = Map.of(
                "concurrencyLimit=0", s -> s.withConcurrencyLimit(0),
                "concurrencyLimit=-1", s -> s.withConcurrencyLimit(-1),
                "deadline=PT0S", s -> s.withDeadline(Duration.ZERO),
                "attemptTimeout=PT0S", s -> s.withAttemptTimeout(Duration.ZERO),
                "deadline=PT-1S", s -> s.withDeadline(Duration.ofSeconds(-1)),
                "closeGrace=PT-1S", s -> s.withCloseGrace(Duration.ofSeconds(-1)));
        return all.entrySet().stream().map(e -> Arguments.of(e.getKey(), e.getValue()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("invalid")
    void invalidSettingIsNamedWithItsValue(String nameAndValue, UnaryOperator<ThreadScope> setting) {
        String[] parts = nameAndValue.split("=");
        try (ThreadScope scope = ThreadScope.open()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> setting.apply(scope))
                    .withMessageContainingAll(parts[0], parts[1]);
        }
    }

    /** In a chain the caller has no reference to close, and later scopes of the thread would be nested in it for ever. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("invalid")
    void scopeIsClosedIfASettingIsInvalid(String nameAndValue, UnaryOperator<ThreadScope> setting) {
        List<String> cleanedUp = new ArrayList<>();
        ThreadScope refused = ThreadScope.open();
        refused.defer(() -> cleanedUp.add("once"));
        assertThatIllegalArgumentException().isThrownBy(() -> setting.apply(refused));
        assertThat(cleanedUp).containsExactly("once");
        assertThatIllegalStateException().isThrownBy(() -> refused.submit(() -> "ran"));
        try (ThreadScope next = ThreadScope.open().withDeadline(Duration.ofDays(1))) {
            assertThat(next.deadline()).as("not that of the one before").isEqualTo(Duration.ofDays(1));
        }
    }

    @Test
    void scopeInUseRejectsSettingsAndIsNotClosed() {
        try (ThreadScope scope = ThreadScope.open()) {
            scope.submit(() -> "ran").await();
            assertThatIllegalStateException().isThrownBy(() -> scope.withConcurrencyLimit(0));
            assertThat(scope.submit(() -> "ran").await()).isEqualTo("ran");
        }
    }

    @Test
    void hugeDeadlineIsNoDeadline() {
        try (ThreadScope scope = ThreadScope.open().withDeadline(Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThat(scope.submit(() -> "ran").await()).isEqualTo("ran");
        }
    }

    @Test
    void eachScopeHasItsOwnId() {
        try (ThreadScope one = ThreadScope.open();
                ThreadScope other = ThreadScope.open()) {
            assertThat(one.id()).startsWith("scope-").isNotEqualTo(other.id());
        }
    }
}
