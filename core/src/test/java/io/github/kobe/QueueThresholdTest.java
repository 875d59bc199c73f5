package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many tasks may be queued for the limits of a group? */
@Timeout(60)
class QueueThresholdTest {

    private static GroupPolicy.Builder discarding(GroupPolicy.Builder b) {
        return b.rejectionPolicy(RejectionPolicy.DISCARD);
    }

    private static boolean isRejected(GroupExecutor executor, String group) {
        TaskHandle<String> handle = executor.submit(group, "probe", () -> "ran");
        return handle.isDone() && handle.join().status() == TaskStatus.REJECTED;
    }

    private static List<Boolean> rejections(GroupExecutor executor, String group, int submissions) {
        List<Boolean> rejected = new ArrayList<>();
        for (int i = 0; i < submissions; i++) {
            rejected.add(isRejected(executor, group));
        }
        return rejected;
    }

    @Test
    void taskBeyondTheThresholdIsRejected() {
        try (GroupExecutor executor = executor(b -> discarding(b).defaultQueueThresholdPerGroup(2))) {
            BlockingTask.in(executor, "g");
            assertThat(rejections(executor, "g", 4)).containsExactly(false, false, true, true);
        }
    }

    @Test
    void thresholdZeroQueuesNoTask() {
        try (GroupExecutor executor =
                executor(b -> discarding(b).defaultQueueThresholdPerGroup(0).defaultMaxConcurrencyPerGroup(2))) {
            BlockingTask.in(executor, "g");
            BlockingTask.in(executor, "g");
            assertThat(rejections(executor, "g", 2)).containsExactly(true, true);
        }
    }

    @Test
    void thresholdOfTheGroupOverridesTheDefault() {
        try (GroupExecutor executor = executor(
                b -> discarding(b).defaultQueueThresholdPerGroup(0).perGroupQueueThreshold(Map.of("patient", 1)))) {
            BlockingTask.in(executor, "patient");
            BlockingTask.in(executor, "hasty");
            assertThat(rejections(executor, "patient", 2)).containsExactly(false, true);
            assertThat(rejections(executor, "hasty", 1)).containsExactly(true);
        }
    }

    @Test
    void queueIsUnlimitedByDefault() {
        try (GroupExecutor executor = executor(QueueThresholdTest::discarding)) {
            BlockingTask.in(executor, "g");
            assertThat(rejections(executor, "g", 1000)).containsOnly(false);
        }
    }

    @Test
    void tasksQueuedForTheInFlightLimitCount() {
        try (GroupExecutor executor = executor(b -> discarding(b)
                .defaultMaxConcurrencyPerGroup(5)
                .defaultMaxInFlightPerGroup(1)
                .defaultQueueThresholdPerGroup(1))) {
            BlockingTask.in(executor, "g");
            assertThat(rejections(executor, "g", 2)).containsExactly(false, true);
        }
    }

    @Test
    void tasksQueuedOnlyForTheGlobalLimitDoNotCount() {
        try (GroupExecutor executor = executor(b -> discarding(b)
                .globalMaxInFlight(1)
                .defaultMaxConcurrencyPerGroup(2)
                .defaultQueueThresholdPerGroup(0))) {
            BlockingTask.in(executor, "other");
            assertThat(rejections(executor, "g", 3))
                    .as("the group has two permits; the third task would be queued for the group")
                    .containsExactly(false, false, true);
        }
    }

    @Test
    void startedTaskMakesRoomInTheQueue() {
        try (GroupExecutor executor = executor(b -> discarding(b).defaultQueueThresholdPerGroup(1))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            BlockingTask next = BlockingTask.interruptible();
            executor.submit("g", "next", next);
            assertThat(isRejected(executor, "g")).isTrue();
            blocker.release();
            await(next.started);
            assertThat(rejections(executor, "g", 2)).containsExactly(false, true);
        }
    }

    @Test
    void cancelledQueuedTaskMakesRoom() {
        try (GroupExecutor executor = executor(b -> discarding(b).defaultQueueThresholdPerGroup(1))) {
            BlockingTask.in(executor, "g");
            TaskHandle<String> waiting = executor.submit("g", "waiting", () -> "ran");
            assertThat(isRejected(executor, "g")).isTrue();
            assertThat(waiting.cancel(false)).isTrue();
            assertThat(rejections(executor, "g", 2)).containsExactly(false, true);
        }
    }

    @Test
    void rejectionLeavesNoState() {
        try (GroupExecutor executor =
                executor(b -> discarding(b).globalMaxInFlight(5).defaultQueueThresholdPerGroup(1))) {
            BlockingTask.in(executor, "g");
            assertThat(isRejected(executor, "g")).isFalse();
            for (int i = 0; i < 100; i++) {
                assertThat(isRejected(executor, "g")).isTrue();
            }
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(1, 1, 1, 1, 5));
        }
    }

    @Test
    void concurrentSubmittersAreAdmittedUpToTheExactThreshold() throws Exception {
        try (GroupExecutor executor = executor(b -> discarding(b).defaultQueueThresholdPerGroup(7))) {
            BlockingTask.in(executor, "g");
            CountDownLatch go = new CountDownLatch(1);
            List<Caller<List<Boolean>>> callers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                callers.add(Caller.of(() -> {
                    await(go);
                    return rejections(executor, "g", 50);
                }));
            }
            go.countDown();
            int admitted = 0;
            for (Caller<List<Boolean>> caller : callers) {
                admitted += (int)
                        caller.result().stream().filter(rejected -> !rejected).count();
            }
            assertThat(admitted).isEqualTo(7);
        }
    }

    @Test
    void submitAfterAwaitIsNeverRejected() throws Exception {
        try (GroupExecutor executor = executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            List<Caller<Integer>> callers = new ArrayList<>();
            for (int c = 0; c < 4; c++) {
                String group = "g" + c;
                callers.add(Caller.of(() -> {
                    int sum = 0;
                    for (int i = 0; i < 2000; i++) {
                        sum += executor.submit(group, "t", () -> 1).await().value(); // a rejection would throw
                    }
                    return sum;
                }));
            }
            for (Caller<Integer> caller : callers) {
                assertThat(caller.result()).isEqualTo(2000);
            }
        }
    }

    @Test
    void submitFromCompletionCallbackIsNeverRejected() {
        try (GroupExecutor executor = executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            for (int i = 0; i < 500; i++) {
                BlockingTask blocker = BlockingTask.interruptible();
                TaskHandle<String> first = executor.submit("g", "first", blocker);
                var second = first.toCompletableFuture()
                        .thenApply(r -> resultOf(executor.submit("g", "second", () -> "ran"))
                                .value());
                blocker.release();
                assertThat(second.join()).isEqualTo("ran");
            }
        }
    }
}
