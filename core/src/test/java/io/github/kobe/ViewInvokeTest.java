package io.github.kobe;

import static io.github.kobe.TestKit.PATIENCE;
import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do {@code invokeAll}, {@code invokeAny} and a completion service do with a view what they do with any executor service? */
@Timeout(60)
class ViewInvokeTest {

    private static final Callable<String> FAILS = () -> {
        throw new IllegalStateException("on purpose");
    };

    private final GroupExecutor executor = executor(b -> b);
    private final ExecutorService view = executor.asExecutorService("g");

    @AfterEach
    void close() {
        executor.close();
    }

    private void assertNoTaskIsLeft() {
        eventually(() -> {
            assertThat(CurrentStats.of(executor).active()).isZero();
            assertThat(CurrentStats.of(executor).queued()).isZero();
        });
    }

    // ---- invokeAll -----------------------------------------------------------------------------------------------

    @Test
    void invokeAllReturnsCompletedFuturesInOrder() throws Exception {
        List<Future<String>> futures = view.invokeAll(List.of(() -> "a", FAILS, () -> "c"));
        assertThat(futures).allMatch(Future::isDone).hasSize(3);
        assertThat(futures.get(0).get()).isEqualTo("a");
        assertThatExceptionOfType(ExecutionException.class).isThrownBy(futures.get(1)::get);
        assertThat(futures.get(2).get()).isEqualTo("c");
        assertThat(view.invokeAll(List.<Callable<String>>of())).isEmpty();
    }

    @Test
    void timedInvokeAllCancelsTheRestWhenTheTimeIsOver() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        List<Future<String>> futures =
                view.invokeAll(List.<Callable<String>>of(() -> "a", blocker, () -> "never"), 50, TimeUnit.MILLISECONDS);
        assertThat(futures).allMatch(Future::isDone).hasSize(3);
        assertThat(futures.get(2).isCancelled()).isTrue();
        if (blocker.hasStarted()) {
            await(blocker.ended);
        }
        assertNoTaskIsLeft();
    }

    @Test
    void timedInvokeAllReturnsAllResultsInTime() throws Exception {
        List<Future<String>> futures =
                view.invokeAll(List.of(() -> "a", () -> "b"), PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(futures).extracting(Future::resultNow).containsExactly("a", "b");
    }

    @Test
    void invokeAllWithoutTimeRunsNothing() throws Exception {
        List<Future<String>> futures = view.invokeAll(List.of(() -> "a", () -> "b"), 0, TimeUnit.SECONDS);
        assertThat(futures).allMatch(Future::isCancelled).hasSize(2);
        assertThat(view.submit(() -> "after").get()).isEqualTo("after");
    }

    @Test
    void invokeAllCancelsItsTasksWhenTheCallerIsInterrupted() {
        BlockingTask blocker = BlockingTask.interruptible();
        Caller<List<Future<String>>> caller =
                Caller.of(() -> view.invokeAll(List.<Callable<String>>of(blocker, () -> "next")));
        await(blocker.started);
        caller.interruptWhenWaiting();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(caller::result)
                .withCauseInstanceOf(InterruptedException.class);
        await(blocker.interrupted);
        assertNoTaskIsLeft();
    }

    @Test
    void invokeAllRejectsNull() {
        assertThatNullPointerException().isThrownBy(() -> view.invokeAll(null));
        assertThatNullPointerException().isThrownBy(() -> view.invokeAll(Arrays.asList(() -> "a", null)));
        assertThatNullPointerException()
                .isThrownBy(() -> view.invokeAll(Arrays.asList(() -> "a", null), 1, TimeUnit.SECONDS));
        assertThatNullPointerException().isThrownBy(() -> view.invokeAll(List.of(() -> "a"), 1, null));
        assertNoTaskIsLeft();
    }

    // ---- invokeAny -----------------------------------------------------------------------------------------------

    @Test
    void invokeAnyReturnsTheFirstSuccess() throws Exception {
        assertThat(view.invokeAny(List.of(FAILS, () -> "success"))).isEqualTo("success");
        assertThat(view.invokeAny(List.of(FAILS, () -> "success"), PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isEqualTo("success");
    }

    @Test
    void invokeAnyCancelsRunningAndQueuedTasks() throws Exception {
        try (GroupExecutor two = executor(b -> b.defaultMaxConcurrencyPerGroup(2))) {
            BlockingTask loser = BlockingTask.uninterruptible();
            BlockingTask winner = BlockingTask.interruptible();
            BlockingTask waits = BlockingTask.interruptible();
            Caller<String> caller =
                    Caller.of(() -> two.asExecutorService("g").invokeAny(List.of(loser, winner, waits)));
            await(loser.started);
            await(winner.started);
            eventually(() -> assertThat(CurrentStats.of(two).queued()).isEqualTo(1));
            two.setMaxConcurrency("g", 1); // otherwise the queued task would start when the winner completes
            winner.release();
            assertThat(caller.result()).isEqualTo("released");
            await(loser.interrupted);
            assertThat(CurrentStats.of(two).queued())
                    .as("it has left the queue at once")
                    .isZero();
            loser.release();
            await(loser.ended);
            assertThat(waits.hasStarted()).isFalse();
        }
    }

    @Test
    void invokeAnyFailsIfAllFail() {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> view.invokeAny(List.of(FAILS, FAILS)))
                .havingCause()
                .withMessage("on purpose");
    }

    @Test
    void invokeAnyThrowsWhenTheTimeIsOver() {
        BlockingTask blocker = BlockingTask.interruptible();
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> view.invokeAny(List.of(blocker, blocker), 20, TimeUnit.MILLISECONDS));
        assertNoTaskIsLeft();
    }

    @Test
    void invokeAnyRejectsNullAndAnEmptyList() {
        assertThatNullPointerException().isThrownBy(() -> view.invokeAny(null));
        assertThatNullPointerException().isThrownBy(() -> view.invokeAny(Arrays.asList((Callable<String>) null)));
        assertThatIllegalArgumentException().isThrownBy(() -> view.invokeAny(List.<Callable<String>>of()));
        assertNoTaskIsLeft();
    }

    // ---- completion service --------------------------------------------------------------------------------------

    @Test
    void completionServiceReturnsFuturesInTheOrderOfCompletion() throws Exception {
        ExecutorCompletionService<String> service = new ExecutorCompletionService<>(view);
        service.submit(() -> "a");
        service.submit(() -> {}, "b");
        assertThat(service.take().get()).isEqualTo("a");
        assertThat(service.take().get()).isEqualTo("b");
        assertThat(service.poll()).isNull();
    }

    @Test
    void cancelledFutureOfACompletionServiceLeavesTheQueue() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        ExecutorCompletionService<String> service = new ExecutorCompletionService<>(view);
        Future<String> running = service.submit(blocker);
        await(blocker.started);
        Future<String> waiting = service.submit(() -> "never");
        assertThat(waiting.cancel(false)).isTrue();
        assertThat(CurrentStats.of(executor).queued()).isZero();
        assertThat(service.take()).isSameAs(waiting);
        blocker.release();
        assertThat(service.take()).isSameAs(running);
        assertThat(running.get()).isEqualTo("released");
    }

    @Test
    void shutdownOfTheGroupCancelsTheFutureOfACompletionService() throws Exception {
        BlockingTask blocker = BlockingTask.uninterruptible();
        ExecutorCompletionService<String> service = new ExecutorCompletionService<>(view);
        Future<String> running = service.submit(blocker);
        await(blocker.started);
        Future<String> waiting = service.submit(() -> "never");
        executor.shutdownGroup("g");
        assertThatExceptionOfType(CancellationException.class).isThrownBy(running::get);
        assertThatExceptionOfType(CancellationException.class).isThrownBy(waiting::get);
        assertThat(service.take()).isSameAs(waiting);
        blocker.release();
        assertThat(service.take()).as("when its task has returned").isSameAs(running);
    }
}
