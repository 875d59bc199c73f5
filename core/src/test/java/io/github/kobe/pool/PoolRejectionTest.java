package io.github.kobe.pool;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What happens to a task when the queue is full? */
class PoolRejectionTest {

    private final BlockingTask blocker = BlockingTask.interruptible();

    /** One busy worker and one queued task. */
    private WorkerPool full(RejectionPolicy policy) {
        WorkerPool pool = WorkerPool.builder()
                .queueCapacity(1)
                .rejectionPolicy(policy)
                .maxBlockTime(Duration.ofMinutes(1))
                .build();
        pool.submit(blocker);
        await(blocker.started);
        return pool;
    }

    @Test
    void abort() {
        try (WorkerPool pool = full(RejectionPolicy.ABORT)) {
            pool.submit(() -> 1);
            TaskHandle<Integer> refused = pool.submit(() -> 2);
            assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(refused::await);
            blocker.release();
        }
    }

    @Test
    void discard() {
        try (WorkerPool pool = full(RejectionPolicy.DISCARD)) {
            pool.submit(() -> 1);
            assertThat(resultOf(pool.submit(() -> 2)).status()).isEqualTo(TaskStatus.REJECTED);
            blocker.release();
        }
    }

    @Test
    void discardOldest() {
        try (WorkerPool pool = full(RejectionPolicy.DISCARD_OLDEST)) {
            TaskHandle<Integer> oldest = pool.submit(() -> 1);
            TaskHandle<Integer> newest = pool.submit(() -> 2);
            assertThat(resultOf(oldest).status()).isEqualTo(TaskStatus.REJECTED);
            blocker.release();
            assertThat(resultOf(newest).value()).isEqualTo(2);
        }
    }

    @Test
    void callerRuns() {
        try (WorkerPool pool = full(RejectionPolicy.CALLER_RUNS)) {
            pool.submit(() -> 1);
            assertThat(resultOf(pool.submit(Thread::currentThread)).value()).isSameAs(Thread.currentThread());
            assertThat(resultOf(pool.submit(context -> context.isCancelled())).value())
                    .isFalse();
            blocker.release();
        }
    }

    @Test
    void block() throws Exception {
        try (WorkerPool pool = full(RejectionPolicy.BLOCK)) {
            pool.submit(() -> 1);
            Caller<TaskHandle<Integer>> blocked = Caller.of(() -> pool.submit(() -> 2));
            blocked.awaitWaiting();
            assertThat(pool.stats().blockedSubmitters()).isEqualTo(1);
            assertThat(pool.toString()).contains(", 1 blocked submitters |");
            blocker.release();
            assertThat(resultOf(blocked.result()).value()).isEqualTo(2);
        }
    }

    @Test
    void withZeroCapacityNoTaskIsQueued() {
        try (WorkerPool pool = WorkerPool.builder()
                .queueCapacity(0)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .build()) {
            pool.submit(blocker);
            await(blocker.started);
            assertThat(resultOf(pool.submit(() -> 1)).status()).isEqualTo(TaskStatus.REJECTED);
            blocker.release();
        }
    }

    @Test
    void changedCapacityAppliesAtOnceAndAfterARestart() {
        WorkerPool pool = full(RejectionPolicy.DISCARD);
        try (pool) {
            pool.submit(() -> 1);
            assertThat(resultOf(pool.submit(() -> 2)).status()).isEqualTo(TaskStatus.REJECTED);
            pool.setQueueCapacity(2);
            TaskHandle<Integer> admitted = pool.submit(() -> 3);
            assertThat(resultOf(pool.submit(() -> 4)).status()).isEqualTo(TaskStatus.REJECTED);
            pool.setQueueCapacity(0);
            blocker.release();
            assertThat(resultOf(admitted).value()).as("it stays queued").isEqualTo(3);
        }
        pool.restart();
        try (pool) {
            BlockingTask again = BlockingTask.interruptible();
            pool.submit(again);
            await(again.started);
            assertThat(resultOf(pool.submit(() -> 1)).status()).isEqualTo(TaskStatus.REJECTED);
            again.release();
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pool.setQueueCapacity(-1))
                .withMessage("queueCapacity must be at least 0, but is -1");
    }

    @Test
    void changedCapacityAppliesToGroups() {
        try (WorkerPool pool = full(RejectionPolicy.DISCARD)) {
            pool.submit("a", () -> 1);
            assertThat(resultOf(pool.submit("a", () -> 2)).status()).isEqualTo(TaskStatus.REJECTED);
            pool.setQueueCapacity(2);
            assertThat(pool.submit("a", () -> 3).isDone()).isFalse();
            blocker.release();
        }
    }
}
