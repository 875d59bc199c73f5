package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.scope.ScopeKit.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.TestKit;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Log;
import io.github.kobe.internal.time.FakeTimer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a scope that was never closed affect what its thread does after its deadline? */
@Timeout(60)
class UnclosedScopeTest {

    private static final Duration DEADLINE = LONG.dividedBy(4);

    /** A scope is opened on the real clock, and gets that of the test a moment later. */
    private static final Duration A_PAUSE = DEADLINE.dividedBy(2);

    private final FakeTimer timer = new FakeTimer();

    private ThreadScope open(Duration deadline) {
        return ThreadScope.open().withScheduler(ScopeKit.on(timer)).withDeadline(deadline);
    }

    /** On a thread of its own, which stands for one of a pool. */
    private static <T> T onAPooledThread(Callable<T> work) throws Exception {
        return Caller.of(work).result();
    }

    @Test
    void laterScopesOfItsThreadAreNotNestedInIt() throws Exception {
        List<Object> seen = onAPooledThread(() -> {
            open(DEADLINE);
            timer.advance(DEADLINE.toNanos());
            try (ThreadScope later = open(LONG)) {
                String value = later.submit(() -> "ran").await();
                return List.of(later.deadline(), later.token().isCancelled(), value);
            }
        });
        assertThat(seen).containsExactly(LONG, false, "ran");
    }

    @Test
    void alsoIfItHadTasks() throws Exception {
        Duration deadline = onAPooledThread(() -> {
            ThreadScope unclosed = open(DEADLINE);
            unclosed.await(unclosed.submit(() -> "ran"));
            timer.advance(DEADLINE.toNanos());
            try (ThreadScope later = open(LONG)) {
                return later.deadline();
            }
        });
        assertThat(deadline).isEqualTo(LONG);
    }

    @Test
    void beforeItsDeadlineItEnclosesThem() throws Exception {
        Duration deadline = onAPooledThread(() -> {
            try (ThreadScope outer = open(DEADLINE);
                    ThreadScope inner = open(LONG)) {
                assertThat(outer.deadline()).isEqualTo(DEADLINE);
                return inner.deadline();
            }
        });
        assertThat(deadline).isCloseTo(DEADLINE, A_PAUSE);
    }

    @Test
    void scopesAroundItThatAreNotLateStillEnclose() throws Exception {
        Duration left = onAPooledThread(() -> {
            try (ThreadScope outer = open(DEADLINE.multipliedBy(2))) {
                open(DEADLINE);
                timer.advance(DEADLINE.toNanos());
                try (ThreadScope inner = open(LONG)) {
                    assertThat(outer.token().isCancelled()).isFalse();
                    return inner.deadline();
                }
            }
        });
        assertThat(left).isCloseTo(DEADLINE, A_PAUSE);
    }

    @Test
    void tasksOfALateScopeStillOpenNestedScopes() {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch deadlinePassed = new CountDownLatch(1);
        CompletableFuture<Boolean> nestedIsCancelled = new CompletableFuture<>();
        try (ThreadScope outer = open(DEADLINE)) {
            Task<String> task = outer.submit(() -> {
                started.countDown();
                awaitUninterruptibly(deadlinePassed);
                try (ThreadScope inner = open(LONG)) {
                    nestedIsCancelled.complete(inner.token().isCancelled());
                }
                return "returned";
            });
            TestKit.await(started); // a task that has not started by the deadline never starts
            timer.advance(DEADLINE.toNanos());
            eventually(() -> assertThat(task.isCancelled()).isTrue());
            deadlinePassed.countDown();
        }
        assertThat(nestedIsCancelled).isCompletedWithValue(true);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // the deadline of the scope
            }
        }
    }

    @Test
    void lineThatOpenedItIsKnown() throws Exception {
        String text = onAPooledThread(() -> {
            try (ThreadScope scope = open(DEADLINE)) {
                return Objects.requireNonNull(CurrentScope.scopeOf(CurrentScope.enclosing()), scope.id())
                        .openedText();
            }
        });
        assertThat(text).contains("UnclosedScopeTest.open(UnclosedScopeTest.java:");
    }

    @Test
    void warningIsLoggedAtMostOnce() throws Exception {
        try (Log log = new Log()) {
            onAPooledThread(() -> {
                open(DEADLINE);
                timer.advance(DEADLINE.toNanos());
                open(LONG).close();
                open(LONG).close();
                return "done";
            });
            // none, if another test was logged less than a minute ago
            assertThat(log.lines("is not closed"))
                    .hasSizeLessThanOrEqualTo(1)
                    .allSatisfy(line -> assertThat(line).contains("UnclosedScopeTest.java:"));
        }
    }

    @Test
    void workThatFindsTheDeadlinePassedIsCancelledForThat() {
        for (int round = 0; round < 100; round++) {
            FakeTimer clock = new FakeTimer();
            try (ThreadScope scope =
                    ThreadScope.open().withScheduler(ScopeKit.on(clock)).withDeadline(DEADLINE)) {
                CountDownLatch started = new CountDownLatch(1);
                Task<String> task = scope.submit(() -> {
                    started.countDown();
                    while (true) {
                        scope.token().throwIfCancelled();
                        Thread.onSpinWait();
                    }
                });
                TestKit.await(started);
                clock.advance(DEADLINE.toNanos());
                assertThat(catchThrowable(task::await)).hasMessageContaining("deadline");
            }
        }
    }
}
