package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Events;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What do ABORT and DISCARD do with a task when the queue is full? */
@Timeout(60)
class RejectionPolicyTest {

    private final Events events = new Events();
    private final AtomicBoolean ran = new AtomicBoolean();

    private GroupExecutor full(RejectionPolicy policy) {
        GroupExecutor executor = executor(
                b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(policy).taskLifecycleListener(events));
        BlockingTask.in(executor, "g");
        return executor;
    }

    private TaskHandle<Boolean> rejected(GroupExecutor executor) {
        return executor.submit("g", "rejected", () -> ran.getAndSet(true));
    }

    @Test
    void abortIsTheDefault() {
        try (GroupExecutor executor = executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            BlockingTask.in(executor, "g");
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> rejected(executor).await());
        }
    }

    @Test
    void abortReturnsAHandleWhoseEveryWaitThrows() {
        try (GroupExecutor executor = full(RejectionPolicy.ABORT)) {
            TaskHandle<Boolean> handle = rejected(executor);
            assertThat(handle.isDone()).isTrue();
            assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(handle::await);
            assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(() -> handle.await(9, TimeUnit.SECONDS));
            assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(handle::join);
            assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(() -> handle.join(9, TimeUnit.SECONDS));
            assertThat(handle.cancel(true)).isFalse();
            assertThat(ran).isFalse();
        }
    }

    @Test
    void abortNamesTheTaskAndTheNumbers() {
        try (GroupExecutor executor = full(RejectionPolicy.ABORT)) {
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> rejected(executor).await())
                    .satisfies(e -> assertThat(e.groupKey()).isEqualTo("g"))
                    .satisfies(e -> assertThat(e.taskId()).isEqualTo("rejected"))
                    .withMessageContaining("'rejected'")
                    .withMessageContaining("'g'")
                    .withMessageContaining("group queue full")
                    .withMessageContaining("1 active")
                    .withMessageContaining("0 queued")
                    .withMessageContaining("limit 1")
                    .withMessageContaining("queue threshold 0");
        }
    }

    @Test
    void abortIsTheCauseInFutures() {
        try (GroupExecutor executor = full(RejectionPolicy.ABORT)) {
            TaskHandle<Boolean> handle = rejected(executor);
            Future<GroupResult<Boolean>> future = handle.future();
            assertThat(future.state()).isEqualTo(Future.State.FAILED);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(future::get)
                    .withCauseInstanceOf(RejectedTaskException.class);
            assertThat(handle.toCompletableFuture())
                    .failsWithin(TestKit.PATIENCE)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(RejectedTaskException.class);
        }
    }

    @Test
    void discardRejectsWithoutAnException() throws Exception {
        try (GroupExecutor executor = full(RejectionPolicy.DISCARD)) {
            TaskHandle<Boolean> handle = rejected(executor);
            assertThat(handle.isDone()).isTrue();
            GroupResult<Boolean> result = handle.await();
            assertThat(result.status()).isEqualTo(TaskStatus.REJECTED);
            assertThat(result.groupKey()).isEqualTo("g");
            assertThat(result.taskId()).isEqualTo("rejected");
            assertThat(result.value()).isNull();
            assertThat(result.error()).isNull();
            assertThat(result.durationNanos()).isZero();
            assertThat(handle.future().get().status()).isEqualTo(TaskStatus.REJECTED);
            assertThat(handle.toCompletableFuture().join().status()).isEqualTo(TaskStatus.REJECTED);
            assertThat(handle.cancel(true)).isFalse();
            assertThat(ran).isFalse();
        }
    }

    @Test
    void listenerIsNotifiedOfTheRejectionOnly() {
        for (RejectionPolicy policy : new RejectionPolicy[] {RejectionPolicy.ABORT, RejectionPolicy.DISCARD}) {
            Events events = new Events();
            try (GroupExecutor executor = executor(b ->
                    b.defaultQueueThresholdPerGroup(0).rejectionPolicy(policy).taskLifecycleListener(events))) {
                BlockingTask.in(executor, "g");
                rejected(executor);
                assertThat(events.of("g/rejected")).containsExactly("submitted", "rejected");
            }
        }
    }

    @Test
    void listenerIsGivenTheReason() {
        List<String> reasons = new CopyOnWriteArrayList<>();
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onRejected(String groupKey, String taskId, String reason) {
                reasons.add(groupKey + "/" + taskId + ": " + reason);
            }
        };
        try (GroupExecutor executor = executor(b -> b.defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .taskLifecycleListener(listener))) {
            BlockingTask.in(executor, "g");
            rejected(executor);
        }
        assertThat(reasons)
                .singleElement()
                .asString()
                .startsWith("g/rejected: group queue full")
                .contains("1 active");
    }

    @Test
    void rejectedTasksUseNoCapacity() {
        try (GroupExecutor executor = full(RejectionPolicy.DISCARD)) {
            for (int i = 0; i < 50; i++) {
                rejected(executor);
            }
            assertThat(executor.groupStats("g").orElseThrow().activeCount()).isEqualTo(1);
            assertThat(resultOf(executor.submit("other", "t", () -> "ran")).value())
                    .isEqualTo("ran");
        }
    }
}
