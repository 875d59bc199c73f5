package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What does cancel do to a task in each state? */
@Timeout(60)
class CancellationTest {

    private final GroupExecutor executor = executor(b -> b);

    @AfterEach
    void close() {
        executor.close();
    }

    @Test
    void cancelledWhileQueuedNeverRuns() {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        AtomicBoolean ran = new AtomicBoolean();
        TaskHandle<Boolean> waiting = executor.submit("g", "waiting", () -> ran.getAndSet(true));
        assertThat(waiting.cancel(true)).isTrue();
        assertThat(waiting.isDone()).isTrue();
        GroupResult<Boolean> result = resultOf(waiting);
        assertThat(result.status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(result.value()).isNull();
        assertThat(result.error()).isInstanceOf(CancellationException.class);
        assertThat(result.durationNanos()).isZero();
        blocker.release();
        resultOf(executor.submit("g", "after", () -> "ran"));
        assertThat(ran).isFalse();
    }

    @Test
    void tasksQueuedBehindACancelledTaskMoveUp() {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        TaskHandle<String> cancelled = executor.submit("g", "cancelled", () -> "no");
        TaskHandle<String> behind = executor.submit("g", "behind", () -> "ran");
        cancelled.cancel(false);
        assertThat(executor.groupStats("g").orElseThrow().queuedCount()).isEqualTo(1);
        blocker.release();
        assertThat(resultOf(behind).value()).isEqualTo("ran");
    }

    @Test
    void cancelledWhileRunningIsInterruptedAndCompletesCancelled() {
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> running = executor.submit("g", "running", blocker);
        await(blocker.started);
        assertThat(running.cancel(true)).isTrue();
        assertThat(running.isDone()).isTrue();
        assertThat(resultOf(running).status()).isEqualTo(TaskStatus.CANCELLED);
        await(blocker.interrupted);
        assertThat(resultOf(executor.submit("g", "next", () -> "ran")).value()).isEqualTo("ran");
    }

    @Test
    void cancelWithoutInterruptionLeavesTheRunningTaskAlone() {
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> running = executor.submit("g", "running", blocker);
        await(blocker.started);
        assertThat(running.cancel(false)).isTrue();
        assertThat(resultOf(running).status()).isEqualTo(TaskStatus.CANCELLED);
        letOthersRun();
        assertThat(blocker.hasEnded()).isFalse();
        blocker.release();
        await(blocker.ended);
        assertThat(blocker.wasInterrupted()).isFalse();
    }

    @Test
    void cancelledTaskKeepsItsPermitUntilItsCodeReturns() {
        BlockingTask stubborn = BlockingTask.uninterruptible();
        TaskHandle<String> running = executor.submit("g", "running", stubborn);
        await(stubborn.started);
        AtomicBoolean stoppedBefore = new AtomicBoolean();
        TaskHandle<Boolean> next = executor.submit("g", "next", () -> {
            stoppedBefore.set(stubborn.hasEnded());
            return true;
        });
        assertThat(running.cancel(true)).isTrue();
        await(stubborn.interrupted);
        letOthersRun();
        assertThat(running.isDone()).isTrue();
        assertThat(next.isDone()).isFalse();
        assertThat(executor.groupStats("g").orElseThrow().activeCount()).isEqualTo(1);
        stubborn.release();
        assertThat(resultOf(next).value()).isTrue();
        assertThat(stoppedBefore).isTrue();
    }

    @Test
    void lateReturnOfACancelledTaskDoesNotChangeItsOutcome() {
        BlockingTask stubborn = BlockingTask.uninterruptible();
        TaskHandle<String> running = executor.submit("g", "running", stubborn);
        await(stubborn.started);
        running.cancel(true);
        stubborn.release();
        await(stubborn.ended);
        eventually(() -> assertThat(executor.stats().totalActiveCount()).isZero());
        assertThat(resultOf(running).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void onlyTheFirstCancelCounts() throws Exception {
        BlockingTask.in(executor, "g");
        TaskHandle<String> waiting = executor.submit("g", "waiting", () -> "no");
        List<Caller<Boolean>> callers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            callers.add(Caller.of(() -> waiting.cancel(true)));
        }
        int won = 0;
        for (Caller<Boolean> caller : callers) {
            won += caller.result() ? 1 : 0;
        }
        assertThat(won).isEqualTo(1);
    }

    @Test
    void cancelAfterCompletionDoesNothing() {
        TaskHandle<String> ended = executor.submit("g", "t", () -> "ran");
        resultOf(ended);
        assertThat(ended.cancel(true)).isFalse();
        assertThat(resultOf(ended).value()).isEqualTo("ran");
    }

    @Test
    void lateCancelNeverInterruptsAnotherTask() {
        AtomicInteger innocentsHit = new AtomicInteger();
        List<TaskHandle<String>> targets = new ArrayList<>();
        List<TaskHandle<String>> innocents = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            targets.add(
                    executor.submit("g" + i % 4, "target" + i, () -> "ended, maybe a moment before it is cancelled"));
            innocents.add(executor.submit("g" + i % 4, "innocent" + i, () -> {
                TestKit.yieldToOthers();
                if (Thread.interrupted()) {
                    innocentsHit.incrementAndGet();
                }
                return "ran";
            }));
        }
        targets.forEach(handle -> handle.cancel(true));
        assertThat(innocents)
                .allSatisfy(handle -> assertThat(resultOf(handle).value()).isEqualTo("ran"));
        assertThat(innocentsHit).hasValue(0);
    }

    @Test
    void cancellingMostOfABacklogLosesNoTask() {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        AtomicInteger ran = new AtomicInteger();
        List<TaskHandle<Integer>> handles = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            handles.add(executor.submit("g", "t" + i, ran::incrementAndGet));
        }
        for (int i = 0; i < 1000; i++) {
            if (i % 10 != 0) {
                assertThat(handles.get(i).cancel(true)).isTrue();
            }
        }
        assertThat(executor.groupStats("g").orElseThrow().queuedCount()).isEqualTo(100);
        blocker.release();
        handles.forEach(TestKit::resultOf);
        assertThat(ran).hasValue(100);
    }

    @Test
    void taskMayCancelItself() throws Exception {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        List<TaskHandle<String>> self = new ArrayList<>();
        self.add(executor.submit("g", "self", () -> {
            self.get(0).cancel(true);
            return Thread.currentThread().isInterrupted() ? "interrupted" : "not interrupted";
        }));
        blocker.release();
        assertThat(resultOf(self.get(0)).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(resultOf(executor.submit("g", "next", () -> "ran")).value()).isEqualTo("ran");
    }
}
