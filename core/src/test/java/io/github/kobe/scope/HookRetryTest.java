package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.Flaky;
import io.github.kobe.GroupExecutor;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.Log;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is a hook told of attempts that fail? */
@Timeout(60)
class HookRetryTest {

    private static final RetryPolicy THREE = RetryPolicy.fixedDelay(3, Duration.ofNanos(5));

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final ThreadHook hook = new ThreadHook() {
        @Override
        public void onStart(TaskInfo info) {
            heard.add("start");
        }

        @Override
        public void onRetry(TaskInfo info, int failedAttempts, Throwable error, Duration delay) {
            Object value = Context.get("user");
            heard.add(info.name() + " failed " + failedAttempts + ", " + delay.toNanos() + " ns, " + value);
        }

        @Override
        public void onSuccess(TaskInfo info, Duration duration) {
            heard.add("success");
        }

        @Override
        public void onFailure(TaskInfo info, Throwable error, Duration duration) {
            heard.add("failure");
        }
    };

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void isToldOfEachAttemptThatIsFollowedByAnother(Scheduler scheduler) {
        Context.put("user", "ada");
        try (ThreadScope scope =
                ThreadScope.open().withScheduler(scheduler).withHook(hook).withRetryPolicy(THREE)) {
            scope.submit("load", Flaky.failing(2)).await();
        } finally {
            Context.remove("user");
        }
        assertThat(heard).containsExactly("start", "load failed 1, 5 ns, ada", "load failed 2, 5 ns, ada", "success");
    }

    @Test
    void isNotToldOfTheLastFailureTwice() {
        try (ThreadScope scope =
                ThreadScope.open().withHook(hook).withRetryPolicy(THREE).withFailurePolicy(FailurePolicy.SUPERVISOR)) {
            scope.await(scope.submit("load", Flaky.failing(3)));
        }
        assertThat(heard).containsExactly("start", "load failed 1, 5 ns, null", "load failed 2, 5 ns, null", "failure");
    }

    @Test
    void isToldOfAValueThatIsRetried() {
        AtomicInteger value = new AtomicInteger();
        RetryPolicy until2 = RetryPolicy.builder()
                .maxAttempts(3)
                .retryOnResult(result -> !Integer.valueOf(2).equals(result))
                .build();
        try (ThreadScope scope = ThreadScope.open().withHook(hook).withRetryPolicy(until2)) {
            assertThat(scope.submit("load", value::incrementAndGet).await()).isEqualTo(2);
        }
        assertThat(heard).containsExactly("start", "load failed 1, 0 ns, null", "success");
    }

    @Test
    void isToldInGroups() {
        try (GroupExecutor groups = TestKit.executor(b -> b);
                ThreadScope scope =
                        ThreadScope.open().withGroups(groups).withHook(hook).withRetryPolicy(THREE)) {
            scope.submitTo("g", "load", Flaky.failing(1)).await();
        }
        assertThat(heard).containsExactly("start", "load failed 1, 5 ns, null", "success");
    }

    @Test
    void bothHooksOfAPairAreTold() {
        try (ThreadScope scope =
                ThreadScope.open().withHook(hook).withHook(hook).withRetryPolicy(THREE)) {
            scope.submit("load", Flaky.failing(1)).await();
        }
        assertThat(heard).filteredOn(line -> line.contains("failed")).hasSize(2);
    }

    @Test
    void hookThatThrowsOrInterruptsDoesNotStopTheRetry() {
        ThreadHook bad = new ThreadHook() {
            @Override
            public void onRetry(TaskInfo info, int failedAttempts, Throwable error, Duration delay) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("bad onRetry");
            }
        };
        try (Log log = new Log();
                ThreadScope scope = ThreadScope.open().withHook(bad).withRetryPolicy(THREE)) {
            Flaky flaky = Flaky.failing(2);
            scope.submit("load", flaky).await();
            assertThat(flaky.threads).hasSize(3);
            assertThat(log.lines("hook onRetry")).isNotEmpty();
        }
    }
}
