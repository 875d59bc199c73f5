package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many tasks may be in the executor beyond the global limit? */
@Timeout(60)
class GlobalQueueThresholdTest {

    private static GroupExecutor discarding(int limit, int threshold) {
        return executor(b -> b.rejectionPolicy(RejectionPolicy.DISCARD)
                .globalMaxInFlight(limit)
                .globalQueueThreshold(threshold));
    }

    private static boolean isRejected(GroupExecutor executor, String group) {
        TaskHandle<String> handle = executor.submit(group, "probe", () -> "ran");
        return handle.isDone() && handle.join().status() == TaskStatus.REJECTED;
    }

    @Test
    void thresholdCountsQueuedTasksOfAllGroups() {
        try (GroupExecutor executor = discarding(2, 3)) {
            BlockingTask.in(executor, "a");
            BlockingTask.in(executor, "b");
            List<Boolean> rejected = new ArrayList<>();
            for (String group : List.of("c", "d", "a", "e", "f")) {
                rejected.add(isRejected(executor, group));
            }
            assertThat(rejected).containsExactly(false, false, false, true, true);
        }
    }

    @Test
    void thresholdZeroQueuesNoTaskForTheGlobalLimit() {
        try (GroupExecutor executor = discarding(1, 0)) {
            BlockingTask.in(executor, "a");
            assertThat(isRejected(executor, "b")).isTrue();
            assertThat(isRejected(executor, "a")).isTrue();
        }
    }

    @Test
    void tasksQueuedForTheirGroupUseFreeGlobalPermitsFirst() {
        try (GroupExecutor executor = discarding(3, 1)) {
            BlockingTask.in(executor, "a"); // two permits are free, and one more task may be queued
            assertThat(isRejected(executor, "a")).isFalse();
            assertThat(isRejected(executor, "a")).isFalse();
            assertThat(isRejected(executor, "a")).isFalse();
            assertThat(isRejected(executor, "a")).isTrue();
        }
    }

    @Test
    void taskThatCanStartAtOnceIsNeverRejected() {
        try (GroupExecutor executor = discarding(2, 0)) {
            BlockingTask.in(executor, "a");
            assertThat(isRejected(executor, "a")).as("queued for its group").isFalse();
            assertThat(isRejected(executor, "a")).isTrue();
            BlockingTask blocker = BlockingTask.interruptible();
            TaskHandle<String> other = executor.submit("b", "t", blocker);
            await(blocker.started);
            blocker.release();
            assertThat(resultOf(other).value()).isEqualTo("released");
        }
    }

    @Test
    void completedAndCancelledTasksMakeRoom() {
        try (GroupExecutor executor = discarding(1, 1)) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            TaskHandle<String> waiting = executor.submit("b", "waiting", () -> "ran");
            assertThat(isRejected(executor, "c")).isTrue();
            waiting.cancel(false);
            BlockingTask next = BlockingTask.interruptible();
            executor.submit("b", "next", next);
            assertThat(isRejected(executor, "c")).isTrue();
            blocker.release();
            await(next.started);
            assertThat(isRejected(executor, "c")).isFalse();
            assertThat(isRejected(executor, "c")).isTrue();
        }
    }

    @Test
    void thresholdHasNoEffectWithoutAGlobalLimit() {
        try (GroupExecutor executor =
                executor(b -> b.rejectionPolicy(RejectionPolicy.DISCARD).globalQueueThreshold(0))) {
            BlockingTask.in(executor, "a");
            assertThat(isRejected(executor, "a")).isFalse();
        }
    }

    @Test
    void submitAwaitSubmitIsNeverRejected() throws Exception {
        try (GroupExecutor executor =
                executor(b -> b.globalMaxInFlight(1).globalQueueThreshold(0).defaultQueueThresholdPerGroup(0))) {
            for (int i = 0; i < 3000; i++) {
                int number = i;
                TaskHandle<Integer> handle = executor.submit("g" + i % 3, "t", () -> number);
                assertThat(handle.await().value()).isEqualTo(i); // a rejection would throw
            }
        }
    }

    @Test
    void rejectionNamesTheLimitAndTheNumbers() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(1).globalQueueThreshold(0))) {
            BlockingTask.in(executor, "a");
            TaskHandle<String> rejected = executor.submit("b", "t", () -> "ran");
            RejectedTaskException e =
                    org.assertj.core.api.Assertions.catchThrowableOfType(RejectedTaskException.class, rejected::await);
            assertThat(e)
                    .hasMessageContaining("global queue full")
                    .hasMessageContaining("1 active, ")
                    .hasMessageContaining("limit 1, queue threshold ");
        }
    }
}
