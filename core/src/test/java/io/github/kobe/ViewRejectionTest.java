package io.github.kobe;

import static io.github.kobe.TestKit.PATIENCE;
import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.github.kobe.TestKit.BlockingTask;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How does a view apply the rejection policy? */
@Timeout(60)
class ViewRejectionTest {

    private GroupExecutor executor = executor(b -> b);
    private BlockingTask blocker = BlockingTask.interruptible();

    @AfterEach
    void close() {
        executor.close();
    }

    /** A view of a group with one running task and a queue of {@code threshold} tasks. */
    private ExecutorService full(int threshold, UnaryOperator<GroupPolicy.Builder> settings) {
        executor = executor(b -> settings.apply(b.defaultQueueThresholdPerGroup(threshold)));
        blocker = BlockingTask.in(executor, "g");
        return executor.asExecutorService("g");
    }

    private ExecutorService full(RejectionPolicy policy) {
        return full(0, b -> b.rejectionPolicy(policy));
    }

    private void assertTerminates(ExecutorService view) throws InterruptedException {
        view.shutdown();
        blocker.release();
        assertThat(view.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void abortThrowsWithTheReason() throws Exception {
        ExecutorService view = full(RejectionPolicy.ABORT);
        FutureTask<String> task = new FutureTask<>(() -> "ran after all");
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> view.execute(task))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL));
        assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(() -> view.submit(() -> "value"));
        assertThat(task.isDone()).as("it can be tried again").isFalse();
        blocker.release();
        eventually(() -> assertThatNoException()
                .isThrownBy(() -> view.execute(task))); // when the permit of the blocker is released
        assertThat(get(task)).isEqualTo("ran after all");
        assertTerminates(view);
    }

    @Test
    void blockWaitsForTheQueueAndThrowsWhenTheTimeIsOver() throws Exception {
        ExecutorService view =
                full(0, b -> b.rejectionPolicy(RejectionPolicy.BLOCK).maxBlockTime(Duration.ofMillis(5)));
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> view.execute(() -> {}))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL));
        assertTerminates(view);
    }

    @Test
    void discardCancelsTheFuture() throws Exception {
        ExecutorService view = full(RejectionPolicy.DISCARD);
        assertThat(view.submit(() -> "value").isCancelled()).isTrue();
        FutureTask<String> foreign = new FutureTask<>(() -> "value");
        view.execute(foreign);
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(foreign));
        view.execute(() -> {
            throw new AssertionError("dropped");
        });
        assertThat(executor.stats().counts().rejected()).isEqualTo(3);
        assertThat(executor.stats().counts().cancelled()).isZero();
        assertTerminates(view);
    }

    @Test
    void discardOldestCancelsTheFutureOfTheOldest() throws Exception {
        ExecutorService view = full(1, b -> b.rejectionPolicy(RejectionPolicy.DISCARD_OLDEST));
        Future<String> oldest = view.submit(() -> "never");
        Future<String> newest = view.submit(() -> "value");
        assertThat(oldest.isCancelled()).isTrue();
        blocker.release();
        assertThat(get(newest)).isEqualTo("value");
        assertTerminates(view);
    }

    @Test
    void callerRunsOnTheCallingThread() throws Exception {
        ExecutorService view = full(RejectionPolicy.CALLER_RUNS);
        Future<Thread> future = view.submit(Thread::currentThread);
        assertThat(future.resultNow()).isSameAs(Thread.currentThread());
        AtomicReference<Thread> thread = new AtomicReference<>();
        view.execute(() -> thread.set(Thread.currentThread()));
        assertThat(thread.get()).isSameAs(Thread.currentThread());
        assertTerminates(view);
    }

    @Test
    void callerIsNotInterruptedByAShutdownOfItsView() throws Exception {
        ExecutorService view = full(RejectionPolicy.CALLER_RUNS);
        Future<Boolean> future = view.submit(() -> {
            view.shutdownNow();
            return Thread.currentThread().isInterrupted();
        });
        assertThat(future.resultNow()).isFalse();
        assertTerminates(view);
    }

    // ---- rejection handler ------------------------------------------------------------------------------------

    private static <T> GroupResult<T> run(String groupKey, String taskId, Callable<T> task) {
        try {
            return GroupResult.success(groupKey, taskId, task.call(), 0, 0);
        } catch (Exception e) {
            return GroupResult.failed(groupKey, taskId, e, 0, 0);
        }
    }

    @Test
    void handlerMayRunIt() throws Exception {
        ExecutorService view = full(0, b -> b.rejectionHandler(ViewRejectionTest::run));
        assertThat(get(view.submit(() -> "ran by the handler"))).isEqualTo("ran by the handler");
        Future<?> failing = view.submit(() -> {
            throw new IllegalStateException("on purpose");
        });
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> get(failing))
                .havingCause()
                .withMessage("on purpose");
        assertTerminates(view);
    }

    @Test
    void futureIsCancelledIfTheHandlerDoesNotRunIt() throws Exception {
        AtomicReference<Callable<?>> kept = new AtomicReference<>();
        ExecutorService view = full(
                0,
                b -> b.rejectionHandler(new RejectionHandler() {
                    @Override
                    public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                        kept.set(task);
                        return GroupResult.rejected(groupKey, taskId);
                    }
                }));
        Future<String> future = view.submit(() -> "value");
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(future));
        assertThatExceptionOfType(CancellationException.class).isThrownBy(kept.get()::call);
        assertTerminates(view);
    }

    @Test
    void whatTheHandlerDecidesIsTheFuturesOutcome() {
        ExecutorService view = full(
                0,
                b -> b.rejectionHandler(new RejectionHandler() {
                    @Override
                    public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                        return GroupResult.failed(groupKey, taskId, new IllegalStateException("no room"), 0, 0);
                    }
                }));
        Future<String> future = view.submit(() -> "value");
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> get(future))
                .havingCause()
                .withMessage("no room");
    }

    @Test
    void cancelOfTheFutureInterruptsTheHandler() {
        BlockingTask handling = BlockingTask.interruptible();
        ExecutorService view = full(
                0,
                b -> b.rejectionHandler(new RejectionHandler() {
                    @Override
                    public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                        run(groupKey, taskId, handling);
                        return GroupResult.rejected(groupKey, taskId);
                    }
                }));
        Future<String> future = view.submit(() -> "value");
        await(handling.started);
        assertThat(future.cancel(true)).isTrue();
        await(handling.interrupted);
        assertThat(executor.stats().counts().cancelled()).isEqualTo(1);
    }
}
