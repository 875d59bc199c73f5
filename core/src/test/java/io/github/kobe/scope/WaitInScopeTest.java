package io.github.kobe.scope;

import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.Flaky;
import io.github.kobe.GroupExecutor;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.Peak;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that holds a permit waits for tasks of a scope that need the same permit. */
@Timeout(60)
class WaitInScopeTest {

    private final GroupExecutor groups = executor(b -> b.defaultMaxConcurrencyPerGroup(1));

    @AfterEach
    void close() {
        TestKit.eventually(() -> assertThat(groups.stats().totalActiveCount()).isZero());
        groups.close();
    }

    private ThreadScope open() {
        return ThreadScope.open().withGroups(groups);
    }

    private int sumOf(ThreadScope scope, int tasks) throws InterruptedException {
        List<Task<Integer>> submitted = IntStream.range(0, tasks)
                .mapToObj(i -> scope.submitTo("g", "task-" + i, () -> i))
                .toList();
        scope.await(submitted);
        return submitted.stream().mapToInt(Task::await).sum();
    }

    @Test
    void callAroundAScopeInTheSameGroup() throws Exception {
        int sum = groups.call("g", () -> {
            try (ThreadScope scope = open()) {
                return sumOf(scope, 10);
            }
        });
        assertThat(sum).isEqualTo(45);
    }

    @Test
    void taskOfTheGroupOpensAScope() {
        TaskHandle<Integer> outer = groups.submit("g", "outer", () -> {
            try (ThreadScope scope = open()) {
                return scope.submitTo("g", "inner", () -> 1).await() + sumOf(scope, 4);
            }
        });
        assertThat(TestKit.resultOf(outer).value()).isEqualTo(7);
    }

    @Test
    void scopeWithALimitOfItsOwn() throws Exception {
        for (boolean queues : List.of(true, false)) {
            int sum = groups.call("g", () -> {
                try (ThreadScope scope = open().withConcurrencyLimit(1).withQueueing(queues)) {
                    return sumOf(scope, 10);
                }
            });
            assertThat(sum).isEqualTo(45);
        }
    }

    @Test
    void scopesInScopesOfTheSameGroup() throws Exception {
        assertThat(groups.call("g", () -> nested(20))).isEqualTo(20);
    }

    private int nested(int depth) {
        try (ThreadScope scope = open()) {
            return depth == 0
                    ? 0
                    : 1
                            + scope.submitTo("g", "level-" + depth, () -> nested(depth - 1))
                                    .await();
        }
    }

    @Test
    void tasksWithRetries() throws Exception {
        Flaky flaky = Flaky.failing(3);
        groups.call("g", () -> {
            try (ThreadScope scope = open().withRetryPolicy(RetryPolicy.fixedDelay(4, Duration.ofMillis(1)))) {
                return scope.submitTo("g", "flaky", flaky).await();
            }
        });
        assertThat(flaky.attempts()).isEqualTo(4);
    }

    @Test
    void neverMoreCodeRunsThanThereArePermits() throws Exception {
        Peak running = new Peak();
        List<TaskHandle<Integer>> outer = IntStream.range(0, 8)
                .mapToObj(n -> groups.submit("g", "outer-" + n, () -> running.during(() -> 1) + scopeOf(running)))
                .toList();
        outer.forEach(handle -> assertThat(TestKit.resultOf(handle).value()).isEqualTo(7));
        assertThat(running.most()).isEqualTo(1);
    }

    private int scopeOf(Peak running) throws Exception {
        try (ThreadScope scope = open()) {
            List<Task<Integer>> tasks = IntStream.range(0, 5)
                    .mapToObj(i -> scope.submitTo("g", "inner", () -> running.during(() -> 1)))
                    .toList();
            scope.await(tasks);
            return running.during(() -> 1)
                    + tasks.stream().mapToInt(Task::await).sum();
        }
    }

    @Test
    void aTaskWaitsForAnotherTaskOfItsLimitedScope() throws Exception {
        Peak running = new Peak();
        try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(1).withQueueing(true)) {
            Callable<Integer> inner = () -> running.during(() -> 1);
            Task<Integer> outer =
                    scope.submit("outer", () -> scope.submit("inner", inner).await() + running.during(() -> 1));
            assertThat(outer.await()).isEqualTo(2);
        }
        assertThat(running.most()).isEqualTo(1);
    }

    @Test
    void theFirstSuccessInALimitedScope() throws Exception {
        try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(1).withQueueing(true)) {
            Task<Integer> outer = scope.submit(
                    "outer", () -> scope.joiner().firstSuccess(List.<Callable<Integer>>of(() -> 1, () -> 2)));
            assertThat(outer.await()).isBetween(1, 2);
        }
    }
}
