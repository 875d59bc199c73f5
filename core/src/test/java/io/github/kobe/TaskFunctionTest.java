package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.TestKit.BlockingTask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Does the context of a task tell its identity, deadline and cancellation? */
class TaskFunctionTest {

    @Test
    void contextHasTheIdentityOfTheTask() {
        try (GroupExecutor executor = executor(policy -> policy)) {
            TaskFunction<List<Object>> task = context -> List.of(
                    context.groupKey(), context.taskId(), context.tag(), context.priority(), context.isCancelled());
            assertThat(resultOf(executor.submit("g", "t", task, TaskOptions.defaults()))
                            .value())
                    .containsExactly("g", "t", "", 0, false);
            TaskOptions options = TaskOptions.builder().tag("x").priority(3).build();
            assertThat(resultOf(executor.submit("g", "t", task, options)).value())
                    .containsExactly("g", "t", "x", 3, false);
        }
    }

    @Test
    void deadlineIsTheSameAtEachAttempt() {
        try (GroupExecutor executor = executor(policy -> policy)) {
            AtomicReference<Duration> before = new AtomicReference<>();
            TaskOptions options = TaskOptions.builder()
                    .timeout(Duration.ofMinutes(5))
                    .retry(RetryPolicy.attempts(2))
                    .build();
            Boolean less = resultOf(executor.submit(
                            "g",
                            "t",
                            context -> {
                                Duration left = context.timeLeft().orElseThrow();
                                if (before.getAndSet(left) == null) {
                                    throw new IllegalStateException("again");
                                }
                                return left.compareTo(Duration.ofMinutes(5)) < 0;
                            },
                            options))
                    .value();
            assertThat(less).isTrue();
        }
    }

    @Test
    void contextShowsTheCancellation() {
        try (GroupExecutor executor = executor(policy -> policy)) {
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch noticed = new CountDownLatch(1);
            TaskHandle<Object> handle = executor.submit(
                    "g",
                    "t",
                    context -> {
                        running.countDown();
                        try {
                            while (true) {
                                context.throwIfCancelled();
                                Thread.onSpinWait();
                            }
                        } catch (CancellationException e) {
                            noticed.countDown();
                            throw e;
                        }
                    },
                    TaskOptions.defaults());
            TestKit.await(running);
            handle.cancel(false);
            TestKit.await(noticed);
        }
    }

    @Test
    void rejectionHandlerMayRunTheTask() {
        RejectionHandler runs = new RejectionHandler() {
            @Override
            public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                try {
                    return GroupResult.success(groupKey, taskId, task.call(), 0, 0);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
        };
        try (GroupExecutor executor =
                executor(policy -> policy.defaultQueueThresholdPerGroup(0).rejectionHandler(runs))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            TaskFunction<String> task = context -> "ran as " + context.taskId();
            assertThat(resultOf(executor.submit("g", "t", task, TaskOptions.defaults()))
                            .value())
                    .isEqualTo("ran as t");
            blocker.release();
        }
    }

    @Test
    void callbacksAreCopiedAndCompared() {
        AtomicInteger calls = new AtomicInteger();
        TaskOptions options = TaskOptions.builder()
                .before(task -> calls.incrementAndGet())
                .after((task, thrown) -> calls.incrementAndGet())
                .log(line -> calls.incrementAndGet())
                .build();
        TaskOptions copy = options.toBuilder().build();
        assertThat(copy).isEqualTo(options).hasSameHashCodeAs(options).isNotEqualTo(TaskOptions.defaults());
        assertThat(copy.before()).isSameAs(options.before());
        assertThat(copy.after()).isSameAs(options.after());
        assertThat(copy.log()).isSameAs(options.log());
        assertThat(options).hasToString("TaskOptions[hooks]");
        try (GroupExecutor executor = executor(policy -> policy)) {
            resultOf(executor.submit("g", "t", () -> 1, copy));
        }
        assertThat(calls).hasValue(4);
    }

    @Test
    void nullArgumentThrowsWithItsName() {
        assertThatNullPointerException()
                .isThrownBy(() -> TaskOptions.builder().before(null))
                .withMessage("before");
        assertThatNullPointerException()
                .isThrownBy(() -> TaskOptions.builder().after(null))
                .withMessage("after");
        assertThatNullPointerException()
                .isThrownBy(() -> TaskOptions.builder().log(null))
                .withMessage("log");
        try (GroupExecutor executor = executor(policy -> policy)) {
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.submit("g", "t", (TaskFunction<Object>) null, TaskOptions.defaults()))
                    .withMessage("task");
        }
    }
}
