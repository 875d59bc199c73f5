package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Events;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.scope.Task;
import io.github.kobe.scope.ThreadScope;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does submit throw a rejection under THROW, and only submit? */
@Timeout(60)
class ThrowPolicyTest {

    private final Events events = new Events();

    private GroupExecutor full(UnaryOperator<GroupPolicy.Builder> settings) {
        GroupExecutor executor = executor(b -> settings.apply(b.defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.THROW)));
        BlockingTask.in(executor, "g");
        return executor;
    }

    @Test
    void submitThrowsTheRejection() {
        try (GroupExecutor executor = full(b -> b.taskLifecycleListener(events))) {
            TaskOptions mail = TaskOptions.builder().tag("mail").build();
            RejectedTaskException e = catchThrowableOfType(
                    RejectedTaskException.class, () -> executor.submit("g", "t", () -> "ran", mail));
            assertThat(e.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
            assertThat(e).hasMessageStartingWith("task 't' of group 'g' [mail] rejected: group queue full (1 active");
            assertThat(e.getStackTrace())
                    .anyMatch(frame -> frame.getClassName().equals(ThrowPolicyTest.class.getName()));
            assertThatThrownBy(() -> executor.submit("g", "u", () -> "ran")).isInstanceOf(RejectedTaskException.class);
            assertThatThrownBy(() -> executor.submit("g", "v", context -> "ran", mail))
                    .isInstanceOf(RejectedTaskException.class);
            assertThat(executor.stats().counts().rejected()).isEqualTo(3);
            assertThat(events.of("g/t")).containsExactly("submitted", "rejected");
        }
    }

    @Test
    void admittedTasksAreNotAffected() throws Exception {
        try (GroupExecutor executor = full(b -> b)) {
            assertThat(executor.submit("other", "t", () -> "ran").get()).isEqualTo("ran");
        }
    }

    @Test
    void batchesListTheTaskAsRejected() {
        List<GroupTask<String>> tasks =
                List.of(new GroupTask<>("g", "rejected", () -> "ran"), new GroupTask<>("other", "ok", () -> "ran"));
        try (GroupExecutor executor = full(b -> b)) {
            assertThat(executor.executeAll(tasks))
                    .extracting(GroupResult::status)
                    .containsExactly(TaskStatus.REJECTED, TaskStatus.SUCCESS);
            try (Stream<GroupResult<String>> results = executor.completions(tasks)) {
                assertThat(results.map(GroupResult::status))
                        .containsExactlyInAnyOrder(TaskStatus.REJECTED, TaskStatus.SUCCESS);
            }
        }
    }

    @Test
    void callsAndViewsThrowAsUnderAbort() {
        try (GroupExecutor executor = full(b -> b)) {
            assertThatThrownBy(() -> executor.call("g", () -> "ran")).isInstanceOf(RejectedTaskException.class);
            assertThatThrownBy(() -> executor.acquire("g")).isInstanceOf(RejectedTaskException.class);
            assertThatThrownBy(() -> executor.asExecutorService("g").submit(() -> "ran"))
                    .isInstanceOf(RejectedTaskException.class);
        }
    }

    @Test
    void handlerTakesPrecedence() throws Exception {
        RejectionHandler handler = new RejectionHandler() {
            @Override
            public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                return GroupResult.success(groupKey, taskId, null, 0, 0);
            }
        };
        try (GroupExecutor executor = full(b -> b.rejectionHandler(handler))) {
            assertThat(executor.submit("g", "t", () -> "ran").get()).isNull();
        }
    }

    @Test
    void poolThrowsToo() {
        BlockingTask blocker = BlockingTask.interruptible();
        try (WorkerPool pool = WorkerPool.builder()
                .maxWorkers(1)
                .queueCapacity(0)
                .rejectionPolicy(RejectionPolicy.THROW)
                .build()) {
            pool.submit(blocker);
            TestKit.await(blocker.started);
            assertThatThrownBy(() -> pool.submit(() -> "ran")).isInstanceOf(RejectedTaskException.class);
            blocker.release();
        }
    }

    @Test
    void taskOfAScopeFails() {
        try (GroupExecutor executor = full(b -> b);
                ThreadScope scope = ThreadScope.open().withGroups(executor)) {
            Task<String> task = scope.submit("g", "t", () -> "ran");
            assertThatThrownBy(task::await).isInstanceOf(RejectedTaskException.class);
        }
    }
}
