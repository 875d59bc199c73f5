package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.scope.ScopeKit.blocker;
import static io.github.kobe.scope.ScopeKit.failing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What states does a task go through, what does waiting for it give, and what does cancelling do? */
@Timeout(60)
class TaskTest {

    private final ThreadScope scope = ThreadScope.open();

    @AfterEach
    void close() {
        scope.close();
    }

    private <T> Task<T> completed(Callable<T> work) {
        Task<T> task = scope.submit("t", work);
        eventually(() -> assertThat(task.isDone()).isTrue());
        return task;
    }

    private static void assertIs(Task<?> task, Task.State state) {
        assertThat(task.state()).isEqualTo(state);
        assertThat(task.isDone()).isEqualTo(state != Task.State.PENDING && state != Task.State.RUNNING);
        assertThat(task.isCancelled()).isEqualTo(state == Task.State.CANCELLED);
        assertThat(task.isFailed()).isEqualTo(state == Task.State.FAILED);
        assertThat(task).hasToString("task '" + task.name() + "' of " + scopeOf(task) + ", " + state);
    }

    private static String scopeOf(Task<?> task) {
        return ((ScopeTaskImpl<?>) task).tasks().scopeId();
    }

    // ---- states --------------------------------------------------------------------------------------------------

    @Test
    void isPendingThenRunningThenSuccess() {
        try (ThreadScope one = ThreadScope.open().withConcurrencyLimit(1).withQueueing(true)) {
            BlockingTask first = blocker(one);
            BlockingTask blocker = BlockingTask.interruptible();
            Task<String> task = one.submit("t", blocker);
            assertIs(task, Task.State.PENDING);
            first.release();
            TestKit.await(blocker.started);
            assertIs(task, Task.State.RUNNING);
            blocker.release();
            assertThat(task.await()).isEqualTo("released");
            assertIs(task, Task.State.SUCCESS);
        }
    }

    @Test
    void isFailedIfItThrows() {
        assertIs(completed(failing(new IOException("x"))), Task.State.FAILED);
        assertIs(
                completed(() -> {
                    throw new StackOverflowError("x");
                }),
                Task.State.FAILED);
    }

    @Test
    void isCancelledIfItThrowsACancellation() {
        assertIs(completed(failing(new InterruptedException("x"))), Task.State.CANCELLED);
        assertIs(completed(failing(new CancellationException("x"))), Task.State.CANCELLED);
        assertIs(completed(failing(new CancelledException("x"))), Task.State.CANCELLED);
    }

    @Test
    void mayReturnNull() {
        Task<Object> task = completed(() -> null);
        assertIs(task, Task.State.SUCCESS);
        assertThat(task.await()).isNull();
        assertThat(task.toCompletableFuture()).isCompletedWithValue(null);
    }

    // ---- await ---------------------------------------------------------------------------------------------------

    @Test
    void awaitReturnsTheValueEachTime() {
        Task<String> task = scope.submit(() -> "value");
        assertThat(task.await()).isEqualTo("value");
        assertThat(task.await()).isEqualTo("value");
    }

    @Test
    void awaitRethrowsUncheckedFailuresUnchanged() {
        RuntimeException unchecked = new IllegalArgumentException("x");
        assertThatThrownBy(scope.submit(failing(unchecked))::await).isSameAs(unchecked);
        Error error = new AssertionError("x");
        Task<String> task = scope.submit(() -> {
            throw error;
        });
        assertThatThrownBy(task::await).isSameAs(error);
    }

    @Test
    void awaitWrapsCheckedFailures() {
        IOException checked = new IOException("disk on fire");
        assertThatThrownBy(scope.submit("load", failing(checked))::await)
                .isInstanceOf(TaskExecutionException.class)
                .hasCause(checked)
                .hasMessageContainingAll("load", scope.id(), "disk on fire");
    }

    @Test
    void awaitOfACancelledTaskThrowsCancelled() {
        Task<String> task = scope.submit("load", BlockingTask.interruptible());
        task.cancel();
        assertThatThrownBy(task::await)
                .isInstanceOf(CancelledException.class)
                .hasMessageContainingAll("load", scope.id());
    }

    @Test
    void awaitOfATaskThatThrewACancellationHasItAsTheCause() {
        CancelledException its = new CancelledException("by itself");
        assertThatThrownBy(scope.submit(failing(its))::await)
                .isInstanceOf(CancelledException.class)
                .hasCause(its);
    }

    @Test
    void interruptedAwaitThrowsCancelledKeepsTheInterruptFlagAndTheTaskContinues() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        Task<String> task = scope.submit(blocker);
        AtomicBoolean flag = new AtomicBoolean();
        Caller<Throwable> waiter = Caller.of(() -> {
            try {
                task.await();
                return null;
            } catch (CancelledException e) {
                flag.set(Thread.currentThread().isInterrupted());
                return e;
            }
        });
        waiter.interruptWhenWaiting();
        assertThat(waiter.result())
                .hasMessageContaining("which is still running")
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(flag).isTrue();
        blocker.release();
        assertThat(task.await()).isEqualTo("released");
    }

    // ---- cancel --------------------------------------------------------------------------------------------------

    @Test
    void cancelOfARunningTaskInterruptsIt() {
        BlockingTask blocker = BlockingTask.interruptible();
        Task<String> task = scope.submit(blocker);
        TestKit.await(blocker.started);
        assertThat(task.cancel()).isTrue();
        assertIs(task, Task.State.CANCELLED);
        TestKit.await(blocker.interrupted);
    }

    @Test
    void cancelledPendingTaskNeverRuns() {
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope one = ThreadScope.open().withConcurrencyLimit(1).withQueueing(true)) {
            BlockingTask first = blocker(one);
            Task<Integer> task = one.submit(runs::incrementAndGet);
            assertThat(task.cancel()).isTrue();
            assertIs(task, Task.State.CANCELLED);
            first.release();
            assertThat(one.submit(() -> "after").await()).isEqualTo("after");
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void cancelNeverChangesAnOutcome() {
        Task<String> succeeded = completed(() -> "value");
        Task<String> failed = completed(failing(new IOException("x")));
        Task<String> cancelled = scope.submit(BlockingTask.interruptible());
        cancelled.cancel();
        assertThat(succeeded.cancel()).isFalse();
        assertThat(failed.cancel()).isFalse();
        assertThat(cancelled.cancel()).isFalse();
        assertIs(succeeded, Task.State.SUCCESS);
        assertIs(failed, Task.State.FAILED);
        assertIs(cancelled, Task.State.CANCELLED);
        assertThat(succeeded.await()).isEqualTo("value");
        assertThatThrownBy(failed::await).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void cancelledTaskThatIgnoresInterruptionIsCancelledAtOnceAndItsValueIsIgnored() {
        BlockingTask blocker = blocker(scope, BlockingTask.uninterruptible());
        Task<String> task = scope.submit("stubborn", blocker);
        task.cancel();
        assertThatThrownBy(task::await).isInstanceOf(CancelledException.class);
        blocker.release();
        TestKit.await(blocker.ended);
        assertIs(task, Task.State.CANCELLED);
    }

    @Test
    void cancelThatRacesWithCompletionCompletesItOnce() {
        for (int i = 0; i < 300; i++) {
            CountDownLatch go = new CountDownLatch(1);
            Task<String> task = scope.submit(() -> {
                go.countDown();
                return "ran";
            });
            TestKit.await(go);
            for (int j = 0; j < i % 10; j++) {
                TestKit.yieldToOthers();
            }
            boolean won = task.cancel();
            Task.State state = task.state();
            assertThat(state).isEqualTo(won ? Task.State.CANCELLED : Task.State.SUCCESS);
            TestKit.yieldToOthers();
            assertThat(task.state()).isEqualTo(state);
        }
        assertThat(scope.metrics().completed()).isEqualTo(300);
    }

    // ---- futures -------------------------------------------------------------------------------------------------

    @Test
    void futureCompletesAsTheTaskDoes() {
        IOException checked = new IOException("x");
        assertThat(scope.submit(() -> "value").toCompletableFuture().join()).isEqualTo("value");
        assertThat(completed(failing(checked)).toCompletableFuture().exceptionNow())
                .isSameAs(checked);
        Task<String> cancelled = scope.submit(BlockingTask.interruptible());
        cancelled.cancel();
        assertThat(cancelled.toCompletableFuture().handle((v, e) -> e).join()).isInstanceOf(CancelledException.class);
        assertThat(cancelled.toCompletableFuture()).isCancelled();
    }

    @Test
    void futureMayBeTakenBeforeCompletion() {
        BlockingTask blocker = BlockingTask.interruptible();
        Task<String> task = scope.submit(blocker);
        var future = task.toCompletableFuture();
        assertThat(future).isNotDone();
        blocker.release();
        assertThat(future.join()).isEqualTo("released");
    }

    @Test
    void cancellingTheFutureCancelsTheTask() {
        BlockingTask blocker = blocker(scope);
        BlockingTask other = BlockingTask.interruptible();
        Task<String> task = scope.submit(other);
        TestKit.await(other.started);
        assertThat(task.toCompletableFuture().cancel(true)).isTrue();
        TestKit.await(other.interrupted);
        assertIs(task, Task.State.CANCELLED);
        assertThat(blocker.wasInterrupted()).isFalse();
    }

    @Test
    void completingTheFutureDoesNotAffectTheTask() {
        BlockingTask blocker = BlockingTask.interruptible();
        Task<String> task = scope.submit(blocker);
        task.toCompletableFuture().complete("forged");
        assertThat(task.isDone()).isFalse();
        blocker.release();
        assertThat(task.await()).isEqualTo("released");
    }

    @Test
    void thenApplyThenComposeAndExceptionallyDependOnIt() {
        IllegalStateException unchecked = new IllegalStateException("x");
        assertThat(scope.submit(() -> 20).thenApply(n -> n + 1).join()).isEqualTo(21);
        assertThat(scope.submit(() -> 20)
                        .thenCompose(n -> scope.submit(() -> n + 2).toCompletableFuture())
                        .join())
                .isEqualTo(22);
        ConcurrentLinkedQueue<Throwable> seen = new ConcurrentLinkedQueue<>();
        assertThat(scope.submit(ScopeKit.<Integer>failing(unchecked))
                        .exceptionally(e -> {
                            seen.add(e);
                            return 23;
                        })
                        .join())
                .isEqualTo(23);
        assertThat(seen).containsExactly(unchecked);
    }

    @Test
    void completedTaskDoesNotRetainItsWork() {
        Object[] heavy = {new byte[1 << 20]};
        WeakReference<Object> watched = new WeakReference<>(heavy[0]);
        Task<Integer> task = scope.submit(workOn(heavy[0]));
        assertThat(task.await()).isEqualTo(1 << 20);
        heavy[0] = null;
        eventually(() -> {
            System.gc();
            assertThat(watched.get()).isNull();
        });
        assertThat(task.await()).isEqualTo(1 << 20);
    }

    private static Callable<Integer> workOn(Object array) {
        return () -> ((byte[]) array).length;
    }
}
