package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.pool.WorkerPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to an attempt that runs longer than its time limit? The kernel's tests check the exact instants. */
@Timeout(60)
class AttemptTimeoutTest {

    private static final Duration SHORT = Duration.ofMillis(5);
    private static final Duration LONG = Duration.ofHours(1);

    /** On a busy machine, an attempt that does nothing may take longer than {@link #SHORT}. Then there is another. */
    private static final int MANY = 1000;

    private final GroupExecutor executor = executor(b -> b);

    @AfterEach
    void close() {
        executor.close();
    }

    private static TaskOptions options(int attempts) {
        return TaskOptions.builder()
                .attemptTimeout(SHORT)
                .retry(RetryPolicy.attempts(attempts))
                .build();
    }

    /** Runs the first of {@code attempts} at the first attempt, the second at the second, and so on; the last one again and again. */
    @SafeVarargs
    private static Callable<String> inTurn(Callable<String>... attempts) {
        AtomicInteger number = new AtomicInteger();
        return () -> attempts[Math.min(number.getAndIncrement(), attempts.length - 1)].call();
    }

    private static TaskTimeoutException timeoutOf(TaskHandle<?> handle) {
        GroupResult<?> result = resultOf(handle);
        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isInstanceOf(TaskTimeoutException.class);
        return (TaskTimeoutException) result.error();
    }

    private TaskCounts counts() {
        return executor.groupStats("g").orElseThrow().counts();
    }

    @Test
    void attemptIsInterruptedAndRetried() {
        BlockingTask slow = BlockingTask.interruptible();
        TaskHandle<String> handle = executor.submit("g", "t", inTurn(slow, () -> "second"), options(MANY));
        assertThat(resultOf(handle).value()).isEqualTo("second");
        assertThat(slow.wasInterrupted()).isTrue();
        assertThat(counts().succeeded()).isEqualTo(1);
        assertThat(counts().retried()).isPositive();
        assertThat(counts().timedOut()).isZero();
    }

    @Test
    void nextAttemptStartsWithAClearInterruptFlag() {
        TaskHandle<String> handle = executor.submit(
                "g",
                "t",
                inTurn(
                        BlockingTask.interruptible(),
                        () -> "interrupted: " + Thread.currentThread().isInterrupted()),
                options(MANY).toBuilder()
                        .retry(RetryPolicy.attempts(MANY).keepingPermit())
                        .build());
        assertThat(resultOf(handle).value()).isEqualTo("interrupted: false");
    }

    @Test
    void lastAttemptFailsWithTheTimeoutAndSuppressesEarlierOnes() {
        TaskHandle<String> handle = executor.submit(
                "g",
                "t",
                inTurn(BlockingTask.interruptible(), BlockingTask.interruptible()),
                options(2).toBuilder().tag("mail").build());
        TaskTimeoutException error = timeoutOf(handle);
        assertThat(error.attempt()).isEqualTo(2);
        assertThat(error.timeout()).isEqualTo(SHORT);
        assertThat(error.ran()).isGreaterThanOrEqualTo(SHORT);
        assertThat(error)
                .hasMessageStartingWith("attempt 2 of task 't' of group 'g' [mail] exceeded its timeout of 5 ms");
        assertThat(error.getSuppressed())
                .singleElement()
                .isInstanceOfSatisfying(
                        TaskTimeoutException.class,
                        earlier -> assertThat(earlier.attempt()).isEqualTo(1));
        eventually(() -> assertThat(counts()).isEqualTo(new TaskCounts(1, 0, 1, 0, 1, 1, Map.of())));
    }

    @Test
    void lateValueOfAnAttemptIsNotTheOutcome() {
        BlockingTask stubborn = BlockingTask.uninterruptible();
        TaskHandle<String> handle = executor.submit("g", "t", inTurn(stubborn, () -> "second"), options(MANY));
        await(stubborn.interrupted);
        assertThat(handle.isDone()).as("its code has not returned").isFalse();
        stubborn.release();
        assertThat(resultOf(handle).value()).isEqualTo("second");
    }

    @Test
    void handleCompletesAtTheLimitOfTheLastAttemptAndThePermitIsKept() {
        BlockingTask stubborn = BlockingTask.uninterruptible();
        TaskHandle<String> handle = executor.submit("g", "t", stubborn, options(1));
        assertThat(timeoutOf(handle).attempt()).isEqualTo(1);
        assertThat(stubborn.hasEnded()).isFalse();
        assertThat(executor.groupStats("g").orElseThrow().activeCount()).isEqualTo(1);
        stubborn.release();
        eventually(() ->
                assertThat(executor.groupStats("g").orElseThrow().activeCount()).isZero());
    }

    @Test
    void policyMayRefuseToRetryATimeout() {
        RetryPolicy noTimeouts = RetryPolicy.attempts(5).retryIf(fault -> !(fault instanceof TaskTimeoutException));
        TaskHandle<String> handle = executor.submit(
                "g",
                "t",
                BlockingTask.interruptible(),
                options(5).toBuilder().retry(noTimeouts).build());
        assertThat(timeoutOf(handle).attempt()).isEqualTo(1);
        eventually(() -> assertThat(counts()).isEqualTo(new TaskCounts(1, 0, 1, 0, 1, 0, Map.of())));
    }

    @Test
    void timeoutOfTheTaskIncludesAllAttempts() {
        TaskOptions both = TaskOptions.builder()
                .attemptTimeout(Duration.ofMillis(1))
                .timeout(Duration.ofMillis(20))
                .retry(RetryPolicy.attempts(Integer.MAX_VALUE))
                .build();
        TaskHandle<String> handle =
                executor.submit("g", "t", () -> BlockingTask.interruptible().call(), both);
        assertThat(timeoutOf(handle).attempt()).isZero();
    }

    @Test
    void hooksLearnOfTheTimeoutAndSeeNoInterruptFlag() {
        List<String> seen = new CopyOnWriteArrayList<>();
        TaskOptions hooks = options(MANY).toBuilder()
                .recovery(fault -> seen.add("recovery " + fault.getClass().getSimpleName()
                        + Thread.currentThread().isInterrupted()))
                .after((task, fault) -> seen.add("after " + (fault == null ? "" : "failure")))
                .build();
        assertThat(resultOf(executor.submit("g", "t", inTurn(BlockingTask.interruptible(), () -> "second"), hooks))
                        .value())
                .isEqualTo("second");
        assertThat(seen)
                .startsWith("recovery TaskTimeoutExceptionfalse", "after failure")
                .endsWith("after ");
    }

    @Test
    void contextKnowsTheLimitOfTheAttempt() {
        List<String> seen = new CopyOnWriteArrayList<>();
        TaskOptions options = options(2).toBuilder().timeout(LONG).build();
        TaskFunction<String> task = context -> {
            seen.add(context.timeLeft().orElseThrow().compareTo(SHORT) <= 0 ? "short" : "long");
            if (seen.size() == 1) {
                while (!context.isCancelled()) {
                    Thread.onSpinWait(); // a task that never blocks
                }
            }
            return "ran";
        };
        assertThat(resultOf(executor.submit("g", "t", task, options)).status()).isNotNull();
        assertThat(seen).startsWith("short", "short");
    }

    @Test
    void attemptThatReturnsInTimeIsNotAffected() {
        TaskOptions patient = options(1).toBuilder().attemptTimeout(LONG).build();
        assertThat(resultOf(executor.submit("g", "t", () -> "ran", patient)).value())
                .isEqualTo("ran");
        assertThat(counts().timedOut()).isZero();
    }

    @Test
    void workerOfAPoolGoesOnToTheNextAttempt() {
        try (WorkerPool pool = WorkerPool.builder().minWorkers(1).maxWorkers(1).build()) {
            Callable<String> task = inTurn(
                    BlockingTask.interruptible(),
                    BlockingTask.interruptible(),
                    () -> "interrupted: " + Thread.currentThread().isInterrupted());
            assertThat(resultOf(pool.submit(task, options(MANY))).value()).isEqualTo("interrupted: false");
        }
    }

    /** The limit passes at about the moment at which the attempt returns. */
    @Test
    void interruptThatRacesWithTheReturnHitsNoOtherUserCode() {
        AtomicInteger hits = new AtomicInteger();
        Runnable check = () -> {
            if (Thread.currentThread().isInterrupted()) {
                hits.incrementAndGet();
            }
        };
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
                check.run();
            }
        };
        RetryPolicy policy = RetryPolicy.attempts(3).retryIf(fault -> {
            check.run();
            return true;
        });
        try (GroupExecutor observed =
                executor(b -> b.taskLifecycleListener(listener).defaultMaxConcurrencyPerGroup(2))) {
            List<TaskHandle<String>> handles = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                TaskOptions hasty = TaskOptions.builder()
                        .attemptTimeout(Duration.ofNanos(1 + i * 10L))
                        .retry(policy)
                        .after((task, fault) -> check.run())
                        .build();
                handles.add(observed.submit("g" + i % 4, "t" + i, () -> "ran", hasty));
            }
            assertThat(handles)
                    .extracting(handle -> resultOf(handle).status())
                    .containsAnyOf(TaskStatus.SUCCESS, TaskStatus.FAILED)
                    .doesNotContain(TaskStatus.CANCELLED);
        }
        assertThat(hits).hasValue(0);
    }
}
