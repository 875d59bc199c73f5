package io.github.kobe.scope;

import static io.github.kobe.scope.ScopeKit.blocker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.Flaky;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.internal.time.SystemTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What has happened when {@code close} returns, what does it throw, and in what order does it clean up? */
@Timeout(60)
class CloseTest {

    // ---- tasks ---------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void cancelsRunningAndQueuedTasksAndReturnsWhenNoneRuns(Scheduler scheduler) {
        AtomicInteger inside = new AtomicInteger();
        List<Task<?>> tasks = new ArrayList<>();
        ThreadScope scope = ThreadScope.open().withScheduler(scheduler);
        for (int i = 0; i < 20; i++) {
            tasks.add(scope.submit(() -> {
                inside.incrementAndGet();
                try {
                    return BlockingTask.interruptible().call();
                } finally {
                    for (int j = 0; j < 50; j++) {
                        TestKit.yieldToOthers(); // so that close has to wait
                    }
                    inside.decrementAndGet();
                }
            }));
        }
        scope.close();
        assertThat(inside).hasValue(0);
        assertThat(tasks).allMatch(Task::isCancelled);
        assertThat(scope.metrics().completed()).isEqualTo(20);
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void waitsForATaskThatIgnoresInterruption(Scheduler scheduler) throws Exception {
        ThreadScope scope = ThreadScope.open().withScheduler(scheduler);
        BlockingTask stubborn = blocker(scope, BlockingTask.uninterruptible());
        Caller<Boolean> closer = Caller.of(() -> {
            scope.close();
            return stubborn.hasEnded();
        });
        TestKit.await(stubborn.interrupted);
        closer.awaitWaiting();
        assertThat(closer.isDone()).isFalse();
        stubborn.release();
        assertThat(closer.result()).isTrue();
    }

    @Test
    void waitsForATaskCancelledEarlier() throws Exception {
        ThreadScope scope = ThreadScope.open();
        BlockingTask stubborn = BlockingTask.uninterruptible();
        Task<String> task = scope.submit(stubborn);
        TestKit.await(stubborn.started);
        task.cancel();
        Caller<Boolean> closer = Caller.of(() -> {
            scope.close();
            return stubborn.hasEnded();
        });
        closer.awaitWaiting();
        stubborn.release();
        assertThat(closer.result()).isTrue();
    }

    @Test
    void afterTheGraceItNamesTheTasksThatStillRunAndTheirStacks() {
        ThreadScope scope = ThreadScope.open().withCloseGrace(Duration.ofMillis(5));
        BlockingTask stubborn = BlockingTask.uninterruptible();
        Task<String> stuck = scope.submit("stuck", stubborn);
        TestKit.await(stubborn.started);
        scope.submit("polite", BlockingTask.interruptible());
        List<String> cleaned = new ArrayList<>();
        scope.defer(() -> cleaned.add("cleaned"));
        assertThatThrownBy(scope::close)
                .isInstanceOfSatisfying(
                        ScopeCloseException.class,
                        e -> assertThat(e.stillRunning()).containsExactly(stuck))
                .hasMessageContainingAll(scope.id(), "stuck", "5 ms", "thread", " at ")
                .message()
                .doesNotContain("polite");
        assertThat(cleaned).containsExactly("cleaned");
        assertThat(stuck.isCancelled()).isTrue();
        stubborn.release();
        TestKit.await(stubborn.ended);
    }

    @Test
    void zeroGraceDoesNotWait() {
        ThreadScope scope = ThreadScope.open().withCloseGrace(Duration.ZERO);
        BlockingTask stubborn = blocker(scope, BlockingTask.uninterruptible());
        assertThatThrownBy(scope::close).isInstanceOf(ScopeCloseException.class);
        stubborn.release();
    }

    @Test
    void scopeWithoutIncompleteTasksClosesWithoutAnException() {
        ThreadScope.open().close();
        try (ThreadScope scope = ThreadScope.open()) {
            scope.submit(() -> "ran").await();
        }
    }

    @Test
    void secondCloseDoesNothing() {
        ThreadScope scope = ThreadScope.open();
        AtomicInteger cleanups = new AtomicInteger();
        scope.submit(() -> "ran").await();
        scope.defer(cleanups::incrementAndGet);
        scope.close();
        scope.close();
        assertThat(cleanups).hasValue(1);
    }

    @Test
    void concurrentCallersOfCloseAllWait() throws Exception {
        ThreadScope scope = ThreadScope.open();
        BlockingTask stubborn = blocker(scope, BlockingTask.uninterruptible());
        Caller<Boolean> one = Caller.of(() -> {
            scope.close();
            return stubborn.hasEnded();
        });
        Caller<Boolean> other = Caller.of(() -> {
            scope.close();
            return stubborn.hasEnded();
        });
        one.awaitWaiting();
        other.awaitWaiting();
        stubborn.release();
        assertThat(one.result()).isTrue();
        assertThat(other.result()).isTrue();
    }

    @Test
    void interruptedCallerContinuesToWaitAndKeepsItsInterruptFlag() throws Exception {
        ThreadScope scope = ThreadScope.open();
        BlockingTask stubborn = blocker(scope, BlockingTask.uninterruptible());
        AtomicBoolean flag = new AtomicBoolean();
        Caller<Boolean> closer = Caller.of(() -> {
            scope.close();
            flag.set(Thread.currentThread().isInterrupted());
            return stubborn.hasEnded();
        });
        closer.interruptWhenWaiting();
        TestKit.letOthersRun();
        assertThat(closer.isDone()).isFalse();
        stubborn.release();
        assertThat(closer.result()).isTrue();
        assertThat(flag).isTrue();
    }

    @Test
    void taskCannotCloseItsOwnScope() {
        try (ThreadScope scope = ThreadScope.open()) {
            Task<String> task = scope.submit(() -> {
                scope.close();
                return "closed";
            });
            assertThatThrownBy(task::await)
                    .isExactlyInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(scope.id());
        }
    }

    @Test
    void taskOfANestedScopeCannotCloseTheOuterScope() {
        try (ThreadScope outer = ThreadScope.open()) {
            Task<String> task = outer.submit(() -> {
                try (ThreadScope inner = ThreadScope.open()) {
                    return inner.submit(() -> {
                                outer.close();
                                return "closed";
                            })
                            .await();
                }
            });
            assertThatThrownBy(task::await).isExactlyInstanceOf(IllegalStateException.class);
        }
    }

    // ---- cleanups ------------------------------------------------------------------------------------------------

    @Test
    void cleanupsRunLastInFirstOutAfterTheTasksComplete() {
        List<String> order = new CopyOnWriteArrayList<>();
        ThreadScope scope = ThreadScope.open();
        BlockingTask blocker = blocker(scope);
        scope.defer(() -> order.add("first, ended: " + blocker.hasEnded()));
        scope.defer(() -> order.add("second"));
        scope.defer(() -> order.add("third, ended: " + blocker.hasEnded()));
        scope.close();
        assertThat(order).containsExactly("third, ended: true", "second", "first, ended: true");
    }

    @Test
    void allCleanupsRunAndTheFirstExceptionIsThrown() {
        List<String> order = new ArrayList<>();
        IllegalStateException one = new IllegalStateException("one");
        AssertionError other = new AssertionError("other");
        ThreadScope scope = ThreadScope.open();
        scope.defer(() -> order.add("last"));
        scope.defer(() -> {
            throw other;
        });
        scope.defer(() -> {
            throw one;
        });
        assertThatThrownBy(scope::close).isSameAs(one).hasSuppressedException(other);
        assertThat(order).containsExactly("last");
        scope.close();
    }

    @Test
    void errorFromACleanupIsThrownUnchanged() {
        AssertionError error = new AssertionError("x");
        ThreadScope scope = ThreadScope.open();
        for (int i = 0; i < 2; i++) {
            scope.defer(() -> {
                throw error;
            });
        }
        assertThatThrownBy(scope::close).isSameAs(error).hasNoSuppressedExceptions();
    }

    @Test
    void exceptionFromACleanupIsSuppressedInTheMainException() {
        IllegalStateException main = new IllegalStateException("main");
        IllegalStateException cleanup = new IllegalStateException("cleanup");
        Throwable thrown = catchThrowable(() -> {
            try (ThreadScope scope = ThreadScope.open()) {
                scope.defer(() -> {
                    throw cleanup;
                });
                scope.await(scope.submit(ScopeKit.failing(main)));
            }
        });
        assertThat(thrown).isSameAs(main).hasSuppressedException(cleanup);
    }

    @Test
    void exceptionFromACleanupIsSuppressedInTheScopeCloseException() {
        IllegalStateException cleanup = new IllegalStateException("cleanup");
        ThreadScope scope = ThreadScope.open().withCloseGrace(Duration.ZERO);
        BlockingTask stubborn = blocker(scope, BlockingTask.uninterruptible());
        scope.defer(() -> {
            throw cleanup;
        });
        assertThatThrownBy(scope::close).isInstanceOf(ScopeCloseException.class).hasSuppressedException(cleanup);
        stubborn.release();
    }

    @Test
    void threadsOwnedByTheScopeTerminateEvenIfACleanupThrows() {
        for (Scheduler scheduler : List.of(Scheduler.fixed(2), Scheduler.priority(2))) {
            ThreadScope scope = ThreadScope.open().withScheduler(scheduler);
            scope.submit(() -> "ran").await();
            scope.defer(() -> {
                throw new IllegalStateException("bad cleanup");
            });
            assertThatThrownBy(scope::close).hasMessage("bad cleanup");
            assertThat(scheduler.isShutDown()).isTrue();
        }
    }

    @Test
    void cleanupMayDeferAnotherCleanup() {
        List<String> order = new ArrayList<>();
        ThreadScope scope = ThreadScope.open();
        scope.defer(() -> order.add("outer"));
        scope.defer(() -> scope.defer(() -> order.add("inner")));
        scope.close();
        assertThat(order).containsExactly("inner", "outer");
    }

    @Test
    void taskMayDefer() {
        List<String> order = new CopyOnWriteArrayList<>();
        ThreadScope scope = ThreadScope.open();
        scope.submit(() -> {
                    scope.defer(() -> order.add("the task's"));
                    return "ran";
                })
                .await();
        scope.close();
        assertThat(order).containsExactly("the task's");
    }

    @Test
    void deferAfterCloseThrows() {
        ThreadScope scope = ThreadScope.open();
        scope.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> scope.defer(() -> {}))
                .withMessageContaining(scope.id());
    }

    @Test
    void blockedDependentActionOfATaskDoesNotDelayClose() {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        ThreadScope scope = ThreadScope.open();
        Task<Integer> task = scope.submit(() -> awaitAndReturn(go));
        CompletableFuture<Void> after = task.toCompletableFuture().thenAccept(value -> TestKit.await(done));
        go.countDown();
        task.await();
        scope.close();
        assertThat(after).isNotDone();
        done.countDown();
        after.join();
    }

    @Test
    void dependentActionOfATaskMayCloseItsScope() {
        CountDownLatch go = new CountDownLatch(1);
        ThreadScope scope = ThreadScope.open();
        Task<Integer> task = scope.submit(() -> awaitAndReturn(go));
        CompletableFuture<Void> closed = task.toCompletableFuture().thenAccept(value -> scope.close());
        go.countDown();
        closed.join();
        assertThat(scope.metrics().succeeded()).isEqualTo(1);
    }

    private static int awaitAndReturn(CountDownLatch latch) {
        TestKit.await(latch);
        return 1;
    }

    @Test
    void closeExceptionCountsTasksThatAwaitAThread() {
        Queue<Runnable> held = new ConcurrentLinkedQueue<>();
        Scheduler busy = new Scheduler("busy", true, null, held::add, SystemTimer.shared());
        ThreadScope scope = ThreadScope.open().withScheduler(busy).withCloseGrace(Duration.ofMillis(1));
        Task<String> task = scope.submit(() -> "ran");
        assertThatExceptionOfType(ScopeCloseException.class)
                .isThrownBy(scope::close)
                .satisfies(e -> assertThat(e.stillRunning()).isEmpty())
                .withMessageContainingAll(scope.id(), "1 task has not completed", "no thread has taken");
        held.forEach(Runnable::run);
        assertThat(task.isCancelled()).isTrue();
    }

    @Test
    void closeThrowsIfTheHookOfAnIncompleteTaskHasNotReturned() {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        ThreadHook slow = new ThreadHook() {
            @Override
            public void onCancel(TaskInfo info, Duration duration) {
                told.countDown();
                TestKit.await(release);
            }
        };
        ThreadScope scope = ThreadScope.open().withHook(slow).withCloseGrace(Duration.ofMillis(1));
        Task<String> task = scope.submit(Flaky.failingAlways(), RetryPolicy.fixedDelay(2, ScopeKit.LONG));
        TestKit.eventually(() -> assertThat(task.state()).isEqualTo(Task.State.RUNNING));
        Caller<Boolean> canceller = Caller.of(task::cancel);
        TestKit.await(told);
        Throwable thrown = catchThrowable(scope::close);
        boolean done = task.isDone(); // the task completes without its hook after a second
        release.countDown();
        assertThat(done || thrown instanceof ScopeCloseException).isTrue();
        assertThat(catchThrowable(canceller::result)).isNull();
    }
}
