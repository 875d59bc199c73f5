package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a shutdown with a timeout let tasks finish until the timeout? */
@Timeout(60)
class DrainTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static boolean refuses(GroupExecutor executor) {
        try {
            executor.submit("probe", "probe", () -> "ran");
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    @Test
    void runningAndQueuedTasksFinish() throws Exception {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> running = executor.submit("g", "running", blocker);
        await(blocker.started);
        List<TaskHandle<String>> queued = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            queued.add(executor.submit("g", "t" + i, () -> "ran"));
        }
        Caller<Boolean> drain = Caller.of(() -> executor.shutdown(LONG));
        eventually(() -> assertThat(refuses(executor)).isTrue());
        assertThat(drain.isDone()).isFalse();
        blocker.release();
        assertThat(drain.result()).isTrue();
        assertThat(blocker.wasInterrupted()).isFalse();
        assertThat(resultOf(running).value()).isEqualTo("released");
        assertThat(queued).allSatisfy(h -> assertThat(resultOf(h).value()).isEqualTo("ran"));
    }

    @Test
    void queuedTasksOfManyGroupsFinishUnderAGlobalLimit() throws Exception {
        GroupExecutor executor = executor(b -> b.globalMaxInFlight(1));
        BlockingTask blocker = BlockingTask.in(executor, "g0");
        List<TaskHandle<String>> queued = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            queued.add(executor.submit("g" + i % 3, "t" + i, () -> "ran"));
        }
        Caller<Boolean> drain = Caller.of(() -> executor.shutdown(LONG));
        eventually(() -> assertThat(refuses(executor)).isTrue());
        blocker.release();
        assertThat(drain.result()).isTrue();
        assertThat(queued).allSatisfy(h -> assertThat(resultOf(h).value()).isEqualTo("ran"));
    }

    @Test
    void tasksLeftAtTheTimeoutAreStopped() {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.in(executor, "g");
        TaskHandle<String> queued = executor.submit("g", "queued", () -> "ran");
        assertThat(executor.shutdown(Duration.ofMillis(20))).isFalse();
        await(blocker.interrupted);
        assertThat(queued.isDone()).isTrue();
        assertThat(resultOf(queued).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void failedTasksCountAsFinished() {
        GroupExecutor executor = executor(b -> b);
        executor.submit("g", "bad", () -> {
            throw new StackOverflowError("on purpose");
        });
        assertThat(executor.shutdown(LONG)).isTrue();
    }

    @Test
    void zeroTimeoutDoesNotWait() {
        GroupExecutor idle = executor(b -> b);
        resultOf(idle.submit("g", "t", () -> "ran"));
        assertThat(idle.shutdown(Duration.ZERO)).isTrue();
        GroupExecutor busy = executor(b -> b);
        BlockingTask blocker = BlockingTask.in(busy, "g");
        assertThat(busy.shutdown(Duration.ZERO)).isFalse();
        await(blocker.interrupted);
    }

    @Test
    void unusedExecutorIsDrainedAtOnce() {
        assertThat(executor(b -> b).shutdown(LONG)).isTrue();
        assertThat(executor(b -> b.globalMaxInFlight(1)).shutdown(Duration.ofSeconds(Long.MAX_VALUE)))
                .isTrue();
    }

    @Test
    void negativeTimeoutThrowsAndDoesNotShutDown() {
        try (GroupExecutor executor = executor(b -> b)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> executor.shutdown(Duration.ofNanos(-1)))
                    .withMessageContaining("timeout")
                    .withMessageContaining("PT-0.000000001S");
            assertThat(refuses(executor)).isFalse();
        }
    }

    @Test
    void drainAfterShutdownReturnsWhetherAllTasksAreOffTheirThreads() {
        GroupExecutor executor = executor(b -> b);
        BlockingTask stubborn = BlockingTask.uninterruptible();
        executor.submit("g", "t", stubborn);
        await(stubborn.started);
        executor.shutdown();
        assertThat(executor.shutdown(Duration.ZERO)).isFalse();
        stubborn.release();
        assertThat(executor.shutdown(LONG)).isTrue();
    }

    @Test
    void interruptedDrainStopsAtOnceAndKeepsTheInterruptFlag() throws Exception {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.in(executor, "g");
        Caller<List<Boolean>> drain = Caller.of(() -> {
            boolean finished = executor.shutdown(LONG);
            return List.of(finished, Thread.currentThread().isInterrupted());
        });
        eventually(() -> assertThat(refuses(executor)).isTrue());
        drain.interruptWhenWaiting();
        assertThat(drain.result()).containsExactly(false, true);
        await(blocker.interrupted);
    }

    @Test
    void shutdownEndsAWaitingDrain() throws Exception {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.in(executor, "g");
        Caller<Boolean> drain = Caller.of(() -> executor.shutdown(LONG));
        eventually(() -> assertThat(refuses(executor)).isTrue());
        executor.shutdown();
        await(blocker.interrupted);
        drain.result();
        assertThatIllegalStateException().isThrownBy(() -> executor.submit("g", "t", () -> "ran"));
    }

    @Test
    void statisticsStayCorrectDuringADrain() throws Exception {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.in(executor, "g");
        executor.submit("g", "queued", () -> "ran");
        Caller<Boolean> drain = Caller.of(() -> executor.shutdown(LONG));
        eventually(() -> assertThat(refuses(executor)).isTrue());
        assertThat(executor.stats().totalActiveCount()).isEqualTo(1);
        assertThat(executor.stats().totalQueuedCount()).isEqualTo(1);
        blocker.release();
        assertThat(drain.result()).isTrue();
        assertThat(executor.stats().totalActiveCount()).isZero();
    }
}
