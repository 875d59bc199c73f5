package io.github.kobe.pool;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Log;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Does the pool lose a worker if a task does not return after an interrupt? */
class ZombieTest {

    private static final TaskOptions BRIEF =
            TaskOptions.builder().timeout(Duration.ofMillis(5)).build();

    private static WorkerPoolBuilder builder(int max) {
        return WorkerPool.builder().maxWorkers(max).grace(Duration.ofMillis(5));
    }

    @Test
    void handleCompletesAndTheWorkerIsInterruptedAndReplaced() {
        try (WorkerPool pool = builder(1).build()) {
            BlockingTask zombie = BlockingTask.uninterruptible();
            GroupResult<String> result = resultOf(pool.submit(zombie, BRIEF));
            assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
            assertThat(result.error()).isInstanceOf(TaskTimeoutException.class);
            await(zombie.interrupted);
            assertThat(resultOf(pool.submit(() -> "goes on")).value()).isEqualTo("goes on");
            WorkerPoolStats stats = pool.stats();
            assertThat(stats.replaced()).isEqualTo(1);
            assertThat(stats.zombies()).isEqualTo(1);
            assertThat(stats.timedOut()).isEqualTo(1);
            assertThat(stats.advice()).contains("1 workers are held");
            zombie.release();
        }
    }

    @Test
    void replacementLeavesWhenTheZombieReturns() {
        try (WorkerPool pool = builder(1).build()) {
            BlockingTask zombie = BlockingTask.uninterruptible();
            resultOf(pool.submit(zombie, BRIEF));
            resultOf(pool.submit(() -> "goes on"));
            zombie.release();
            eventually(() -> {
                assertThat(pool.stats().zombies()).isZero();
                assertThat(pool.stats().workers()).isEqualTo(1);
            });
            List<BlockingTask> two =
                    Stream.generate(BlockingTask::interruptible).limit(2).toList();
            two.forEach(blocker -> pool.submit(blocker));
            await(two.get(0).started);
            assertThat(pool.stats().queuedTasks()).as("one permit, as before").isEqualTo(1);
            two.forEach(BlockingTask::release);
        }
    }

    @Test
    void taskThatReturnsWhenInterruptedIsNoZombie() {
        try (WorkerPool pool = builder(1).grace(Duration.ofMinutes(1)).build()) {
            BlockingTask polite = BlockingTask.interruptible();
            resultOf(pool.submit(polite, BRIEF));
            await(polite.ended);
            resultOf(pool.submit(() -> "goes on"));
            assertThat(pool.stats().replaced()).isZero();
        }
    }

    @Test
    void workerOfACancelledTaskThatDoesNotReturnIsReplacedToo() {
        try (WorkerPool pool = builder(1).build()) {
            BlockingTask zombie = BlockingTask.uninterruptible();
            TaskHandle<String> handle = pool.submit(zombie);
            await(zombie.started);
            handle.cancel(true);
            assertThat(resultOf(pool.submit(() -> "goes on")).value()).isEqualTo("goes on");
            zombie.release();
        }
    }

    @Test
    void taskCancelledWithoutInterruptKeepsItsWorker() {
        try (WorkerPool pool = builder(1).grace(Duration.ZERO).build()) {
            BlockingTask blocker = BlockingTask.interruptible();
            TaskHandle<String> handle = pool.submit(blocker);
            await(blocker.started);
            handle.cancel(false);
            TaskHandle<String> next = pool.submit(() -> "goes on");
            blocker.release();
            resultOf(next);
            assertThat(pool.stats().replaced()).isZero();
        }
    }

    @Test
    void replacementsAreBoundedAndResumeWhenAZombieReturns() {
        try (WorkerPool pool = builder(2).maxZombies(1).build()) {
            BlockingTask first = BlockingTask.uninterruptible();
            BlockingTask second = BlockingTask.uninterruptible();
            resultOf(pool.submit(first, BRIEF));
            eventually(() -> assertThat(pool.stats().zombies()).isEqualTo(1));
            resultOf(pool.submit(second, BRIEF));
            assertThat(resultOf(pool.submit(() -> "on the replacement")).value())
                    .isEqualTo("on the replacement");
            BlockingTask third = BlockingTask.uninterruptible();
            resultOf(pool.submit(third, BRIEF));
            TaskHandle<String> waiting = pool.submit(() -> "late");
            // All three workers are held, and no further one may be replaced.
            await(second.interrupted);
            await(third.interrupted);
            assertThat(pool.stats().zombies()).isEqualTo(1);
            assertThat(pool.stats().workers()).isEqualTo(3);
            assertThat(waiting.isDone()).isFalse();
            first.release();
            assertThat(resultOf(waiting).value()).isEqualTo("late");
            assertThat(pool.stats().workers()).isLessThanOrEqualTo(3);
            second.release();
            third.release();
            eventually(() -> assertThat(pool.stats().zombies()).isZero());
        }
    }

    @Test
    void zombiesAreReportedOnce() {
        try (Log log = new Log();
                WorkerPool pool = builder(3).build()) {
            List<BlockingTask> zombies =
                    Stream.generate(BlockingTask::uninterruptible).limit(3).toList();
            zombies.forEach(zombie -> pool.submit(zombie, BRIEF));
            eventually(() -> assertThat(pool.stats().replaced()).isEqualTo(3));
            eventually(() -> assertThat(log.lines("did not end in time")).hasSize(1));
            zombies.forEach(BlockingTask::release);
            pool.shutdown();
            assertThat(log.lines("did not end in time")).hasSize(1);
        }
    }

    @Test
    void shutdownLetsAdmittedTasksFinishInSpiteOfAZombie() throws Exception {
        WorkerPool pool = builder(1).build();
        BlockingTask zombie = BlockingTask.uninterruptible();
        pool.submit(zombie, BRIEF);
        await(zombie.started);
        TaskHandle<String> accepted = pool.submit(() -> "finishes");
        Caller<Boolean> shutdown = Caller.of(() -> {
            pool.shutdown();
            return true;
        });
        assertThat(resultOf(accepted).value()).isEqualTo("finishes");
        zombie.release();
        assertThat(shutdown.result()).isTrue();
    }

    @Test
    void groupsUseTheReplacementToo() {
        try (WorkerPool pool = builder(1).build()) {
            BlockingTask zombie = BlockingTask.uninterruptible();
            resultOf(pool.submit("a", context -> zombie.call(), BRIEF));
            assertThat(resultOf(pool.submit("b", () -> "goes on")).value()).isEqualTo("goes on");
            zombie.release();
        }
    }
}
