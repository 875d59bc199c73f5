package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.scope.ScopeKit.blocker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.TaskTimeoutException;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Peak;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Is the limit of a scope kept, and which submitters wait for a permit? */
@Timeout(60)
class ConcurrencyLimitTest {

    private final AtomicInteger runs = new AtomicInteger();

    private static ThreadScope open() {
        return ThreadScope.open().withConcurrencyLimit(1);
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void runningTasksNeverExceedTheLimit(Scheduler scheduler) {
        Peak peak = new Peak();
        try (ThreadScope scope = ThreadScope.open().withScheduler(scheduler).withConcurrencyLimit(2)) {
            List<Task<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                tasks.add(scope.submit(() -> peak.during(() -> {
                    TestKit.yieldToOthers();
                    return runs.incrementAndGet();
                })));
            }
            scope.await(tasks);
        }
        assertThat(peak.most()).isLessThanOrEqualTo(2);
        assertThat(runs).hasValue(200);
    }

    @Test
    void submitterWaitsForAPermit() throws Exception {
        try (ThreadScope scope = open()) {
            BlockingTask blocker = blocker(scope);
            Caller<Task<Integer>> submitter = Caller.of(() -> scope.submit(runs::incrementAndGet));
            submitter.awaitWaiting();
            assertThat(submitter.isDone()).isFalse();
            assertThat(runs).hasValue(0);
            blocker.release();
            assertThat(submitter.result().await()).isEqualTo(1);
        }
    }

    @Test
    void everyWaitingSubmitterGetsAPermit() throws Exception {
        try (ThreadScope scope = open()) {
            BlockingTask blocker = blocker(scope);
            List<Caller<Task<Integer>>> submitters = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                submitters.add(Caller.of(() -> scope.submit(runs::incrementAndGet)));
            }
            submitters.forEach(Caller::awaitWaiting);
            blocker.release();
            for (Caller<Task<Integer>> submitter : submitters) {
                submitter.result().await();
            }
            assertThat(runs).hasValue(5);
        }
    }

    @Test
    void interruptedSubmitterStopsWaitingKeepsItsInterruptFlagAndItsTaskNeverRuns() throws Exception {
        try (ThreadScope scope = open()) {
            BlockingTask blocker = blocker(scope);
            AtomicBoolean flag = new AtomicBoolean();
            Caller<Throwable> submitter = Caller.of(() -> {
                Throwable thrown = catchThrowable(() -> scope.submit(runs::incrementAndGet));
                flag.set(Thread.currentThread().isInterrupted());
                return thrown;
            });
            submitter.interruptWhenWaiting();
            assertThat(submitter.result())
                    .isInstanceOf(CancelledException.class)
                    .hasMessageContaining(scope.id());
            assertThat(flag).isTrue();
            blocker.release();
            assertThat(scope.submit(() -> "ran").await()).isEqualTo("ran");
            assertThat(scope.metrics().cancelled()).isEqualTo(1);
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void deadlineStopsTheWaitForAPermit() {
        FakeTimer timer = new FakeTimer();
        BlockingTask stubborn = BlockingTask.uninterruptible();
        try (ThreadScope scope = open().withScheduler(ScopeKit.on(timer)).withDeadline(ScopeKit.LONG)) {
            scope.submit(stubborn);
            assertThat(ScopeKit.thrownAfter(timer, ScopeKit.LONG, () -> scope.submit(runs::incrementAndGet)))
                    .isInstanceOf(ScopeTimeoutException.class);
            stubborn.release();
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void cancellingTheScopeStopsTheWaitForAPermit() throws Exception {
        BlockingTask stubborn = BlockingTask.uninterruptible();
        try (ThreadScope scope = open()) {
            blocker(scope, stubborn);
            Caller<Throwable> submitter = Caller.of(() -> catchThrowable(() -> scope.submit(runs::incrementAndGet)));
            submitter.awaitWaiting();
            scope.token().cancel();
            assertThat(submitter.result()).isInstanceOf(CancelledException.class);
            stubborn.release();
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void closeStopsTheWaitForAPermit() throws Exception {
        ThreadScope scope = open();
        blocker(scope);
        Caller<Throwable> submitter = Caller.of(() -> catchThrowable(() -> scope.submit(BlockingTask.interruptible())));
        submitter.awaitWaiting();
        scope.close();
        Throwable thrown = submitter.result();
        assertThat(thrown).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
    }

    @Test
    void timeoutOfTheTaskStopsTheWaitForAPermit() {
        try (ThreadScope scope = open()) {
            blocker(scope);
            Task<Integer> task = scope.submit(runs::incrementAndGet, ScopeKit.SHORT);
            assertThatThrownBy(task::await).isInstanceOf(TaskTimeoutException.class);
        }
        assertThat(runs).hasValue(0);
    }

    // ---- from inside ---------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void tasksSubmittedByATaskOfTheScopeAreQueued(Scheduler scheduler) {
        try (ThreadScope scope = open().withScheduler(scheduler)) {
            Task<Task<Integer>> outer = scope.submit(() -> {
                Task<Integer> inner = scope.submit(runs::incrementAndGet);
                assertThat(inner.state()).isEqualTo(Task.State.PENDING);
                return inner;
            });
            assertThat(outer.await().await()).isEqualTo(1);
        }
    }

    @Test
    void tasksSubmittedByATaskOfANestedScopeAreQueued() {
        try (ThreadScope scope = open()) {
            Task<Task<Integer>> outer = scope.submit(() -> {
                try (ThreadScope inner = ThreadScope.open()) {
                    return inner.submit(() -> scope.submit(runs::incrementAndGet))
                            .await();
                }
            });
            assertThat(outer.await().await()).isEqualTo(1);
        }
    }

    @Test
    void taskOfAnotherScopeWaitsForAPermit() throws Exception {
        try (ThreadScope scope = open()) {
            BlockingTask blocker = blocker(scope);
            Caller<Integer> elsewhere = Caller.of(() -> {
                try (ThreadScope other = ThreadScope.open().withScheduler(Scheduler.fixed(1))) {
                    Task<Integer> task = other.submit(
                            () -> scope.submit(runs::incrementAndGet).await());
                    return task.await();
                }
            });
            elsewhere.awaitWaiting();
            eventually(() -> assertThat(scope.toString()).contains("1 pending"));
            assertThat(elsewhere.isDone()).isFalse();
            blocker.release();
            assertThat(elsewhere.result()).isEqualTo(1);
        }
    }

    // ---- always in the queue --------------------------------------------------------------------------------------

    @Test
    void withQueueingNoSubmitterWaits() {
        try (ThreadScope scope = open().withQueueing(true)) {
            BlockingTask blocker = blocker(scope);
            List<Task<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                tasks.add(scope.submit(runs::incrementAndGet));
            }
            assertThat(tasks).allMatch(task -> task.state() == Task.State.PENDING);
            blocker.release();
            assertThat(scope.await(tasks).succeeded()).isEqualTo(1_000);
        }
    }

    @Test
    void queuedTasksStartByPriorityThenInSubmissionOrder() {
        List<String> order = new CopyOnWriteArrayList<>();
        try (ThreadScope scope = open().withQueueing(true)) {
            BlockingTask blocker = blocker(scope);
            List<Task<Boolean>> tasks = new ArrayList<>();
            for (TaskPriority priority : TaskPriority.values()) {
                for (int i = 0; i < 3; i++) {
                    String name = priority + "-" + i;
                    tasks.add(scope.submit(() -> order.add(name), priority));
                }
            }
            blocker.release();
            scope.await(tasks);
        }
        assertThat(order)
                .containsExactly(
                        "HIGH-0", "HIGH-1", "HIGH-2", "NORMAL-0", "NORMAL-1", "NORMAL-2", "LOW-0", "LOW-1", "LOW-2");
    }

    @Test
    void failedAndCancelledTasksReleaseTheirPermits() {
        try (ThreadScope scope = open()) {
            for (int i = 0; i < 50; i++) {
                scope.submit(ScopeKit.failing(new IllegalStateException("x")));
                Task<String> cancelled = scope.submit(BlockingTask.interruptible());
                cancelled.cancel();
            }
            assertThat(scope.submit(() -> "ran").await()).isEqualTo("ran");
        }
    }
}
