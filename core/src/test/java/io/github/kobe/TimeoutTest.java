package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Events;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to a task that runs longer than its timeout? The kernel's tests check the exact instants. */
@Timeout(60)
class TimeoutTest {

    private static final Duration TIMEOUT = Duration.ofMillis(5);
    private static final Duration LONG = Duration.ofHours(1);

    private final Events events = new Events();
    private final GroupExecutor executor = executor(b -> b);
    private String group = "g";
    private final GroupExecutor observed = executor(b -> b.taskLifecycleListener(events));

    @AfterEach
    void close() {
        executor.close();
        observed.close();
    }

    private static TaskOptions timeout(Duration time) {
        return TaskOptions.builder().timeout(time).build();
    }

    private static GroupStats stats(GroupExecutor executor) {
        return executor.groupStats("g").orElseThrow();
    }

    private static TaskTimeoutException timeoutOf(TaskHandle<?> handle) {
        GroupResult<?> result = resultOf(handle);
        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.value()).isNull();
        assertThat(result.error()).isInstanceOf(TaskTimeoutException.class);
        return (TaskTimeoutException) result.error();
    }

    @Test
    void handleCompletesFailedWithTaskTimeoutAndRunningTime() {
        TaskTimeoutException e = timeoutOf(executor.submit(
                "g",
                "slow",
                BlockingTask.interruptible(),
                timeout(TIMEOUT).toBuilder().tag("mail").build()));
        assertThat(e.groupKey()).isEqualTo("g");
        assertThat(e.taskId()).isEqualTo("slow");
        assertThat(e.tag()).isEqualTo("mail");
        assertThat(e.timeout()).isEqualTo(TIMEOUT);
        assertThat(e.waited()).isZero();
        assertThat(e.ran()).isGreaterThanOrEqualTo(TIMEOUT);
        assertThat(e)
                .hasMessageStartingWith(
                        "task 'slow' of group 'g' [mail] exceeded its timeout of 5 ms: waited 0 ms, ran ");
    }

    @Test
    void resultHasTheTimesUntilTheTimeout() {
        TaskHandle<String> slow = executor.submit("g", "slow", BlockingTask.interruptible(), timeout(TIMEOUT));
        TaskTimeoutException e = timeoutOf(slow);
        assertThat(Duration.ofNanos(resultOf(slow).durationNanos())).isEqualTo(e.ran());
    }

    @Test
    void exceptionHasTheQueueTime() {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        TaskHandle<String> slow = executor.submit("g", "slow", BlockingTask.interruptible(), timeout(TIMEOUT));
        Duration[] age = {Duration.ZERO};
        eventually(() -> {
            age[0] = stats(executor).oldestWaiting();
            assertThat(age[0]).isGreaterThan(TIMEOUT);
        });
        assertThat(slow.isDone()).as("time in the queue does not count").isFalse();
        blocker.release();
        assertThat(timeoutOf(slow).waited()).isGreaterThanOrEqualTo(age[0]);
    }

    @Test
    void threadOfTheTaskIsInterrupted() {
        BlockingTask blocker = BlockingTask.interruptible();
        timeoutOf(executor.submit("g", "slow", blocker, timeout(TIMEOUT)));
        await(blocker.interrupted);
        assertThat(resultOf(executor.submit("g", "next", () -> "ran")).value()).isEqualTo("ran");
    }

    @Test
    void taskThatIgnoresInterruptionKeepsItsPermitUntilItReturns() {
        BlockingTask stubborn = BlockingTask.uninterruptible();
        TaskHandle<String> slow = executor.submit("g", "slow", stubborn, timeout(TIMEOUT));
        AtomicBoolean endedBefore = new AtomicBoolean();
        TaskHandle<Boolean> next = executor.submit("g", "next", () -> {
            endedBefore.set(stubborn.hasEnded());
            return true;
        });
        timeoutOf(slow);
        assertThat(slow.isDone()).isTrue();
        await(stubborn.interrupted);
        letOthersRun();
        assertThat(next.isDone()).isFalse();
        assertThat(stats(executor).activeCount()).isEqualTo(1);
        assertThat(stats(executor).queuedCount()).isEqualTo(1);
        stubborn.release();
        assertThat(resultOf(next).value()).isTrue();
        assertThat(endedBefore).isTrue();
    }

    @Test
    void lateReturnDoesNotChangeTheOutcome() {
        BlockingTask stubborn = BlockingTask.uninterruptible();
        TaskHandle<String> slow = executor.submit("g", "slow", stubborn, timeout(TIMEOUT));
        TaskTimeoutException e = timeoutOf(slow);
        assertThat(slow.cancel(true)).as("it has completed").isFalse();
        stubborn.release();
        eventually(() -> assertThat(stats(executor).activeCount()).isZero());
        assertThat(timeoutOf(slow)).isSameAs(e);
    }

    @Test
    void waitersAreNotifiedWhileTheTaskStillRuns() throws Exception {
        BlockingTask stubborn = BlockingTask.uninterruptible();
        TaskHandle<String> slow = executor.submit("g", "slow", stubborn, timeout(TIMEOUT));
        Caller<GroupResult<String>> waiter = Caller.of(slow::await);
        assertThat(waiter.result().error()).isInstanceOf(TaskTimeoutException.class);
        assertThat(stubborn.hasEnded()).isFalse();
        stubborn.release();
    }

    @Test
    void futuresOfTheTaskHaveTheTimeout() throws Exception {
        TaskHandle<String> slow = executor.submit("g", "slow", BlockingTask.interruptible(), timeout(TIMEOUT));
        assertThat(slow.toCompletableFuture()
                        .get(TestKit.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .error())
                .isInstanceOf(TaskTimeoutException.class);
        assertThat(slow.future().get().error()).isSameAs(timeoutOf(slow));
        assertThat(slow.future().isCancelled()).isFalse();
    }

    @Test
    void taskThatCompletesInTimeIsNotAffected() {
        AtomicBoolean interrupted = new AtomicBoolean();
        GroupResult<String> result = resultOf(executor.submit(
                "g",
                "quick",
                () -> {
                    interrupted.set(Thread.currentThread().isInterrupted());
                    return "ran";
                },
                timeout(LONG)));
        assertThat(result.value()).isEqualTo("ran");
        assertThat(interrupted).isFalse();
        assertThat(stats(executor).counts().timedOut()).isZero();
    }

    @Test
    void timeoutThatRacesWithCompletionNeverInterruptsAnotherTask() {
        AtomicInteger innocentsHit = new AtomicInteger();
        List<TaskHandle<String>> hasty = new ArrayList<>();
        List<TaskHandle<String>> innocents = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            hasty.add(executor.submit("g" + i % 4, "hasty" + i, () -> "ended", timeout(Duration.ofNanos(1 + i * 10))));
            innocents.add(executor.submit(
                    "g" + i % 4,
                    "innocent" + i,
                    () -> {
                        TestKit.yieldToOthers();
                        if (Thread.interrupted()) {
                            innocentsHit.incrementAndGet();
                        }
                        return "ran";
                    },
                    timeout(LONG)));
        }
        assertThat(innocents)
                .allSatisfy(handle -> assertThat(resultOf(handle).value()).isEqualTo("ran"));
        assertThat(hasty).extracting(handle -> resultOf(handle).status()).doesNotContain(TaskStatus.CANCELLED);
        assertThat(innocentsHit).hasValue(0);
    }

    @Test
    void listenerIsNotifiedOnceAndNotOfTheLateReturn() {
        BlockingTask stubborn = BlockingTask.uninterruptible();
        timeoutOf(observed.submit("g", "slow", stubborn, timeout(TIMEOUT)));
        assertThat(events.of("g/slow")).containsExactly("submitted", "started", "completed FAILED");
        stubborn.release();
        eventually(() -> assertThat(stats(observed).activeCount()).isZero());
        assertThat(resultOf(observed.submit("g", "next", () -> "ran")).value()).isEqualTo("ran");
        assertThat(events.of("g/slow")).containsExactly("submitted", "started", "completed FAILED");
    }

    @Test
    void timeoutIsCountedAsTimedOutAndFailedOnly() {
        BlockingTask stubborn = BlockingTask.uninterruptible();
        timeoutOf(executor.submit("g", "slow", stubborn, timeout(TIMEOUT)));
        TaskCounts expected = new TaskCounts(1, 0, 1, 0, 1, 0, Map.of());
        assertThat(stats(executor).counts()).isEqualTo(expected);
        stubborn.release();
        eventually(() -> assertThat(stats(executor).activeCount()).isZero());
        assertThat(resultOf(executor.submit("other", "next", () -> "ran")).value())
                .isEqualTo("ran");
        eventually(() -> assertThat(stats(executor).counts()).isEqualTo(expected));
        eventually(() -> assertThat(executor.stats().counts()).isEqualTo(new TaskCounts(2, 1, 1, 0, 1, 0, Map.of())));
    }

    /** Submits with longer and longer timeouts until one is long enough for the task to reach the state {@code where}. */
    private TaskHandle<String> timingOut(
            Supplier<Callable<String>> task, RetryPolicy retry, Predicate<GroupStats> where) {
        for (Duration time = Duration.ofMillis(20); ; time = time.multipliedBy(3)) {
            group = "g" + time;
            TaskOptions options =
                    TaskOptions.builder().timeout(time).retry(retry).build();
            TaskHandle<String> handle = executor.submit(group, "slow", task.get(), options);
            while (!handle.isDone()) {
                if (where.test(statsOfTheGroup())) {
                    return handle;
                }
                TestKit.yieldToOthers();
            }
        }
    }

    private GroupStats statsOfTheGroup() {
        return executor.groupStats(group).orElseThrow();
    }

    private static boolean isBetweenTwoAttempts(GroupStats stats) {
        return stats.retryingCount() == 1;
    }

    @Test
    void taskAwaitingRetryTimesOutAtOnce() {
        AtomicReference<Flaky> flaky = new AtomicReference<>();
        TaskHandle<String> slow = timingOut(
                () -> remembered(flaky, Flaky.failingAlways()),
                RetryPolicy.fixedDelay(9, LONG),
                TimeoutTest::isBetweenTwoAttempts);
        assertThat(timeoutOf(slow).getSuppressed()).containsExactlyElementsOf(flaky.get().thrown);
        assertThat(flaky.get().attempts()).isEqualTo(1);
        eventually(() -> assertThat(statsOfTheGroup().retryingCount()).isZero());
        assertThat(statsOfTheGroup().activeCount()).isZero();
    }

    @Test
    void timeoutReleasesAKeptPermit() {
        TaskHandle<String> slow = timingOut(
                Flaky::failingAlways,
                RetryPolicy.fixedDelay(9, LONG).keepingPermit(),
                TimeoutTest::isBetweenTwoAttempts);
        timeoutOf(slow);
        eventually(() -> assertThat(statsOfTheGroup().retryingCount()).isZero());
        assertThat(statsOfTheGroup().activeCount()).isZero();
        assertThat(resultOf(executor.submit(group, "next", () -> "ran")).value())
                .isEqualTo("ran");
    }

    @Test
    void taskQueuedForRetryLeavesTheQueueAtItsTimeout() {
        AtomicReference<Flaky> flaky = new AtomicReference<>();
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> slow = timingOut(
                () -> {
                    Flaky task = remembered(flaky, Flaky.failing(1));
                    String home = group;
                    return () -> {
                        executor.submit(home, "takes the permit", blocker);
                        return task.call();
                    };
                },
                RetryPolicy.attempts(2),
                stats -> stats.queuedCount() == 1 && stats.counts().retried() == 1 && stats.retryingCount() == 0);
        assertThat(timeoutOf(slow).getSuppressed()).containsExactlyElementsOf(flaky.get().thrown);
        assertThat(statsOfTheGroup().queuedCount()).isZero();
        assertThat(statsOfTheGroup().activeCount()).isEqualTo(1);
        blocker.release();
        assertThat(resultOf(executor.submit(group, "next", () -> "ran")).value())
                .isEqualTo("ran");
        assertThat(flaky.get().attempts()).isEqualTo(1);
    }

    @Test
    void timeoutCoversAllAttemptsAndSuppressesEarlierFailuresInOrder() {
        AtomicReference<Flaky> flaky = new AtomicReference<>();
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> slow = timingOut(
                () -> remembered(flaky, Flaky.failingThen(2, blocker)),
                RetryPolicy.attempts(9),
                stats -> blocker.hasStarted());
        assertThat(timeoutOf(slow).getSuppressed()).hasSize(2).containsExactlyElementsOf(flaky.get().thrown);
        await(blocker.interrupted);
        assertThat(resultOf(executor.submit(group, "next", () -> "ran")).value())
                .isEqualTo("ran");
        assertThat(flaky.get().attempts()).as("no further attempt").isEqualTo(3);
    }

    private static Flaky remembered(AtomicReference<Flaky> where, Flaky flaky) {
        where.set(flaky);
        return flaky;
    }

    @Test
    void longestTimeoutNeverExpires() {
        TaskHandle<String> patient =
                executor.submit("g", "patient", () -> "ran", timeout(Duration.ofSeconds(Long.MAX_VALUE)));
        assertThat(resultOf(patient).value()).isEqualTo("ran");
    }
}
