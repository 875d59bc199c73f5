package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Events;
import io.github.kobe.pool.WorkerPool;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What can be submitted, with and without a task id, and what is the default id? The same for a pool. */
@Timeout(60)
class SubmitOverloadsTest {

    private static final String IN_A_LAMBDA = "lambda in SubmitOverloadsTest";
    private static final TaskOptions TAGGED = TaskOptions.builder().tag("tag").build();

    private final AtomicInteger runs = new AtomicInteger();
    private final Events events = new Events();
    private final GroupExecutor executor = executor(policy -> policy.taskLifecycleListener(events));
    private final WorkerPool pool = WorkerPool.builder().maxWorkers(2).build();

    @AfterEach
    void close() {
        executor.close();
        pool.shutdownNow();
    }

    private void run() {
        runs.incrementAndGet();
    }

    /** A class that can be submitted in three ways. */
    private static final class Nightly implements Callable<String>, Runnable, TaskFunction<String> {
        private final AtomicInteger runs = new AtomicInteger();

        @Override
        public String call() {
            return "called";
        }

        @Override
        public void run() {
            runs.incrementAndGet();
        }

        @Override
        public String apply(TaskContext context) {
            return "applied";
        }
    }

    @Test
    void taskWithAnIdReturnsItsValue() {
        for (TaskHandle<String> handle : List.of(
                executor.submit("g", "id", () -> "value"),
                executor.submit("g", "id", () -> "value", TAGGED),
                executor.submit("g", "id", context -> "value", TAGGED),
                pool.submit("g", "id", () -> "value"),
                pool.submit("g", "id", () -> "value", TAGGED),
                pool.submit("g", "id", context -> "value", TAGGED))) {
            assertThat(resultOf(handle).value()).isEqualTo("value");
            assertThat(handle.groupKey()).isEqualTo("g");
            assertThat(handle.taskId()).isEqualTo("id");
        }
    }

    @Test
    void taskWithoutAnIdIsNamedAfterTheClassThatContainsTheLambda() {
        for (TaskHandle<String> handle : List.of(
                executor.submit("g", () -> "value"),
                executor.submit("g", () -> "value", TAGGED),
                executor.submit("g", context -> "value", TAGGED),
                pool.submit("g", () -> "value"),
                pool.submit("g", () -> "value", TAGGED),
                pool.submit("g", context -> "value"),
                pool.submit("g", context -> "value", TAGGED))) {
            assertThat(resultOf(handle).value()).isEqualTo("value");
            assertThat(handle.groupKey()).isEqualTo("g");
            assertThat(handle.taskId()).isEqualTo(IN_A_LAMBDA);
            assertThat(resultOf(handle).taskId()).isEqualTo(IN_A_LAMBDA);
        }
    }

    @Test
    void runnableHasNoValue() {
        List<TaskHandle<?>> handles = List.of(
                executor.submit("g", "id", this::run),
                executor.submit("g", "id", this::run, TAGGED),
                executor.submit("g", this::run),
                executor.submit("g", this::run, TAGGED),
                pool.submit("g", "id", this::run),
                pool.submit("g", "id", this::run, TAGGED),
                pool.submit("g", this::run),
                pool.submit("g", this::run, TAGGED));
        for (TaskHandle<?> handle : handles) {
            assertThat(resultOf(handle).isSuccess()).isTrue();
            assertThat(resultOf(handle).value()).isNull();
            assertThat(handle.taskId()).isIn("id", IN_A_LAMBDA);
        }
        assertThat(runs).hasValue(handles.size());
    }

    @Test
    void optionsApplyToEveryKindOfTask() {
        Nightly task = new Nightly();
        assertThat(Stream.of(
                        executor.submit("g", (Callable<String>) task, TAGGED),
                        executor.submit("g", (Runnable) task, TAGGED),
                        executor.submit("g", (TaskFunction<String>) task, TAGGED),
                        pool.submit("g", (Callable<String>) task, TAGGED),
                        pool.submit("g", (Runnable) task, TAGGED),
                        pool.submit("g", (TaskFunction<String>) task, TAGGED)))
                .allSatisfy(handle -> assertThat(handle.tag()).isEqualTo("tag"));
    }

    @Test
    void objectOfThreeTypesIsRunAsTheTypeItWasSubmittedAs() {
        Nightly task = new Nightly();
        assertThat(resultOf(executor.submit("g", (Callable<String>) task)).value())
                .isEqualTo("called");
        assertThat(resultOf(executor.submit("g", (TaskFunction<String>) task, TaskOptions.defaults()))
                        .value())
                .isEqualTo("applied");
        assertThat(task.runs).hasValue(0);
        assertThat(resultOf(executor.submit("g", (Runnable) task)).value()).isNull();
        assertThat(resultOf(executor.submit("g", "id", (Runnable) task, TAGGED)).value())
                .isNull();
        assertThat(task.runs).hasValue(2);
    }

    @Test
    void taskOfAClassIsNamedAfterItHoweverItIsSubmitted() {
        Nightly task = new Nightly();
        assertThat(Stream.of(
                        executor.submit("g", (Callable<String>) task),
                        executor.submit("g", (Runnable) task),
                        executor.submit("g", (TaskFunction<String>) task, TAGGED),
                        pool.submit("g", (Runnable) task),
                        pool.submit("g", (TaskFunction<String>) task)))
                .allSatisfy(handle -> assertThat(handle.taskId()).isEqualTo("SubmitOverloadsTest$Nightly"));
    }

    @Test
    void listenersAreToldTheDefaultId() {
        resultOf(executor.submit("g", new Nightly()::run));
        assertThat(events.of("g/" + IN_A_LAMBDA)).containsExactly("submitted", "started", "completed SUCCESS");
    }

    @Test
    void listOfTasksNeedsNoIds() {
        List<GroupResult<String>> results = executor.executeAll(
                List.of(new GroupTask<>("g", () -> "one"), new GroupTask<>("g", () -> "two", TAGGED)));
        assertThat(results).extracting(GroupResult::value).containsExactly("one", "two");
        assertThat(results).extracting(GroupResult::taskId).containsOnly(IN_A_LAMBDA);
    }

    @Test
    void runnableThatThrowsFailsAndIsRetried() {
        Runnable fails = () -> {
            run();
            throw new IllegalStateException("no luck");
        };
        TaskOptions twice = TaskOptions.builder().retry(RetryPolicy.attempts(2)).build();
        GroupResult<?> result = resultOf(executor.submit("g", fails, twice));
        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).hasMessage("no luck");
        assertThat(runs).hasValue(2);
    }

    @Test
    void rejectionHandlerMayRunARunnable() {
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
        try (GroupExecutor full =
                executor(policy -> policy.defaultQueueThresholdPerGroup(0).rejectionHandler(runs))) {
            BlockingTask blocker = BlockingTask.in(full, "g");
            assertThat(resultOf(full.submit("g", this::run)).isSuccess()).isTrue();
            assertThat(this.runs).hasValue(1);
            blocker.release();
        }
    }

    @Test
    void nullArgumentThrowsWithItsName() {
        Callable<String> call = () -> "value";
        Runnable run = this::run;
        assertNull("task", () -> executor.submit("g", (Callable<?>) null));
        assertNull("task", () -> executor.submit("g", (Runnable) null));
        assertNull("task", () -> executor.submit("g", "id", (Runnable) null));
        assertNull("task", () -> executor.submit("g", (TaskFunction<?>) null, TAGGED));
        assertNull("groupKey", () -> executor.submit(null, call));
        assertNull("groupKey", () -> executor.submit(null, run));
        assertNull("taskId", () -> executor.submit("g", null, run));
        assertNull("options", () -> executor.submit("g", call, null));
        assertNull("options", () -> executor.submit("g", run, null));
        assertNull("task", () -> new GroupTask<>("g", null));
        assertNull("task", () -> pool.submit("g", (Callable<?>) null));
        assertNull("groupKey", () -> pool.submit(null, "id", call));
        assertNull("taskId", () -> pool.submit("g", null, run));
        assertNull("options", () -> pool.submit("g", "id", run, null));
    }

    private static void assertNull(String parameter, ThrowingCallable call) {
        assertThatNullPointerException().isThrownBy(call).withMessage(parameter);
    }

    @Test
    void poolWithDefaultRecoveryUsesItForTasksOfGroups() {
        AtomicInteger recovered = new AtomicInteger();
        try (WorkerPool recovering =
                WorkerPool.builder().recovery(e -> recovered.incrementAndGet()).build()) {
            resultOf(recovering.submit("g", () -> {
                throw new IllegalStateException("callable");
            }));
            Runnable fails = () -> {
                throw new IllegalStateException("runnable");
            };
            resultOf(recovering.submit("g", "id", fails));
            assertThat(recovered).hasValue(2);
        }
    }
}
