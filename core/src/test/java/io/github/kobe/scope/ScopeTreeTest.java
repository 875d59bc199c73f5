package io.github.kobe.scope;

import static io.github.kobe.scope.ScopeKit.LONG;
import static io.github.kobe.scope.ScopeKit.failing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.time.FakeTimer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Do a scope and the exception of a failed wait show the tasks, their states and their threads? */
@Timeout(60)
class ScopeTreeTest {

    private static final String DURATION = "[0-9.]+ (ns|µs|ms|s)";

    @Test
    void freshScopeHasNoTasks() {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThat(scope.toString()).matches(scope.id() + " open, no tasks; [0-9.]+ s left");
        }
    }

    @Test
    void showsNamesStatesDurationsAndThreads() {
        try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(1).withQueueing(true)) {
            scope.submit("done", () -> "ran").await();
            BlockingTask blocker = BlockingTask.interruptible();
            scope.submit("runs", blocker);
            TestKit.await(blocker.started);
            scope.submit("waits", () -> "later");
            String[] lines = scope.toString().split("\n");
            assertThat(lines).hasSize(3);
            assertThat(lines[0])
                    .startsWith(scope.id() + " open, 1 pending, 1 running, 1 succeeded, 0 failed, 0 cancelled; ");
            assertThat(lines[1]).matches("  runs RUNNING for " + DURATION + " on virtual thread .* #[0-9]+");
            assertThat(lines[2]).isEqualTo("  waits PENDING");
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulersWithOneThread")
    void showsTasksThatAwaitAThread(Scheduler scheduler) {
        try (ThreadScope scope = ThreadScope.open().withScheduler(scheduler)) {
            BlockingTask blocker = BlockingTask.interruptible();
            scope.submit("runs", blocker);
            TestKit.await(blocker.started);
            scope.submit("waits", () -> "later");
            assertThat(scope.toString())
                    .contains("1 pending, 1 running", "runs RUNNING for ", " on thread ", "  waits PENDING");
        }
    }

    @Test
    void showsNestedScopesIndented() {
        try (ThreadScope outer = ThreadScope.open();
                ThreadScope inner = ThreadScope.open()) {
            BlockingTask blocker = BlockingTask.interruptible();
            inner.submit("in the inner one", blocker);
            TestKit.await(blocker.started);
            assertThat(outer.toString())
                    .containsSubsequence(outer.id(), "\n  " + inner.id() + " open", "\n    in the inner one RUNNING");
        }
    }

    @Test
    void showsTheCauseOfCancellationAndThatItIsClosed() {
        ThreadScope scope = ThreadScope.open();
        scope.token().cancel();
        assertThat(scope).asString().contains("cancelled: by its token").doesNotContain("left");
        scope.close();
        assertThat(scope).asString().startsWith(scope.id() + " closed");
    }

    @Test
    void manyTasksAreTruncated() {
        try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(1).withQueueing(true)) {
            ScopeKit.blocker(scope);
            for (int i = 0; i < 119; i++) {
                scope.submit("t" + i, BlockingTask.interruptible());
            }
            assertThat(scope.toString().lines().toList()).hasSize(52).last().isEqualTo("  and 70 more");
        }
    }

    @Test
    void failureThatCancelsOthersLeavesTheTreeInTheScope() {
        for (FailurePolicy policy : List.of(FailurePolicy.FAIL_FAST, FailurePolicy.CANCEL_OTHERS)) {
            try (ThreadScope scope = ThreadScope.open().withFailurePolicy(policy)) {
                assertThat(scope.failureTree()).isEmpty();
                BlockingTask blocker = BlockingTask.interruptible();
                Task<String> other = scope.submit("other", blocker);
                TestKit.await(blocker.started);
                IllegalStateException fault = new IllegalStateException("x");
                Task<String> failed = scope.submit("culprit", failing(fault));
                assertThat(catchThrowable(() -> scope.await(other, failed)))
                        .isSameAs(policy == FailurePolicy.FAIL_FAST ? fault : null);
                String tree = scope.failureTree().orElseThrow();
                assertThat(tree).contains(scope.id(), "other RUNNING for ", "on virtual thread", "culprit FAILED");
                assertThat(fault.getSuppressed()).as("nothing is added to it").isEmpty();
                assertThat(catchThrowable(() -> scope.await(failed)))
                        .isSameAs(policy == FailurePolicy.FAIL_FAST ? fault : null);
                assertThat(scope.failureTree()).as("of the first failure").hasValue(tree);
            }
        }
    }

    @Test
    void failureThatCancelsNoOtherLeavesNoTree() {
        try (ThreadScope scope = ThreadScope.open().withFailurePolicy(FailurePolicy.SUPERVISOR)) {
            scope.await(scope.submit("culprit", failing(new IllegalStateException("x"))));
            assertThat(scope.failureTree()).isEmpty();
        }
    }

    @Test
    void messagesOfAggregateAndTimeoutContainTheTree() {
        try (ThreadScope scope = ThreadScope.open().withFailurePolicy(FailurePolicy.COLLECT_ALL)) {
            Task<String> good = scope.submit("good", () -> "ran");
            Task<String> bad = scope.submit("bad", failing(new IllegalStateException("x")));
            assertThat(catchThrowable(() -> scope.await(good, bad)))
                    .hasMessageContainingAll(scope.id(), "good SUCCESS", "bad FAILED");
        }
        FakeTimer timer = new FakeTimer();
        try (ThreadScope scope =
                ThreadScope.open().withScheduler(ScopeKit.on(timer)).withDeadline(LONG)) {
            Task<String> slow = scope.submit("slow", BlockingTask.interruptible());
            assertThat(ScopeKit.thrownAfter(timer, LONG, () -> scope.await(slow)))
                    .hasMessageContainingAll(scope.id(), "slow CANCELLED");
        }
    }

    @Test
    void completedTasksAreShownWithTheirDurations() {
        FakeTimer timer = new FakeTimer();
        timer.advance(1); // the kernel reads a start at 0 as "not started"
        try (ThreadScope scope = ThreadScope.open()
                .withScheduler(ScopeKit.on(timer))
                .withDeadline(LONG)
                .withFailurePolicy(FailurePolicy.COLLECT_ALL)) {
            Task<Integer> good = scope.submit("good", () -> {
                timer.advance(TimeUnit.SECONDS.toNanos(2));
                return 1;
            });
            scope.await(good);
            BlockingTask blocker = BlockingTask.interruptible();
            Task<String> stopped = scope.submit("stopped", blocker);
            TestKit.await(blocker.started);
            timer.advance(TimeUnit.SECONDS.toNanos(3));
            stopped.cancel();
            Task<Integer> bad = scope.submit("bad", () -> {
                timer.advance(TimeUnit.SECONDS.toNanos(4));
                throw new IllegalStateException("x");
            });
            assertThat(catchThrowable(() -> scope.await(good, stopped, bad)).getMessage())
                    .contains("good SUCCESS for 2 s", "stopped CANCELLED for 3 s", "bad FAILED for 4 s");
        }
    }
}
