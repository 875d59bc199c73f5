package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.end;
import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Events;
import io.github.kobe.TestKit.Places;
import io.github.kobe.TestKit.Plug;
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
    private Plug plug;

    @BeforeEach
    void fillTheGroup() {
        plug = Plug.in(executor, "g");
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
        plug.release();
        TestKit.eventually(() -> assertThat(executor.stats().totalActiveCount()).isZero());
        assertThat(end(executor.submit("g", "t", Thread::currentThread)).value())
                .isNotSameAs(Thread.currentThread());
    }

    @Test
    void holdsNoPermit() {
        TaskHandle<Places> handle = executor.submit("g", "t", () -> {
            Places duringTheRun = Places.of(executor);
            assertThat(end(executor.submit("other", "t", () -> "ran")).value())
                    .as("the last global permit is free")
                    .isEqualTo("ran");
            return duringTheRun;
        });
        assertThat(end(handle).value()).isEqualTo(new Places(1, 1, 0, 1, 2));
    }

    @Test
    void runsAtOnceWhileTheGroupIsFull() {
        for (int i = 0; i < 5; i++) {
            assertThat(end(executor.submit("g", "t" + i, () -> "ran")).value()).isEqualTo("ran");
        }
        assertThat(plug.hasEnded()).isFalse();
    }

    @Test
    void thrownExceptionIsInTheResultAndNotThrownToTheCaller() {
        Error thrown = new StackOverflowError("on purpose");
        GroupResult<String> result = end(executor.submit("g", "t", () -> {
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
        assertThat(end(handle).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void thrownCancellationExceptionMeansCancelled() {
        TaskHandle<String> handle = executor.submit("g", "t", () -> {
            throw new CancellationException("on purpose");
        });
        assertThat(end(handle).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void listenerIsNotifiedOfStartAndCompletionButNotOfRejection() {
        executor.submit("g", "t", () -> "ran");
        assertThat(events.of("g/t")).containsExactly("submitted", "started", "completed SUCCESS");
    }

    @Test
    void shutdownNeitherInterruptsItNorWaitsForIt() throws Exception {
        Plug mine = Plug.polite();
        Caller<GroupResult<String>> caller =
                Caller.of(() -> executor.submit("g", "mine", mine).await());
        await(mine.started);
        plug.release();
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
