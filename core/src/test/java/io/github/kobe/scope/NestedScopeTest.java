package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.scope.ScopeKit.LONG;
import static io.github.kobe.scope.ScopeKit.blocker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.time.FakeTimer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What does a scope inherit from the scope that it was opened in? */
@Timeout(60)
class NestedScopeTest {

    private static final Duration DEADLINE = LONG.dividedBy(4);

    private final FakeTimer timer = new FakeTimer();

    // ---- time, which passes when the test says so ----------------------------------------------------------------

    private ThreadScope open(Duration deadline) {
        return ThreadScope.open().withScheduler(ScopeKit.on(timer)).withDeadline(deadline);
    }

    private AbstractThrowableAssert<?, ?> assertThatAfterTheDeadline(ThrowingCallable waiting) {
        return assertThat(ScopeKit.thrownAfter(timer, DEADLINE, waiting));
    }

    /** A quarter of an hour, less the time that the test took to open the two scopes. */
    private static void assertIsWhatRemains(Duration deadline) {
        assertThat(deadline).isBetween(DEADLINE.dividedBy(2), DEADLINE.multipliedBy(2));
    }

    @Test
    void deadlineIsCappedByTheScopeOfTheOwnersThread() {
        try (ThreadScope outer = open(LONG)) {
            timer.advance(LONG.minus(DEADLINE).toNanos());
            try (ThreadScope inner = open(LONG)) {
                assertIsWhatRemains(inner.deadline());
                assertThat(outer.deadline()).isEqualTo(LONG);
            }
        }
    }

    @Test
    void deadlineIsCappedByTheScopeOfTheTaskThatOpenedIt() {
        try (ThreadScope outer = open(LONG)) {
            timer.advance(LONG.minus(DEADLINE).toNanos());
            Task<Duration> task = outer.submit(() -> {
                try (ThreadScope inner = open(LONG)) {
                    return inner.deadline();
                }
            });
            assertIsWhatRemains(task.await());
        }
    }

    @Test
    void mayHaveAnEarlierDeadline() {
        try (ThreadScope outer = open(LONG);
                ThreadScope inner = open(DEADLINE)) {
            assertThat(inner.deadline()).isEqualTo(DEADLINE);
            BlockingTask blocker = blocker(outer);
            Task<String> task = inner.submit(BlockingTask.interruptible());
            assertThatAfterTheDeadline(() -> inner.await(task)).isInstanceOf(ScopeTimeoutException.class);
            assertThat(outer.token().isCancelled()).isFalse();
            assertThat(blocker.wasInterrupted()).isFalse();
        }
    }

    @Test
    void deadlineOfTheOuterScopeCancelsItWithATimeout() {
        try (ThreadScope outer = open(DEADLINE);
                ThreadScope inner = open(LONG)) {
            Task<String> task = inner.submit(BlockingTask.interruptible());
            outer.submit(() -> "ran");
            assertThatAfterTheDeadline(() -> inner.await(task)).isInstanceOf(ScopeTimeoutException.class);
            eventually(() -> assertThat(outer.token().isCancelled()).isTrue());
        }
    }

    /** The clock of the inner scope stands still, so only the outer scope can cancel it. */
    @Test
    void deadlineOfTheOuterScopeIsATimeoutEvenIfItsOwnTimerHasNotFired() {
        try (ThreadScope outer = open(DEADLINE);
                ThreadScope inner = ThreadScope.open()
                        .withScheduler(ScopeKit.on(new FakeTimer()))
                        .withDeadline(LONG)) {
            outer.submit(() -> "ran");
            Task<String> task = inner.submit(BlockingTask.interruptible());
            assertThatAfterTheDeadline(() -> inner.await(task))
                    .isInstanceOf(ScopeTimeoutException.class)
                    .hasMessageContainingAll("deadline", outer.id());
            assertThatThrownBy(() -> inner.submit(() -> "ran")).isInstanceOf(ScopeTimeoutException.class);
        }
    }

    @Test
    void deadlineOfTheOuterScopeAppliesEvenIfTheOuterScopeHasNoTasks() {
        try (ThreadScope outer = open(DEADLINE);
                ThreadScope inner = open(LONG)) {
            Task<String> task = inner.submit(BlockingTask.interruptible());
            assertThatAfterTheDeadline(() -> inner.await(task)).isInstanceOf(ScopeTimeoutException.class);
            assertThat(outer.deadline()).isEqualTo(DEADLINE);
        }
    }

    // ---- cancelling and closing ----------------------------------------------------------------------------------

    @Test
    void isCancelledWithTheScopeOfTheOwnersThread() {
        try (ThreadScope outer = ThreadScope.open();
                ThreadScope inner = ThreadScope.open();
                ThreadScope innermost = ThreadScope.open()) {
            BlockingTask blocker = blocker(innermost);
            outer.token().cancel();
            assertThat(inner.token().isCancelled()).isTrue();
            assertThat(innermost.token().isCancelled()).isTrue();
            TestKit.await(blocker.interrupted);
            assertThatThrownBy(inner.token()::throwIfCancelled).hasMessageContaining(outer.id());
            assertThatThrownBy(() -> inner.submit(() -> "ran")).isInstanceOf(CancelledException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void isCancelledWithTheScopeOfTheTaskThatOpenedIt(Scheduler scheduler) {
        BlockingTask blocker = BlockingTask.interruptible();
        try (ThreadScope outer = ThreadScope.open().withScheduler(scheduler)) {
            outer.submit(() -> {
                try (ThreadScope inner = ThreadScope.open()) {
                    return inner.submit(blocker).await();
                }
            });
            TestKit.await(blocker.started);
            outer.token().cancel();
            TestKit.await(blocker.interrupted);
        }
    }

    @Test
    void cancellingItDoesNotAffectTheOuterScope() {
        try (ThreadScope outer = ThreadScope.open();
                ThreadScope inner = ThreadScope.open()) {
            inner.token().cancel();
            assertThat(outer.token().isCancelled()).isFalse();
            assertThat(outer.submit(() -> "ran").await()).isEqualTo("ran");
        }
    }

    @Test
    void isCancelledFromTheStartIfOpenedInACancelledScope() {
        try (ThreadScope outer = ThreadScope.open()) {
            outer.token().cancel();
            try (ThreadScope inner = ThreadScope.open()) {
                assertThat(inner.token().isCancelled()).isTrue();
                assertThatThrownBy(() -> inner.submit(() -> "ran")).isInstanceOf(CancelledException.class);
            }
        }
    }

    @Test
    void closeOfTheOuterScopeWaitsForItsTasks() {
        ThreadScope outer = ThreadScope.open();
        ThreadScope inner = ThreadScope.open();
        BlockingTask blocker = blocker(inner);
        outer.close();
        assertThat(blocker.hasEnded()).isTrue();
        assertThatThrownBy(() -> inner.submit(() -> "ran")).isInstanceOf(CancelledException.class);
        inner.close();
    }

    @Test
    void unclosedScopeOfATaskIsClosedWithTheOuterScope() {
        BlockingTask blocker = BlockingTask.interruptible();
        ThreadScope outer = ThreadScope.open();
        outer.submit(() -> blocker(ThreadScope.open(), blocker)).await();
        outer.close();
        assertThat(blocker.hasEnded()).isTrue();
    }

    @Test
    void closeExceptionOfTheOuterScopeNamesItsStuckTasks() {
        BlockingTask stubborn = BlockingTask.uninterruptible();
        ThreadScope outer = ThreadScope.open().withCloseGrace(Duration.ofMillis(5));
        ThreadScope inner = ThreadScope.open();
        Task<String> stuck = inner.submit("stuck", stubborn);
        TestKit.await(stubborn.started);
        assertThatThrownBy(outer::close)
                .isInstanceOfSatisfying(
                        ScopeCloseException.class,
                        e -> assertThat(e.stillRunning()).containsExactly(stuck));
        stubborn.release();
        inner.close();
    }

    @Test
    void scopeOpenedAfterItsCloseIsNotNestedInIt() {
        try (ThreadScope outer = ThreadScope.open()) {
            ThreadScope.open().close();
            try (ThreadScope next = ThreadScope.open()) {
                outer.token().cancel();
                assertThat(next.token().isCancelled()).isTrue();
            }
        }
        try (ThreadScope free = ThreadScope.open()) {
            assertThat(free.token().isCancelled()).isFalse();
            assertThat(free.deadline()).isEqualTo(Duration.ofSeconds(30));
        }
    }

    @Test
    void afterCloseOutOfOrderTheNextScopeIsNestedInTheOpenScope() {
        ThreadScope outer = ThreadScope.open();
        ThreadScope inner = ThreadScope.open();
        outer.close();
        inner.close();
        try (ThreadScope free = ThreadScope.open()) {
            assertThat(free.token().isCancelled()).isFalse();
        }
    }

    @Test
    void scopesOfOtherThreadsAreNotNestedInIt() throws Exception {
        try (ThreadScope outer = ThreadScope.open()) {
            CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
            outer.token().cancel();
            Thread.ofPlatform()
                    .start(() -> {
                        try (ThreadScope other = ThreadScope.open()) {
                            cancelled.complete(other.token().isCancelled());
                        }
                    })
                    .join();
            assertThat(cancelled.join()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulersWithOneThread")
    void reusedThreadIsNotInTheScopeOfItsPreviousTask(Scheduler scheduler) {
        try (ThreadScope scope = ThreadScope.open().withScheduler(scheduler)) {
            scope.submit(() -> {
                        ThreadScope.open(); // and never closed
                        return "ran";
                    })
                    .await();
            Task<String> task = scope.submit(() -> {
                try (ThreadScope inner = ThreadScope.open()) {
                    return inner.toString();
                }
            });
            assertThat(task.await()).contains("open");
        }
    }
}
