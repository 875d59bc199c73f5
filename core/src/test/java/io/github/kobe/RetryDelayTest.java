package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What does a task hold while it awaits its next attempt, and what completes it then? */
@Timeout(60)
class RetryDelayTest {

    private static final Duration LONG = Duration.ofHours(1);

    private final GroupExecutor executor = executor(b -> b.globalMaxInFlight(1));
    private final Flaky flaky = Flaky.failing(1);

    @AfterEach
    void close() {
        executor.close();
    }

    private static TaskOptions retry(RetryPolicy policy) {
        return TaskOptions.builder().retry(policy).build();
    }

    /** Submits a task and returns when its first attempt has failed and it awaits the second. */
    private TaskHandle<String> delayed(GroupExecutor executor, RetryPolicy policy) throws InterruptedException {
        TaskHandle<String> handle = executor.submit("g", "flaky", flaky, retry(policy));
        eventually(() -> assertThat(stats(executor).retryingCount()).isEqualTo(1));
        assertThat(flaky.threads.getFirst().join(TestKit.PATIENCE))
                .as("its thread has terminated")
                .isTrue();
        return handle;
    }

    private TaskHandle<String> delayed() throws InterruptedException {
        return delayed(executor, RetryPolicy.fixedDelay(2, LONG));
    }

    private TaskHandle<String> delayedKeepingPermit() throws InterruptedException {
        return delayed(executor, RetryPolicy.fixedDelay(2, LONG).keepingPermit());
    }

    private static GroupStats stats(GroupExecutor executor) {
        return executor.groupStats("g").orElseThrow();
    }

    private void assertNothingIsLeft() {
        assertThat(stats(executor).retryingCount()).isZero();
        assertThat(stats(executor).activeCount()).isZero();
        assertThat(executor.stats().globalInFlightUsed()).isZero();
        assertThat(flaky.attempts()).isEqualTo(1);
    }

    @Test
    void taskAwaitingRetryHoldsNoThreadAndNoPermit() throws Exception {
        TaskHandle<String> handle = delayed();
        assertThat(handle.isDone()).isFalse();
        assertThat(stats(executor).activeCount()).isZero();
        assertThat(stats(executor).queuedCount()).isZero();
        assertThat(executor.stats().globalInFlightUsed()).isZero();
        assertThat(executor.stats().totalRetryingCount()).isEqualTo(1);
        assertThat(stats(executor).toString()).contains("1 retrying");
        assertThat(resultOf(executor.submit("g", "other", () -> "ran")).value()).isEqualTo("ran");
        assertThat(resultOf(executor.submit("elsewhere", "other", () -> "ran")).value())
                .isEqualTo("ran");
        assertThat(handle.isDone()).isFalse();
    }

    @Test
    void taskAwaitingRetryDoesNotCountAsQueued() throws Exception {
        try (GroupExecutor tight = executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            delayed(tight, RetryPolicy.fixedDelay(2, LONG));
            assertThat(resultOf(tight.submit("g", "other", () -> "ran")).value())
                    .isEqualTo("ran");
        }
    }

    @Test
    void keepingPermitKeepsThePermitButNotTheThread() throws Exception {
        TaskHandle<String> handle = delayedKeepingPermit();
        TaskHandle<String> other = executor.submit("g", "other", () -> "ran");
        letOthersRun();
        assertThat(other.isDone()).isFalse();
        assertThat(stats(executor).activeCount()).isEqualTo(1);
        assertThat(stats(executor).queuedCount()).isEqualTo(1);
        assertThat(executor.stats().globalInFlightUsed()).isEqualTo(1);
        assertThat(handle.isDone()).isFalse();
    }

    @Test
    void retryRunsOnTheKeptPermit() {
        Flaky twice = Flaky.failing(2);
        TaskHandle<String> handle = executor.submit(
                "g",
                "flaky",
                twice,
                retry(RetryPolicy.fixedDelay(3, Duration.ofMillis(2)).keepingPermit()));
        AtomicInteger attemptsBefore = new AtomicInteger();
        TaskHandle<String> other = executor.submit("g", "other", () -> {
            attemptsBefore.set(twice.attempts());
            return "ran";
        });
        assertThat(resultOf(handle).value()).isEqualTo("succeeded");
        assertThat(resultOf(other).value()).isEqualTo("ran");
        assertThat(attemptsBefore).hasValue(3);
        eventually(() -> assertThat(executor.stats().globalInFlightUsed()).isZero());
    }

    @Test
    void cancelCompletesATaskAwaitingRetry() throws Exception {
        TaskHandle<String> handle = delayed();
        assertThat(handle.cancel(false)).isTrue();
        assertThat(handle.isDone()).isTrue();
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
        assertNothingIsLeft();
    }

    @Test
    void cancelReleasesAKeptPermit() throws Exception {
        TaskHandle<String> handle = delayedKeepingPermit();
        TaskHandle<String> other = executor.submit("g", "other", () -> "ran");
        assertThat(handle.cancel(true)).isTrue();
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(resultOf(other).value()).isEqualTo("ran");
        assertNothingIsLeft();
    }

    @Test
    void cancelOfTheFutureCompletesATaskAwaitingRetry() throws Exception {
        TaskHandle<String> handle = delayed();
        assertThat(handle.toCompletableFuture().cancel(true)).isTrue();
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
        assertNothingIsLeft();
    }

    @Test
    void shutdownCancelsATaskAwaitingRetry() throws Exception {
        TaskHandle<String> handle = delayed();
        executor.shutdown();
        assertThat(handle.isDone()).isTrue();
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(resultOf(handle).error()).hasMessageContaining("executor shut down");
        assertThat(executor.shutdown(TestKit.PATIENCE))
                .as("all tasks are off their threads")
                .isTrue();
        assertThat(flaky.attempts()).isEqualTo(1);
    }

    @Test
    void shutdownCancelsATaskWithAKeptPermit() throws Exception {
        TaskHandle<String> handle = delayedKeepingPermit();
        executor.shutdown();
        assertThat(handle.isDone()).isTrue();
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(executor.shutdown(TestKit.PATIENCE))
                .as("all tasks are off their threads")
                .isTrue();
    }

    @Test
    void shutdownGroupCancelsATaskAwaitingRetryAndTheGroupIsUsableAgain() throws Exception {
        TaskHandle<String> handle = delayed();
        executor.shutdownGroup("elsewhere");
        assertThat(handle.isDone()).isFalse();
        executor.shutdownGroup("g");
        assertThat(handle.isDone()).isTrue();
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(resultOf(handle).error()).hasMessageContaining("group shut down");
        assertThat(resultOf(executor.submit("g", "next", () -> "ran")).value()).isEqualTo("ran");
        assertNothingIsLeft();
    }

    @Test
    void shutdownGroupReleasesAKeptPermit() throws Exception {
        TaskHandle<String> handle = delayedKeepingPermit();
        executor.shutdownGroup("g");
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(resultOf(executor.submit("g", "next", () -> "ran")).value()).isEqualTo("ran");
        assertNothingIsLeft();
    }

    @Test
    void drainWaitsForTheNextAttempt() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        Flaky flakyThenBlocking = Flaky.failingThen(1, blocker);
        TaskHandle<String> handle = executor.submit(
                "g", "flaky", flakyThenBlocking, retry(RetryPolicy.fixedDelay(2, Duration.ofMillis(50))));
        eventually(() -> assertThat(flakyThenBlocking.attempts()).isEqualTo(1));
        Caller<Boolean> drain = Caller.of(() -> executor.shutdown(TestKit.PATIENCE));
        drain.awaitWaiting();
        await(blocker.started);
        assertThat(drain.isDone()).isFalse();
        blocker.release();
        assertThat(drain.result()).isTrue();
        assertThat(resultOf(handle).value()).isEqualTo("released");
    }

    @Test
    void drainCancelsATaskAwaitingRetryAtItsTimeout() throws Exception {
        TaskHandle<String> handle = delayed();
        assertThat(executor.shutdown(Duration.ofMillis(5))).isFalse();
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(flaky.attempts()).isEqualTo(1);
    }

    @Test
    void groupWithATaskAwaitingRetryIsNotRetiredAtOnce() throws Exception {
        AtomicInteger resolved = new AtomicInteger();
        try (GroupExecutor forgetful =
                executor(b -> b.idleGroupTtl(Duration.ZERO).concurrencyResolver(key -> {
                    resolved.incrementAndGet();
                    return 1;
                }))) {
            TaskHandle<String> handle = delayed(forgetful, RetryPolicy.fixedDelay(2, LONG));
            resultOf(forgetful.submit("g", "other", () -> "ran"));
            forgetful.evictGroup("elsewhere");
            assertThat(forgetful.activeGroupKeys()).containsExactly("g");
            assertThat(stats(forgetful).retryingCount()).isEqualTo(1);
            assertThat(resolved).hasValue(1);
            handle.cancel(true);
            eventually(() -> assertThat(forgetful.activeGroupKeys()).isEmpty()); // the other may be about to leave
        }
    }

    @Test
    void groupWithATaskAwaitingRetryIsNotRetiredAfterItsTtl() throws Exception {
        try (GroupExecutor forgetful = executor(b -> b.idleGroupTtl(Duration.ofMillis(1)))) {
            TaskHandle<String> handle = delayed(forgetful, RetryPolicy.fixedDelay(2, LONG));
            for (int i = 0; i < 3; i++) {
                resultOf(forgetful.submit("control", "t", () -> "ran"));
                eventually(() -> assertThat(forgetful.activeGroupKeys()).doesNotContain("control"));
            }
            assertThat(forgetful.activeGroupKeys()).containsExactly("g");
            handle.cancel(true);
            eventually(() -> assertThat(forgetful.activeGroupKeys()).isEmpty());
        }
    }

    @Test
    void longestDelayCanBeCancelled() throws Exception {
        TaskHandle<String> handle = delayed(executor, RetryPolicy.fixedDelay(2, Duration.ofSeconds(Long.MAX_VALUE)));
        letOthersRun();
        assertThat(flaky.attempts()).isEqualTo(1);
        assertThat(handle.cancel(true)).isTrue();
        assertNothingIsLeft();
    }

    @Test
    void retryInAPausedGroupIsQueuedUntilResume() {
        TaskHandle<String> handle = executor.submit(
                "g",
                "flaky",
                () -> {
                    if (flaky.attempts() == 0) {
                        executor.pauseGroup("g");
                    }
                    return flaky.call();
                },
                retry(RetryPolicy.attempts(2)));
        eventually(() -> assertThat(stats(executor).queuedCount()).isEqualTo(1));
        letOthersRun();
        assertThat(flaky.attempts()).isEqualTo(1);
        executor.resumeGroup("g");
        assertThat(resultOf(handle).value()).isEqualTo("succeeded");
    }

    @Test
    void cancelThatRacesWithTheRetryCompletesOnceAndLosesNoPermit() {
        for (int i = 0; i < 500; i++) {
            RetryPolicy policy = RetryPolicy.fixedDelay(50, Duration.ofNanos(i * 200L));
            TaskHandle<String> handle = executor.submit(
                    "g", "flaky", Flaky.failingAlways(), retry(i % 2 == 0 ? policy : policy.keepingPermit()));
            for (int j = 0; j < i % 30; j++) {
                TestKit.yieldToOthers();
            }
            handle.cancel(true);
            assertThat(resultOf(handle).status()).isIn(TaskStatus.CANCELLED, TaskStatus.FAILED);
        }
        assertThat(resultOf(executor.submit("g", "next", () -> "ran")).value()).isEqualTo("ran");
        eventually(() -> assertThat(stats(executor).activeCount()).isZero());
        eventually(() -> assertThat(stats(executor).retryingCount()).isZero());
        assertThat(stats(executor).queuedCount()).isZero();
        assertThat(executor.stats().globalInFlightUsed()).isZero();
    }
}
