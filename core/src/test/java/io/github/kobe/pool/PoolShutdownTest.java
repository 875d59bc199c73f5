package io.github.kobe.pool;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.ShutdownMode;
import io.github.kobe.ShutdownReport;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** How does a pool shut down? */
class PoolShutdownTest {

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    private WorkerPool pool(int max) {
        return WorkerPool.builder()
                .name("p")
                .maxWorkers(max)
                .threads(work -> {
                    Thread thread = new Thread(work);
                    threads.add(thread);
                    return thread;
                })
                .build();
    }

    @Test
    void allAdmittedTasksFinishAndNoThreadIsLeft() throws Exception {
        WorkerPool pool = pool(2);
        BlockingTask blocker = BlockingTask.interruptible();
        List<TaskHandle<?>> handles = new ArrayList<>();
        handles.add(pool.submit(blocker));
        handles.add(pool.submit(() -> 1));
        for (int i = 0; i < 100; i++) {
            handles.add(pool.submit(() -> 1));
        }
        await(blocker.started);
        Caller<Boolean> shutdown = Caller.of(() -> {
            pool.shutdown();
            return true;
        });
        eventually(() -> assertThat(pool.isShutdown()).isTrue());
        shutdown.awaitWaiting();
        assertThatIllegalStateException()
                .isThrownBy(() -> pool.submit(() -> 1))
                .withMessageContaining("worker pool 'p' is shut down");
        blocker.release();
        assertThat(shutdown.result()).isTrue();
        assertThat(handles)
                .allMatch(handle -> handle.isDone() && resultOf(handle).isSuccess());
        eventually(() -> assertThat(threads).noneMatch(Thread::isAlive));
        assertThat(pool.stats().workers()).isZero();
    }

    @Test
    void finishRunningDropsTheQueueAndLeavesNoWorker() throws Exception {
        WorkerPool pool = pool(1);
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> running = pool.submit(blocker);
        await(blocker.started);
        TaskHandle<Integer> queued = pool.submit(() -> 1);
        TaskHandle<Integer> queuedInGroup = pool.submit("g", context -> 1);
        Caller<ShutdownReport> finishing =
                Caller.of(() -> pool.shutdown(Duration.ofSeconds(30), ShutdownMode.FINISH_RUNNING));
        eventually(() -> assertThat(queued.isDone() && queuedInGroup.isDone()).isTrue());
        blocker.release();
        ShutdownReport report = finishing.result();
        assertThat(report.completed()).isTrue();
        assertThat(report.dropped())
                .extracting(ShutdownReport.DroppedTask::groupKey)
                .containsExactlyInAnyOrder("p", "g");
        assertThat(resultOf(running).value()).isEqualTo("released");
        assertThat(resultOf(queued).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(pool.stats().workers()).isZero();
        pool.restart();
        assertThat(resultOf(pool.submit(() -> 2)).value()).isEqualTo(2);
        pool.close();
    }

    @Test
    void stopWaitsUntilTheInterruptedTaskHasReturned() {
        WorkerPool pool = pool(1);
        BlockingTask blocker = BlockingTask.interruptible();
        pool.submit(blocker);
        await(blocker.started);
        ShutdownReport report = pool.shutdown(Duration.ofSeconds(30), ShutdownMode.STOP);
        assertThat(report.completed()).isTrue();
        assertThat(blocker.wasInterrupted()).isTrue();
        assertThat(blocker.hasEnded()).isTrue();
    }

    @Test
    void noModeMayBeUsedByATaskOfThePool() {
        WorkerPool pool = pool(1);
        for (ShutdownMode mode : ShutdownMode.values()) {
            assertThat(resultOf(pool.submit(() -> pool.shutdown(Duration.ZERO, mode)))
                            .error())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("a task of worker pool 'p'");
        }
        assertThat(pool.isShutdown()).isFalse();
        pool.close();
    }

    @Test
    void tasksLeftAfterTheTimeoutAreStopped() {
        WorkerPool pool = pool(1);
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> running = pool.submit(blocker);
        await(blocker.started);
        TaskHandle<Integer> waiting = pool.submit(() -> 1);
        assertThat(pool.shutdown(Duration.ofMillis(5))).isFalse();
        assertThat(resultOf(running).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(resultOf(waiting).status()).isEqualTo(TaskStatus.CANCELLED);
        await(blocker.interrupted);
        eventually(() -> assertThat(threads).noneMatch(Thread::isAlive));
    }

    @Test
    void withEnoughTimeAllTasksFinish() {
        WorkerPool pool = pool(1);
        TaskHandle<Integer> handle = pool.submit(() -> 1);
        assertThat(pool.shutdown(Duration.ofMinutes(1))).isTrue();
        assertThat(resultOf(handle).value()).isEqualTo(1);
        assertThatIllegalArgumentException().isThrownBy(() -> pool.shutdown(Duration.ofNanos(-1)));
    }

    @Test
    void shutdownNowReturnsExactlyTheTasksThatNeverRan() {
        WorkerPool pool = pool(2);
        List<BlockingTask> blockers = List.of(BlockingTask.interruptible(), BlockingTask.interruptible());
        blockers.forEach(blocker -> pool.submit(blocker));
        blockers.forEach(blocker -> await(blocker.started));
        Set<Integer> ran = ConcurrentHashMap.newKeySet();
        List<TaskHandle<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            int number = i;
            waiting.add(pool.submit(() -> ran.add(number)));
        }
        waiting.add(pool.submit("group", () -> ran.add(10)));
        List<TaskHandle<?>> never = pool.shutdownNow();
        assertThat(never).containsExactlyInAnyOrderElementsOf(waiting);
        assertThat(never).allMatch(handle -> resultOf(handle).status() == TaskStatus.CANCELLED);
        assertThat(ran).isEmpty();
        blockers.forEach(blocker -> await(blocker.interrupted));
        eventually(() -> assertThat(threads).noneMatch(Thread::isAlive));
    }

    @Test
    void taskCannotWaitForTheEndOfAllTasks() {
        WorkerPool pool = pool(1);
        TaskHandle<?> handle = pool.submit((Runnable) pool::shutdown);
        assertThat(resultOf(handle).error())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot wait");
        assertThat(pool.isShutdown()).isFalse();
        pool.shutdown();
    }

    @Test
    void interruptedShutdownReturnsAndTheTasksFinish() throws Exception {
        WorkerPool pool = pool(1);
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> running = pool.submit(blocker);
        TaskHandle<Integer> waiting = pool.submit(() -> 2);
        await(blocker.started);
        Caller<Boolean> shutdown = Caller.of(() -> {
            pool.shutdown();
            return Thread.interrupted();
        });
        shutdown.interruptWhenWaiting();
        assertThat(shutdown.result()).isTrue();
        blocker.release();
        assertThat(resultOf(running).isSuccess()).isTrue();
        assertThat(resultOf(waiting).value()).isEqualTo(2);
        eventually(() -> assertThat(threads).noneMatch(Thread::isAlive));
    }

    @Test
    void closingTwiceIsFine() {
        WorkerPool pool = pool(1);
        pool.close();
        pool.close();
        assertThat(pool.shutdownNow()).isEmpty();
        assertThat(pool.toString()).contains("shut down");
    }
}
