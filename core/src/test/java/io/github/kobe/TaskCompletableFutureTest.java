package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do dependent actions run on completion, without a waiting thread and without effect on the task? */
@Timeout(60)
class TaskCompletableFutureTest {

    private final GroupExecutor executor = executor(b -> b);
    private final BlockingTask blocker = BlockingTask.interruptible();

    @AfterEach
    void close() {
        executor.close();
    }

    private TaskHandle<String> running() {
        TaskHandle<String> handle = executor.submit("g", "running", blocker);
        await(blocker.started);
        return handle;
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(TestKit.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void completesWithTheResult() throws Exception {
        CompletableFuture<GroupResult<String>> future = running().toCompletableFuture();
        assertThat(future).isNotDone();
        blocker.release();
        assertThat(get(future).value()).isEqualTo("released");
    }

    @Test
    void completesWithTheResultOfAFailedOrCompletedTask() throws Exception {
        TaskHandle<String> failed = executor.submit("g", "bad", () -> {
            throw new StackOverflowError("on purpose");
        });
        assertThat(get(failed.toCompletableFuture()).status()).isEqualTo(TaskStatus.FAILED);
        assertThat(failed.toCompletableFuture()).isDone();
    }

    @Test
    void completesWithTheResultOfACancelledTask() throws Exception {
        TaskHandle<String> handle = running();
        CompletableFuture<GroupResult<String>> future = handle.toCompletableFuture();
        handle.cancel(true);
        assertThat(get(future).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void dependentActionsRunOnTheTaskThreadAfterThePermitIsReleased() throws Exception {
        AtomicReference<Thread> taskThread = new AtomicReference<>();
        TaskHandle<String> handle = executor.submit("g", "t", () -> {
            taskThread.set(Thread.currentThread());
            return blocker.call();
        });
        await(blocker.started);
        CompletableFuture<Thread> actionThread = handle.toCompletableFuture().thenApply(r -> {
            assertThat(executor.stats().totalActiveCount()).isZero();
            return Thread.currentThread();
        });
        blocker.release();
        assertThat(get(actionThread))
                .as("no other thread passes the outcome on")
                .isSameAs(taskThread.get());
    }

    @Test
    void cancellingItCancelsTheTask() {
        TaskHandle<String> handle = running();
        handle.toCompletableFuture().cancel(true);
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
        await(blocker.interrupted);
    }

    @Test
    void cancelledFutureIsCancelled() {
        BlockingTask.in(executor, "g");
        for (int i = 0; i < 2000; i++) {
            CompletableFuture<GroupResult<String>> future =
                    executor.submit("g", "queued", () -> "ran").toCompletableFuture();
            assertThat(future.cancel(true)).as("cancel number %s", i).isTrue();
            assertThat(future.isCancelled()).isTrue();
        }
    }

    @Test
    void cancellingAQueuedTaskMakesRoomInTheQueue() {
        BlockingTask.in(executor, "g");
        TaskHandle<String> queued = executor.submit("g", "queued", () -> "ran");
        queued.toCompletableFuture().cancel(false);
        assertThat(resultOf(queued).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(executor.stats().totalQueuedCount()).isZero();
    }

    @Test
    void completingTheFutureDoesNotAffectTheTask() throws Exception {
        TaskHandle<String> handle = running();
        CompletableFuture<GroupResult<String>> mine = handle.toCompletableFuture();
        CompletableFuture<GroupResult<String>> yours = handle.toCompletableFuture();
        mine.complete(GroupResult.rejected("g", "made up"));
        assertThat(handle.isDone()).isFalse();
        assertThat(yours).isNotDone();
        blocker.release();
        assertThat(get(yours).value()).isEqualTo("released");
        assertThat(resultOf(handle).value()).isEqualTo("released");
    }

    @Test
    void throwingDependentActionAffectsNothingElse() throws Exception {
        TaskHandle<String> handle = running();
        CompletableFuture<String> broken = handle.toCompletableFuture().thenApply(r -> {
            throw new StackOverflowError("on purpose");
        });
        blocker.release();
        assertThat(resultOf(handle).value()).isEqualTo("released");
        assertThat(broken).failsWithin(TestKit.PATIENCE);
        assertThat(resultOf(executor.submit("g", "next", () -> "ran")).value()).isEqualTo("ran");
    }

    @Test
    void blockedDependentActionDelaysNoWaiterNoTaskAndNoDrain() throws Exception {
        TaskHandle<String> handle = running();
        BlockingTask blocking = BlockingTask.uninterruptible();
        CompletableFuture<String> hanging = handle.toCompletableFuture().thenApply(r -> callQuietly(blocking));
        Caller<GroupResult<String>> waiter = Caller.of(handle::await);
        waiter.awaitWaiting();
        blocker.release();
        await(blocking.started);
        assertThat(waiter.result().value()).isEqualTo("released");
        assertThat(resultOf(handle).value()).isEqualTo("released");
        assertThat(resultOf(executor.submit("g", "next", () -> "ran")).value()).isEqualTo("ran");
        assertThat(executor.shutdown(TestKit.PATIENCE)).isTrue();
        assertThat(hanging).isNotDone();
        blocking.release();
    }

    @Test
    void blockedDependentActionDelaysNoCancelAndNoShutdown() throws Exception {
        BlockingTask.in(executor, "g");
        List<TaskHandle<String>> queued = new ArrayList<>();
        List<BlockingTask> blocking = new ArrayList<>();
        List<CompletableFuture<String>> hanging = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            BlockingTask blocked = BlockingTask.uninterruptible();
            blocking.add(blocked);
            queued.add(executor.submit("g", "queued" + i, () -> "ran"));
            hanging.add(queued.get(i).toCompletableFuture().thenApply(r -> callQuietly(blocked)));
        }
        Caller<Boolean> stopper = Caller.of(() -> {
            boolean cancelled = queued.get(0).cancel(true);
            executor.shutdown();
            return cancelled;
        });
        assertThat(stopper.result()).isTrue();
        assertThat(queued).allSatisfy(h -> assertThat(resultOf(h).status()).isEqualTo(TaskStatus.CANCELLED));
        blocking.forEach(b -> await(b.started));
        assertThat(hanging).noneMatch(CompletableFuture::isDone);
        blocking.forEach(BlockingTask::release);
    }

    private static String callQuietly(BlockingTask blocker) {
        try {
            return blocker.call();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
