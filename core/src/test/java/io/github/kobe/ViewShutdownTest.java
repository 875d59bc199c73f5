package io.github.kobe;

import static io.github.kobe.TestKit.PATIENCE;
import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a view shut down as an executor service does, without effect on other tasks of the group? */
@Timeout(60)
class ViewShutdownTest {

    private final GroupExecutor executor = executor(b -> b);
    private final ExecutorService view = executor.asExecutorService("g");
    private final ExecutorService other = executor.asExecutorService("g");

    @AfterEach
    void close() {
        executor.close();
    }

    private BlockingTask blocker(BlockingTask blocker) {
        view.execute(new FutureTask<>(blocker));
        await(blocker.started);
        return blocker;
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static boolean terminates(ExecutorService service) throws InterruptedException {
        return service.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static void assertRejects(ExecutorService service) {
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> service.execute(() -> {}))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(RejectionReason.SHUT_DOWN));
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> service.submit(() -> "value"));
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> service.invokeAll(List.of(() -> "value")));
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> service.invokeAny(List.of(() -> "value")));
    }

    // ---- shutdown ------------------------------------------------------------------------------------------------

    @Test
    void afterAShutdownNewTasksAreRejectedAndAcceptedOnesComplete() throws Exception {
        BlockingTask blocker = blocker(BlockingTask.interruptible());
        Future<String> waiting = view.submit(() -> "waited");
        assertThat(view.isShutdown()).isFalse();
        assertThat(view.isTerminated()).isFalse();
        view.shutdown();
        view.shutdown();
        assertThat(view.isShutdown()).isTrue();
        assertThat(view.isTerminated()).isFalse();
        assertRejects(view);
        assertThat(view.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(view.awaitTermination(-1, TimeUnit.SECONDS)).isFalse();
        blocker.release();
        assertThat(terminates(view)).isTrue();
        assertThat(view.isTerminated()).isTrue();
        assertThat(waiting.resultNow()).isEqualTo("waited");
        assertThat(blocker.wasInterrupted()).isFalse();
        assertThat(view.toString()).contains("terminated, 0 tasks");
    }

    @Test
    void unusedViewIsTerminatedByAShutdown() throws Exception {
        view.shutdown();
        assertThat(view.isTerminated()).isTrue();
        assertThat(view.awaitTermination(0, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void idleViewIsNotTerminated() throws Exception {
        get(view.submit(() -> "value"));
        assertThat(view.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(view.isTerminated()).isFalse();
    }

    @Test
    void awaitTerminationCanBeInterrupted() {
        Caller<Boolean> caller = Caller.of(() -> terminates(view));
        caller.interruptWhenWaiting();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(caller::result)
                .withCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void terminatedMeansOffTheThreadEvenIfTheFutureWasCancelled() throws Exception {
        BlockingTask blocker = BlockingTask.uninterruptible();
        Future<String> future = view.submit(blocker);
        await(blocker.started);
        view.shutdown();
        future.cancel(true);
        await(blocker.interrupted);
        assertThat(view.isTerminated()).isFalse();
        blocker.release();
        assertThat(terminates(view)).isTrue();
        assertThat(blocker.hasEnded()).isTrue();
        assertThat(CurrentStats.of(executor).active()).isZero();
    }

    @Test
    void cancelOfTheLastQueuedTaskTerminates() throws Exception {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        Future<String> waiting = view.submit(() -> "never");
        view.shutdown();
        assertThat(view.isTerminated()).isFalse();
        waiting.cancel(false);
        assertThat(view.isTerminated()).isTrue();
        blocker.release();
    }

    @Test
    void closeWaitsForAcceptedTasks() {
        BlockingTask blocker = blocker(BlockingTask.interruptible());
        Future<String> waiting = view.submit(() -> "waited");
        Caller<Boolean> closer = Caller.of(() -> {
            view.close();
            return waiting.isDone();
        });
        closer.awaitWaiting();
        assertThat(waiting.isDone()).isFalse();
        blocker.release();
        assertThat(closer).succeedsWithin(PATIENCE).isEqualTo(true);
        view.close();
    }

    @Test
    void interruptedCloseStopsRunningTasks() {
        BlockingTask blocker = blocker(BlockingTask.interruptible());
        Caller<Boolean> closer = Caller.of(() -> {
            view.close();
            return Thread.currentThread().isInterrupted();
        });
        closer.interruptWhenWaiting();
        assertThat(closer).succeedsWithin(PATIENCE).isEqualTo(true);
        assertThat(blocker.wasInterrupted()).isTrue();
    }

    // ---- shutdownNow ---------------------------------------------------------------------------------------------

    @Test
    void shutdownNowInterruptsRunningTasksAndReturnsQueuedOnes() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        Future<String> running = view.submit(blocker);
        await(blocker.started);
        Runnable raw = () -> {};
        view.execute(raw);
        Future<String> waiting = view.submit(() -> "ran elsewhere");
        List<Runnable> never = view.shutdownNow();
        assertThat(never).containsExactly(raw, (Runnable) waiting);
        assertThat(CurrentStats.of(executor).queued()).isZero();
        await(blocker.interrupted);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> get(running))
                .withCauseInstanceOf(InterruptedException.class);
        assertThat(terminates(view)).isTrue();
        assertThat(view.shutdownNow()).isEmpty();
        assertRejects(view);
        assertThat(waiting.isDone()).as("it belongs to the caller").isFalse();
        never.get(1).run();
        assertThat(get(waiting)).isEqualTo("ran elsewhere");
    }

    @Test
    void tasksReturnedByShutdownNowCanBeGivenToAnotherView() throws Exception {
        BlockingTask blocker = blocker(BlockingTask.uninterruptible());
        Future<String> waiting = view.submit(() -> "ran in the other");
        Future<String> cancelled = view.submit(() -> "never");
        view.shutdownNow().forEach(other::execute);
        assertThat(cancelled.cancel(false)).isTrue();
        blocker.release();
        assertThat(get(waiting)).isEqualTo("ran in the other");
    }

    @Test
    void shutdownNowKeepsTheResultOfATaskThatIgnoresTheInterrupt() throws Exception {
        BlockingTask blocker = BlockingTask.uninterruptible();
        Future<String> running = view.submit(blocker);
        await(blocker.started);
        view.shutdownNow();
        await(blocker.interrupted);
        assertThat(view.isTerminated()).isFalse();
        blocker.release();
        assertThat(get(running)).isEqualTo("released");
        assertThat(terminates(view)).isTrue();
    }

    @Test
    void everyTaskRunsOrIsReturnedOrRejectedIfShutdownNowRacesWithSubmit() throws Exception {
        for (int round = 0; round < 300; round++) {
            ExecutorService racing = executor.asExecutorService("racing");
            AtomicInteger ran = new AtomicInteger();
            List<Caller<Integer>> submitters = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                submitters.add(Caller.of(() -> executeUpTo(100, racing, ran::incrementAndGet)));
            }
            eventually(() -> assertThat(ran.get()).isPositive());
            int returned = racing.shutdownNow().size();
            int accepted = 0;
            for (Caller<Integer> submitter : submitters) {
                accepted += submitter.result();
            }
            assertThat(terminates(racing)).isTrue();
            assertThat(ran.get() + returned).isEqualTo(accepted);
        }
    }

    /** Returns how many commands the service accepted. */
    private static int executeUpTo(int most, ExecutorService service, Runnable command) {
        int accepted = 0;
        try {
            for (; accepted < most; accepted++) {
                service.execute(command);
            }
        } catch (RejectedExecutionException e) {
            // the remaining ones would be rejected too
        }
        return accepted;
    }

    // ---- other tasks ---------------------------------------------------------------------------------------------

    @Test
    void otherTasksOfTheGroupAreNotAffected() throws Exception {
        BlockingTask viaGroup = BlockingTask.in(executor, "g");
        Future<String> viaOther = other.submit(() -> "other");
        TaskHandle<String> handle = executor.submit("g", "t", () -> "submitted");
        Future<String> mine = view.submit(() -> "never");
        assertThat(view.shutdownNow()).hasSize(1);
        assertThat(mine.isDone()).isFalse();
        assertThat(terminates(view)).isTrue();
        assertThat(other.isShutdown()).isFalse();
        assertThat(executor.asExecutorService("g").isShutdown()).isFalse();
        assertThat(viaGroup.wasInterrupted()).isFalse();
        viaGroup.release();
        assertThat(get(viaOther)).isEqualTo("other");
        assertThat(resultOf(handle).value()).isEqualTo("submitted");
        assertThat(get(other.submit(() -> "still open"))).isEqualTo("still open");
    }

    @Test
    void shutdownOfTheGroupCancelsTheFuturesAndLeavesTheViewOpen() throws Exception {
        BlockingTask blocker = BlockingTask.uninterruptible();
        Future<String> running = view.submit(blocker);
        await(blocker.started);
        Future<String> waiting = view.submit(() -> "never");
        executor.shutdownGroup("g");
        await(blocker.interrupted);
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(running));
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(waiting));
        assertThat(view.isShutdown()).isFalse();
        Future<String> next = view.submit(() -> "next");
        blocker.release();
        assertThat(get(next)).isEqualTo("next");
        view.shutdown();
        assertThat(terminates(view)).isTrue();
    }

    @Test
    void shutdownOfTheExecutorShutsTheViewDownAndCancelsTheFutures() throws Exception {
        BlockingTask blocker = BlockingTask.uninterruptible();
        Future<String> running = view.submit(blocker);
        await(blocker.started);
        Future<String> waiting = view.submit(() -> "never");
        executor.shutdown();
        assertThat(view.isShutdown()).isTrue();
        assertThat(view.isTerminated()).isFalse();
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(running));
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(waiting));
        assertRejects(view);
        blocker.release();
        assertThat(terminates(view)).isTrue();
        assertThat(other.isTerminated()).isTrue();
    }

    @Test
    void awaitTerminationReturnsAfterAShutdownOfTheExecutor() throws Exception {
        Caller<Boolean> idle = Caller.of(() -> terminates(view));
        Caller<Boolean> again = Caller.of(() -> terminates(view));
        idle.awaitWaiting();
        again.awaitWaiting();
        executor.shutdown();
        assertThat(idle.result()).isTrue();
        assertThat(again.result()).isTrue();
    }

    @Test
    void drainingExecutorLetsTheTasksOfItsViewsComplete() throws Exception {
        List<Future<String>> futures = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            futures.add(view.submit(() -> "ran"));
        }
        assertThat(executor.shutdown(PATIENCE)).isTrue();
        for (Future<String> future : futures) {
            assertThat(get(future)).isEqualTo("ran");
        }
        assertThat(terminates(view)).isTrue(); // the last task is counted until just after its future completes
    }
}
