package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.TestKit.BlockingTask;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does the plain future of a task keep the contract of futures? */
@Timeout(60)
class TaskFutureTest {

    private final GroupExecutor executor = executor(b -> b);
    private final BlockingTask blocker = BlockingTask.interruptible();

    @AfterEach
    void close() {
        executor.close();
    }

    private Future<GroupResult<String>> running() {
        Future<GroupResult<String>> future =
                executor.submit("g", "running", blocker).future();
        await(blocker.started);
        return future;
    }

    private static void assertCancelled(Future<?> future) {
        assertThat(future.isDone()).isTrue();
        assertThat(future.isCancelled()).isTrue();
        assertThat(future.state()).isEqualTo(Future.State.CANCELLED);
        assertThatExceptionOfType(CancellationException.class).isThrownBy(future::get);
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> future.get(30, TimeUnit.SECONDS));
    }

    @Test
    void getReturnsTheResult() throws Exception {
        Future<GroupResult<String>> future = running();
        assertThat(future.isDone()).isFalse();
        assertThat(future.isCancelled()).isFalse();
        assertThat(future.state()).isEqualTo(Future.State.RUNNING);
        blocker.release();
        assertThat(future.get().value()).isEqualTo("released");
        assertThat(future.get(0, TimeUnit.SECONDS).value()).isEqualTo("released");
        assertThat(future.isDone()).isTrue();
        assertThat(future.isCancelled()).isFalse();
        assertThat(future.resultNow().value()).isEqualTo("released");
    }

    @Test
    void getReturnsTheResultOfAFailedTask() throws Exception {
        RuntimeException thrown = new IllegalStateException("on purpose");
        Future<GroupResult<String>> future = executor.<String>submit("g", "t", () -> {
                    throw thrown;
                })
                .future();
        assertThat(future.get().status()).isEqualTo(TaskStatus.FAILED);
        assertThat(future.get().error()).isSameAs(thrown);
    }

    @Test
    void getThatTimesOutThrowsAndTheTaskContinues() throws Exception {
        Future<GroupResult<String>> future = running();
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> future.get(1, TimeUnit.MILLISECONDS));
        blocker.release();
        assertThat(future.get().value()).isEqualTo("released");
    }

    @Test
    void cancelCancelsTheTask() {
        TaskHandle<String> handle = executor.submit("g", "running", blocker);
        await(blocker.started);
        Future<GroupResult<String>> future = handle.future();
        assertThat(future.cancel(true)).isTrue();
        assertCancelled(future);
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
        await(blocker.interrupted);
        assertThat(future.cancel(true)).isFalse();
    }

    @Test
    void cancelOfTheHandleCancelsTheFuture() {
        BlockingTask.in(executor, "g");
        TaskHandle<String> queued = executor.submit("g", "queued", () -> "ran");
        Future<GroupResult<String>> future = queued.future();
        queued.cancel(false);
        assertCancelled(future);
        assertCancelled(queued.future());
    }

    @Test
    void shutdownCancelsTheFuture() {
        Future<GroupResult<String>> running = running();
        Future<GroupResult<String>> queued =
                executor.submit("g", "queued", () -> "ran").future();
        executor.shutdown();
        assertCancelled(running);
        assertCancelled(queued);
    }

    @Test
    void taskThatThrowsACancellationExceptionHasAResult() throws Exception {
        Future<GroupResult<String>> future = executor.<String>submit("g", "t", () -> {
                    throw new CancellationException("by the task itself");
                })
                .future();
        assertThat(future.get().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(future.isCancelled()).isFalse();
    }

    @Test
    void cancelAfterCompletionDoesNothing() throws Exception {
        Future<GroupResult<String>> future = running();
        blocker.release();
        future.get();
        assertThat(future.cancel(true)).isFalse();
        assertThat(future.isCancelled()).isFalse();
        assertThat(future.get().value()).isEqualTo("released");
    }
}
