package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.FakeTimer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a result have the exact times and attempts of its task, a readable text, and its value or why there is none? */
@Timeout(60)
class GroupResultTest {

    private static final Rejection FULL = new Rejection(RejectionReason.GROUP_QUEUE_FULL, 1, 2, 1, 2, Duration.ZERO);

    private final FakeTimer timer = new FakeTimer();

    private GroupExecutor executor(UnaryOperator<GroupPolicy.Builder> settings) {
        timer.advance(1); // 0 means "not started"
        GroupPolicy policy = settings.apply(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1))
                .build();
        return SimGroups.of(policy, TaskRunner.freshVirtualThreads(), timer);
    }

    private void advanceMillis(int millis) {
        timer.advance(Duration.ofMillis(millis).toNanos());
    }

    private static void assertTimes(GroupResult<?> result, int waitedMillis, int ranMillis, int attempts) {
        assertThat(result.waited()).as("waited").isEqualTo(Duration.ofMillis(waitedMillis));
        assertThat(result.ran()).as("ran").isEqualTo(Duration.ofMillis(ranMillis));
        assertThat(result.durationNanos()).isEqualTo(result.ran().toNanos());
        assertThat(result.attempts()).as("attempts").isEqualTo(attempts);
    }

    // ---- times ---------------------------------------------------------------------------------------------------

    @Test
    void taskThatStartsAtOnceHasNotWaited() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask task = BlockingTask.interruptible();
            TaskHandle<String> handle = executor.submit("g", "t", task);
            await(task.started);
            advanceMillis(7);
            task.release();
            assertTimes(resultOf(handle), 0, 7, 1);
        }
    }

    @Test
    void queuedTaskHasItsTimeInTheQueue() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask first = BlockingTask.in(executor, "g");
            BlockingTask task = BlockingTask.interruptible();
            TaskHandle<String> plain = executor.submit("g", "t", task);
            TaskHandle<String> failing = executor.submit("g", "u", () -> {
                throw new IOException("reset");
            });
            advanceMillis(5);
            first.release();
            await(task.started);
            advanceMillis(7);
            task.release();
            assertTimes(resultOf(plain), 5, 7, 1);
            assertTimes(resultOf(failing), 12, 0, 1);
        }
    }

    @Test
    void retriedTaskWaitsBeforeItsFirstAttemptAndRunsFromThenOn() {
        AtomicInteger attempts = new AtomicInteger();
        CountDownLatch firstAttempt = new CountDownLatch(1);
        BlockingTask last = BlockingTask.interruptible();
        TaskOptions twice = TaskOptions.builder()
                .retry(RetryPolicy.fixedDelay(2, Duration.ofMillis(10)))
                .build();
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            TaskHandle<String> handle = executor.submit(
                    "g",
                    "t",
                    () -> {
                        if (attempts.incrementAndGet() == 1) {
                            firstAttempt.countDown();
                            throw new IOException("reset");
                        }
                        return last.call();
                    },
                    twice);
            advanceMillis(5);
            blocker.release();
            await(firstAttempt);
            eventually(() -> assertThat(executor.groupStats("g").orElseThrow().retryingCount())
                    .isEqualTo(1));
            eventually(() -> assertThat(timer.nextDue()).isEqualTo(timer.nanoTime() + 10_000_000L));
            advanceMillis(10);
            await(last.started);
            advanceMillis(3);
            last.release();
            assertTimes(resultOf(handle), 5, 13, 2);
        }
    }

    @Test
    void taskCancelledInTheQueueHasWaitedAndNotRun() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask.in(executor, "g");
            TaskHandle<String> plain = executor.submit("g", "t", () -> "ran");
            TaskHandle<String> optioned = executor.submit(
                    "g", "t", () -> "ran", TaskOptions.builder().tag("mail").build());
            advanceMillis(5);
            plain.cancel(true);
            optioned.cancel(true);
            assertTimes(resultOf(plain), 5, 0, 0);
            assertTimes(resultOf(optioned), 5, 0, 0);
        }
    }

    @Test
    void taskCancelledWhileItRunsHasWaitedAndRun() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask first = BlockingTask.in(executor, "g");
            BlockingTask task = BlockingTask.uninterruptible();
            TaskHandle<String> handle = executor.submit("g", "t", task);
            advanceMillis(5);
            first.release();
            await(task.started);
            advanceMillis(7);
            handle.cancel(true);
            assertTimes(resultOf(handle), 5, 7, 1);
            task.release();
        }
    }

    @Test
    void timedOutTaskHasWaitedAndRun() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask first = BlockingTask.in(executor, "g");
            BlockingTask task = BlockingTask.interruptible();
            TaskHandle<String> handle = executor.submit(
                    "g",
                    "t",
                    task,
                    TaskOptions.builder().timeout(Duration.ofMillis(8)).build());
            advanceMillis(5);
            first.release();
            await(task.started);
            advanceMillis(8);
            assertTimes(resultOf(handle), 5, 8, 1);
        }
    }

    @Test
    void expiredTaskHasWaitedAndNotRun() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask.in(executor, "g");
            TaskHandle<String> handle = executor.submit(
                    "g",
                    "t",
                    () -> "ran",
                    TaskOptions.builder().maxQueueTime(Duration.ofMillis(6)).build());
            advanceMillis(6);
            assertTimes(resultOf(handle), 6, 0, 0);
        }
    }

    @Test
    void rejectedTaskHasNeitherWaitedNorRun() {
        try (GroupExecutor executor =
                executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.DISCARD))) {
            BlockingTask.in(executor, "g");
            assertTimes(resultOf(executor.submit("g", "t", () -> "ran")), 0, 0, 0);
        }
    }

    @Test
    void taskOnItsCallersThreadHadOneAttempt() {
        try (GroupExecutor executor =
                executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.CALLER_RUNS))) {
            BlockingTask.in(executor, "g");
            TaskOptions tagged = TaskOptions.builder().tag("mail").build();
            assertTimes(resultOf(executor.submit("g", "t", () -> "ran")), 0, 0, 1);
            assertTimes(resultOf(executor.submit("g", "t", () -> "ran", tagged)), 0, 0, 1);
        }
    }

    // ---- values --------------------------------------------------------------------------------------------------

    @Test
    void getOrThrowReturnsTheValueOrThrowsWhyThereIsNone() {
        IllegalStateException unchecked = new IllegalStateException("unchecked");
        IOException checked = new IOException("checked");
        assertThat(GroupResult.success("g", "t", "value", 0, 1).getOrThrow()).isEqualTo("value");
        assertThatThrownBy(GroupResult.failed("g", "t", unchecked, 0, 1)::getOrThrow)
                .isSameAs(unchecked);
        assertThatThrownBy(GroupResult.failed("g", "t", checked, 0, 1)::getOrThrow)
                .isInstanceOf(TaskFailedException.class)
                .hasCause(checked);
        assertThatThrownBy(GroupResult.cancelled("g", "t", null, 0, 1)::getOrThrow)
                .isInstanceOf(CancellationException.class)
                .hasMessage("task 't' of group 'g' was cancelled");
        assertThatThrownBy(GroupResult.rejected("g", "t", FULL)::getOrThrow)
                .isInstanceOf(RejectedTaskException.class)
                .hasMessage("task 't' of group 'g' rejected: " + FULL);
        assertThatThrownBy(GroupResult.rejected("g", "t")::getOrThrow)
                .isInstanceOf(RejectedTaskException.class)
                .hasMessage("task 't' of group 'g' rejected: by a rejection handler");
    }

    @Test
    void factoriesCountOneAttemptOfATaskThatRan() {
        assertThat(GroupResult.success("g", "t", "value", 5, 5).attempts()).isEqualTo(1);
        assertThat(GroupResult.failed("g", "t", new IOException(), 5, 5).attempts())
                .isEqualTo(1);
        assertThat(GroupResult.cancelled("g", "t", null, 5, 6).attempts()).isEqualTo(1);
        assertThat(GroupResult.cancelled("g", "t", null, 5, 5).attempts()).isZero();
        assertThat(GroupResult.rejected("g", "t").attempts()).isZero();
    }

    // ---- text ----------------------------------------------------------------------------------------------------

    @Test
    void textNamesTheTaskItsOutcomeAndItsTimes() {
        assertThat(new GroupResult<>(
                        "g", "t", TaskStatus.SUCCESS, 42, null, 0, 12_000_000, null, Duration.ofMillis(3), 2))
                .hasToString("task 't' of group 'g': SUCCESS, value 42, waited 3 ms, ran 12 ms, 2 attempts");
        assertThat(GroupResult.failed("g", "t", new IOException("reset"), 0, 1_000_000))
                .hasToString(
                        "task 't' of group 'g': FAILED, java.io.IOException: reset, waited 0 ms, ran 1 ms, 1 attempt");
        assertThat(GroupResult.rejected("g", "t", FULL))
                .hasToString("task 't' of group 'g': REJECTED, " + FULL + ", waited 0 ms, ran 0 ms, 0 attempts");
    }

    @Test
    void textOfALargeValueIsShort() {
        List<Integer> many = new ArrayList<>(Collections.nCopies(1_000_000, 1));
        assertThat(textOf(many)).contains("value ArrayList of 1000000,");
        assertThat(textOf(new HashMap<>(Map.of("a", 1)))).contains("value HashMap of 1,");
        assertThat(textOf(new byte[1_000_000])).contains("value byte[1000000],");
        assertThat(textOf("x".repeat(1_000_000)))
                .contains("value xxx")
                .contains("xxx...,")
                .hasSizeLessThan(400);
    }

    private static String textOf(Object value) {
        return GroupResult.success("g", "t", value, 0, 0).toString();
    }
}
