package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.CurrentStats;
import io.github.kobe.TestKit.Events;
import io.github.kobe.TestKit.Log;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How does a handler decide the outcome of a rejected task? */
@Timeout(60)
class RejectionHandlerTest {

    private final Events events = new Events();

    /** Creates an executor whose group "g" is full, with a policy that the handler must override. */
    private GroupExecutor full(RejectionHandler handler) {
        GroupExecutor executor = executor(b -> b.globalMaxInFlight(2)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                .rejectionHandler(handler)
                .taskLifecycleListener(events));
        BlockingTask.in(executor, "g");
        return executor;
    }

    private static <T> GroupResult<T> discard(String groupKey, String taskId, Callable<T> task) {
        return GroupResult.rejected(groupKey, taskId);
    }

    private static <T> GroupResult<T> run(String groupKey, String taskId, Callable<T> task) {
        long start = System.nanoTime();
        try {
            return GroupResult.success(groupKey, taskId, task.call(), start, System.nanoTime());
        } catch (Exception e) {
            return GroupResult.failed(groupKey, taskId, e, start, System.nanoTime());
        }
    }

    private static <T> GroupResult<T> giveNothing(String groupKey, String taskId, Callable<T> task) {
        return null;
    }

    private static <T> GroupResult<T> failBadly(String groupKey, String taskId, Callable<T> task) {
        throw new StackOverflowError("handler broke");
    }

    private static <T> GroupResult<T> refuse(String groupKey, String taskId, Callable<T> task) {
        throw new RejectedTaskException(groupKey, taskId, "said the handler");
    }

    @Test
    void handlerOverridesThePolicy() {
        try (GroupExecutor executor = full(RejectionHandlerTest::discard)) {
            assertThat(resultOf(executor.submit("g", "t", () -> "ran")).status())
                    .isEqualTo(TaskStatus.REJECTED);
            assertThat(events.of("g/t")).containsExactly("submitted", "rejected");
        }
    }

    @Test
    void handlerIsNotCalledForAdmittedTasks() {
        try (GroupExecutor executor = full(RejectionHandlerTest::discard)) {
            assertThat(resultOf(executor.submit("other", "t", () -> "ran")).value())
                    .isEqualTo("ran");
        }
    }

    @Test
    void handlerIsGivenTheTaskAndItsNames() {
        try (GroupExecutor executor = full(RejectionHandlerTest::run)) {
            GroupResult<String> result = resultOf(executor.submit("g", "t", () -> "ran after all"));
            assertThat(result.value()).isEqualTo("ran after all");
            assertThat(result.groupKey()).isEqualTo("g");
            assertThat(result.taskId()).isEqualTo("t");
            assertThat(events.of("g/t")).containsExactly("submitted", "completed SUCCESS");
        }
    }

    @Test
    void handlerRunsOnItsOwnThreadWithoutAPermit() {
        try (GroupExecutor executor = full(RejectionHandlerTest::run)) {
            Thread thread =
                    resultOf(executor.submit("g", "t", Thread::currentThread)).value();
            assertThat(thread).isNotSameAs(Thread.currentThread());
            assertThat(thread.isVirtual()).isTrue();
            assertThat(resultOf(executor.submit("g", "t", () -> CurrentStats.of(executor)))
                            .value())
                    .isEqualTo(new CurrentStats(1, 1, 0, 1, 2));
        }
    }

    @Test
    void failureReturnedByTheHandlerIsTheResult() {
        try (GroupExecutor executor = full(RejectionHandlerTest::run)) {
            RuntimeException thrown = new IllegalStateException("on purpose");
            GroupResult<String> result = resultOf(executor.submit("g", "t", () -> {
                throw thrown;
            }));
            assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
            assertThat(result.error()).isSameAs(thrown);
            assertThat(events.of("g/t")).containsExactly("submitted", "completed FAILED");
        }
    }

    @Test
    void nullFromTheHandlerMeansRejectedAndIsReportedOnce() {
        try (Log log = new Log();
                GroupExecutor executor = full(RejectionHandlerTest::giveNothing)) {
            for (int i = 0; i < 5; i++) {
                assertThat(resultOf(executor.submit("g", "t" + i, () -> "ran")).status())
                        .isEqualTo(TaskStatus.REJECTED);
            }
            assertThat(log.lines("rejection handler returned null")).hasSize(1);
            assertThat(events.of("g/t4")).containsExactly("submitted", "rejected");
        }
    }

    @Test
    void errorFromTheHandlerMeansRejectedAndIsReportedOnce() {
        try (Log log = new Log();
                GroupExecutor executor = full(RejectionHandlerTest::failBadly)) {
            for (int i = 0; i < 5; i++) {
                assertThat(resultOf(executor.submit("g", "t" + i, () -> "ran")).status())
                        .isEqualTo(TaskStatus.REJECTED);
            }
            assertThat(log.lines("handler broke")).hasSize(1);
            assertThat(events.of("g/t4")).containsExactly("submitted", "rejected");
            assertThat(executor.toString()).contains("5 faults");
        }
    }

    @Test
    void rejectionThrownByTheHandlerIsThrownToWaiters() {
        try (GroupExecutor executor = full(RejectionHandlerTest::refuse)) {
            TaskHandle<String> handle = executor.submit("g", "t", () -> "ran");
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(handle::await)
                    .withMessageContaining("said the handler");
            assertThat(events.of("g/t")).containsExactly("submitted", "rejected");
        }
    }

    @Test
    void executeAllListsWhatTheHandlerDecides() {
        try (GroupExecutor executor = full(RejectionHandlerTest::refuse)) {
            List<GroupResult<String>> results = executor.executeAll(
                    List.of(new GroupTask<>("g", "rejected", () -> "ran"), new GroupTask<>("other", "t", () -> "ran")));
            assertThat(results)
                    .extracting(GroupResult::status)
                    .containsExactly(TaskStatus.REJECTED, TaskStatus.SUCCESS);
        }
    }

    @Test
    void handlerMaySubmitAgain() {
        GroupExecutor[] self = new GroupExecutor[1];
        try (GroupExecutor executor = full(new RejectionHandler() {
            @Override
            public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                return resultOf(self[0].submit("overflow", taskId, task));
            }
        })) {
            self[0] = executor;
            GroupResult<String> result = resultOf(executor.submit("g", "t", () -> "ran elsewhere"));
            assertThat(result.value()).isEqualTo("ran elsewhere");
            assertThat(result.groupKey()).isEqualTo("overflow");
        }
    }
}
