package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import io.github.kobe.TestKit.Events;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens if a rejected task runs on the submitting thread? */
@Timeout(60)
class CallerRunsTest {

    private final Events events = new Events();
    private final GroupExecutor executor = executor(b -> b.globalMaxInFlight(2)
            .defaultQueueThresholdPerGroup(0)
            .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
            .taskLifecycleListener(events));
    private BlockingTask blocker;

    @BeforeEach
    void fillTheGroup() {
        blocker = BlockingTask.in(executor, "g");
    }

    @AfterEach
    void close() {
        executor.close();
    }

    @Test
    void runsOnTheSubmittingThreadBeforeSubmitReturns() throws Exception {
        TaskHandle<Thread> handle = executor.submit("g", "t", Thread::currentThread);
        assertThat(handle.isDone()).isTrue();
        assertThat(handle.await().value()).isSameAs(Thread.currentThread());
        assertThat(handle.await().status()).isEqualTo(TaskStatus.SUCCESS);
    }

    @Test
    void runsOnItsOwnThreadIfAdmitted() {
        blocker.release();
        TestKit.eventually(() -> assertThat(executor.stats().totalActiveCount()).isZero());
        assertThat(resultOf(executor.submit("g", "t", Thread::currentThread)).value())
                .isNotSameAs(Thread.currentThread());
    }

    @Test
    void holdsNoPermit() {
        TaskHandle<CurrentStats> handle = executor.submit("g", "t", () -> {
            CurrentStats duringTheRun = CurrentStats.of(executor);
            assertThat(resultOf(executor.submit("other", "t", () -> "ran")).value())
                    .as("the last global permit is free")
                    .isEqualTo("ran");
            return duringTheRun;
        });
        assertThat(resultOf(handle).value()).isEqualTo(new CurrentStats(1, 1, 0, 1, 2));
    }

    @Test
    void runsAtOnceWhileTheGroupIsFull() {
        for (int i = 0; i < 5; i++) {
            assertThat(resultOf(executor.submit("g", "t" + i, () -> "ran")).value())
                    .isEqualTo("ran");
        }
        assertThat(blocker.hasEnded()).isFalse();
    }

    @Test
    void thrownExceptionIsInTheResultAndNotThrownToTheCaller() {
        Error thrown = new StackOverflowError("on purpose");
        GroupResult<String> result = resultOf(executor.submit("g", "t", () -> {
            throw thrown;
        }));
        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isSameAs(thrown);
    }

    @Test
    void thrownInterruptedExceptionSetsTheCallersInterruptFlag() {
        TaskHandle<String> handle = executor.submit("g", "t", () -> {
            throw new InterruptedException("on purpose");
        });
        assertThat(Thread.interrupted()).isTrue();
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void thrownCancellationExceptionMeansCancelled() {
        TaskHandle<String> handle = executor.submit("g", "t", () -> {
            throw new CancellationException("on purpose");
        });
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void listenerIsNotifiedOfStartAndCompletionButNotOfRejection() {
        executor.submit("g", "t", () -> "ran");
        assertThat(events.of("g/t")).containsExactly("submitted", "started", "completed SUCCESS");
    }

    @Test
    void shutdownNeitherInterruptsItNorWaitsForIt() throws Exception {
        BlockingTask mine = BlockingTask.interruptible();
        Caller<GroupResult<String>> caller =
                Caller.of(() -> executor.submit("g", "mine", mine).await());
        await(mine.started);
        blocker.release();
        assertThat(executor.shutdown(Duration.ofSeconds(30)))
                .as("no task holds a permit")
                .isTrue();
        assertThat(mine.hasEnded()).isFalse();
        assertThat(mine.wasInterrupted()).isFalse();
        mine.release();
        assertThat(caller.result().value()).isEqualTo("released");
    }

    @Test
    void executeAllRunsRejectedTasksOnTheCallingThread() {
        List<GroupTask<Thread>> tasks = List.of(
                new GroupTask<>("g", "here", Thread::currentThread),
                new GroupTask<>("other", "there", Thread::currentThread));
        List<GroupResult<Thread>> results = executor.executeAll(tasks);
        assertThat(results.get(0).value()).isSameAs(Thread.currentThread());
        assertThat(results.get(1).value()).isNotSameAs(Thread.currentThread());
    }
}
