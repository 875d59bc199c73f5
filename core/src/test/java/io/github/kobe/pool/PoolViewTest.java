package io.github.kobe.pool;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.TestKit.BlockingTask;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Does the executor service of a pool keep the contract? The tests of the view itself are elsewhere. */
class PoolViewTest {

    private final WorkerPool pool = WorkerPool.builder().name("p").maxWorkers(2).build();
    private final ExecutorService view = pool.asExecutorService();

    @AfterEach
    void close() {
        pool.shutdownNow();
    }

    @Test
    void tasksRunOnWorkers() throws Exception {
        assertThat(view.submit(() -> Thread.currentThread().getName()).get()).startsWith("p-");
        assertThat(CompletableFuture.supplyAsync(() -> Thread.currentThread().getName(), view)
                        .get())
                .startsWith("p-");
    }

    @Test
    void valuesAndExceptionsArePassedOn() throws Exception {
        assertThat(view.submit(() -> 1).get()).isEqualTo(1);
        assertThat(view.submit(() -> {}, "result").get()).isEqualTo("result");
        Future<?> broken = view.submit((Callable<?>) () -> {
            throw new IllegalStateException("boom");
        });
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(broken::get)
                .withCauseInstanceOf(IllegalStateException.class);
        List<Callable<Integer>> tasks = List.of(() -> 1, () -> 2, () -> 3);
        assertThat(view.invokeAny(tasks)).isBetween(1, 3);
        assertThat(view.invokeAll(tasks)).extracting(Future::resultNow).containsExactly(1, 2, 3);
    }

    @Test
    void exceptionOfACommandGoesToTheHandlerOfTheThreadAndTheWorkerContinues() {
        List<Throwable> caught = new java.util.concurrent.CopyOnWriteArrayList<>();
        BlockingTask done = BlockingTask.interruptible();
        try (WorkerPool own = WorkerPool.builder()
                .threads(work -> {
                    Thread thread = new Thread(work);
                    thread.setUncaughtExceptionHandler((t, thrown) -> caught.add(thrown));
                    return thread;
                })
                .build()) {
            own.asExecutorService().execute(() -> {
                throw new IllegalStateException("boom");
            });
            done.release();
            assertThat(resultOf(own.submit(done)).isSuccess()).isTrue();
        }
        assertThat(caught)
                .singleElement()
                .satisfies(thrown -> assertThat(thrown).hasMessage("boom"));
    }

    @Test
    void shutdownOfTheViewIsOrderlyAndLeavesThePoolRunning() throws Exception {
        Future<Integer> accepted = view.submit(() -> 1);
        view.shutdown();
        assertThat(view.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(view.isTerminated()).isTrue();
        assertThat(accepted.get()).isEqualTo(1);
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> view.execute(() -> {}));
        assertThat(resultOf(pool.submit(() -> 2)).value()).isEqualTo(2);
    }

    @Test
    void shutdownNowInterruptsItsTasksAndReturnsThoseThatNeverStarted() throws Exception {
        List<BlockingTask> blockers = List.of(BlockingTask.interruptible(), BlockingTask.interruptible());
        blockers.forEach(blocker -> {
            Future<String> unused = view.submit(blocker);
        });
        blockers.forEach(blocker -> await(blocker.started));
        Runnable never = () -> {};
        view.execute(never);
        assertThat(view.shutdownNow()).containsExactly(never);
        blockers.forEach(blocker -> await(blocker.interrupted));
        assertThat(view.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(resultOf(pool.submit(() -> Thread.currentThread().isInterrupted()))
                        .value())
                .isFalse();
    }

    @Test
    void shutdownOfThePoolShutsDownTheView() throws Exception {
        pool.shutdown();
        assertThat(view.isShutdown()).isTrue();
        assertThat(view.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> view.execute(() -> {}));
    }
}
