package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long does {@code close} let tasks finish? */
@Timeout(60)
class CloseTimeoutTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(1);

    private final BlockingTask blocker = BlockingTask.interruptible();

    private static Caller<Boolean> closing(AutoCloseable executor) {
        return Caller.of(() -> {
            executor.close();
            return true;
        });
    }

    @Test
    void groupExecutorInterruptsAtOnceByDefault() {
        GroupExecutor executor = executor(b -> b);
        executor.submit("g", "t", blocker);
        await(blocker.started);
        executor.close();
        await(blocker.interrupted);
        assertThat(GroupPolicy.builder().build().closeTimeout()).isZero();
    }

    @Test
    void groupExecutorLetsRunningTasksFinishAndDropsQueuedOnes() throws Exception {
        GroupExecutor executor = executor(b -> b.closeTimeout(LONG));
        TaskHandle<String> running = executor.submit("g", "t", blocker);
        await(blocker.started);
        TaskHandle<String> queued = executor.submit("g", "queued", () -> "ran");
        Caller<Boolean> closing = closing(executor);
        eventually(() -> assertThat(queued.isDone()).isTrue());
        assertThat(closing.isDone()).isFalse();
        blocker.release();
        assertThat(closing.result()).isTrue();
        assertThat(resultOf(running).value()).isEqualTo("released");
        assertThat(resultOf(queued).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void groupExecutorInterruptsAtTheTimeout() {
        GroupExecutor executor = executor(b -> b.closeTimeout(SHORT));
        executor.submit("g", "t", blocker);
        await(blocker.started);
        executor.close();
        await(blocker.interrupted);
    }

    @Test
    void shutdownDoesNotWait() {
        GroupExecutor executor = executor(b -> b.closeTimeout(LONG));
        executor.submit("g", "t", blocker);
        await(blocker.started);
        executor.shutdown();
        await(blocker.interrupted);
    }

    @Test
    void isolationExecutorLetsRunningTasksFinish() throws Exception {
        IsolationPolicy policy =
                IsolationPolicy.builder().maxConcurrency(1).closeTimeout(LONG).build();
        IsolationExecutor executor = IsolationExecutor.create(policy);
        TaskHandle<String> running = executor.submit("k", blocker);
        await(blocker.started);
        TaskHandle<String> queued = executor.submit("k", () -> "ran");
        Caller<Boolean> closing = closing(executor);
        eventually(() -> assertThat(queued.isDone()).isTrue());
        blocker.release();
        assertThat(closing.result()).isTrue();
        assertThat(resultOf(running).value()).isEqualTo("released");
        assertThat(policy.toString()).contains("close timeout 30 s");
    }

    @Test
    void isolationExecutorInterruptsAtOnceByDefault() {
        IsolationExecutor executor =
                IsolationExecutor.create(IsolationPolicy.builder().build());
        executor.submit("k", blocker);
        await(blocker.started);
        executor.close();
        await(blocker.interrupted);
    }

    @Test
    void poolDrainsUntilTheTimeout() throws Exception {
        WorkerPool pool = WorkerPool.builder().closeTimeout(LONG).build();
        pool.submit(blocker);
        await(blocker.started);
        TaskHandle<String> queued = pool.submit(() -> "ran");
        Caller<Boolean> closing = closing(pool);
        closing.awaitWaiting();
        blocker.release();
        assertThat(closing.result()).isTrue();
        assertThat(resultOf(queued).value()).isEqualTo("ran");
    }

    @Test
    void poolStopsWhatIsLeftAtTheTimeoutAlsoAfterARestart() {
        WorkerPool pool = WorkerPool.builder().closeTimeout(SHORT).build();
        pool.close();
        pool.restart();
        pool.submit(blocker);
        await(blocker.started);
        TaskHandle<String> queued = pool.submit(() -> "ran");
        pool.close();
        await(blocker.interrupted);
        assertThat(resultOf(queued).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void negativeTimeoutsAreRejected() {
        Duration negative = Duration.ofNanos(-1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GroupPolicy.builder().closeTimeout(negative).build())
                .withMessageContaining("closeTimeout")
                .withMessageContaining("PT-0.000000001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IsolationPolicy.builder().closeTimeout(negative))
                .withMessageContaining("closeTimeout");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WorkerPool.builder().closeTimeout(negative).build())
                .withMessageContaining("closeTimeout");
    }
}
