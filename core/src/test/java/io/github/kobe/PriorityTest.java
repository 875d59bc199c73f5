package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.CurrentStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In which order do the queued tasks of a group start? */
@Timeout(60)
class PriorityTest {

    private final List<String> order = Collections.synchronizedList(new ArrayList<>());
    private final List<TaskHandle<?>> handles = new ArrayList<>();

    private static TaskOptions priority(int value) {
        return TaskOptions.builder().priority(value).build();
    }

    private TaskHandle<Boolean> submit(GroupExecutor executor, String group, String taskId, TaskOptions options) {
        TaskHandle<Boolean> handle = executor.submit(group, taskId, () -> order.add(taskId), options);
        handles.add(handle);
        return handle;
    }

    private TaskHandle<Boolean> submit(GroupExecutor executor, String taskId, int priority) {
        return submit(executor, "g", taskId, priority(priority));
    }

    private List<String> orderAfter(BlockingTask blocker) {
        blocker.release();
        handles.forEach(TestKit::resultOf);
        return order;
    }

    @Test
    void higherPriorityStartsFirst() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            submit(executor, "low", 1);
            submit(executor, "high", 3);
            submit(executor, "middle", 2);
            assertThat(orderAfter(blocker)).containsExactly("high", "middle", "low");
        }
    }

    @Test
    void equalPrioritiesStartInTheOrderOfSubmission() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                submit(executor, "t" + i, 7);
                expected.add("t" + i);
            }
            assertThat(orderAfter(blocker)).isEqualTo(expected);
        }
    }

    @Test
    void defaultPriorityIsBetweenPositiveAndNegative() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            submit(executor, "negative", -1);
            submit(executor, "least", Integer.MIN_VALUE);
            submit(executor, "g", "without options", TaskOptions.defaults());
            submit(executor, "zero", 0);
            submit(
                    executor,
                    "g",
                    "with another option",
                    TaskOptions.builder().tag("tag").build());
            submit(executor, "most", Integer.MAX_VALUE);
            submit(executor, "positive", 1);
            assertThat(orderAfter(blocker))
                    .containsExactly(
                            "most", "positive", "without options", "zero", "with another option", "negative", "least");
        }
    }

    @Test
    void orderIsTheSameUnderAGlobalLimit() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(1).defaultMaxConcurrencyPerGroup(9))) {
            BlockingTask blocker = BlockingTask.in(executor, "other");
            submit(executor, "low", -1);
            submit(executor, "zero", 0);
            submit(executor, "high", 1);
            assertThat(orderAfter(blocker)).containsExactly("high", "zero", "low");
        }
    }

    @Test
    void priorityAppliesWithinTheGroupOnly() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(1))) {
            BlockingTask blocker = BlockingTask.in(executor, "blocker");
            for (int i = 0; i < 3; i++) {
                submit(executor, "a", "a", priority(1000));
            }
            for (int i = 0; i < 3; i++) {
                submit(executor, "b", "b", priority(-1000));
            }
            assertThat(orderAfter(blocker)).containsExactly("a", "b", "a", "b", "a", "b");
        }
    }

    @Test
    void retryIsQueuedByItsPriority() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            Flaky flaky = Flaky.failingThen(1, () -> {
                order.add("second attempt");
                return "succeeded";
            });
            TaskOptions important = TaskOptions.builder()
                    .priority(1)
                    .retry(RetryPolicy.attempts(2))
                    .build();
            handles.add(executor.submit("g", "flaky", flaky, important));
            BlockingTask between = BlockingTask.interruptible();
            handles.add(executor.submit("g", "between", between));
            blocker.release();
            await(between.started);
            submit(executor, "unimportant", 0);
            eventually(() -> assertThat(executor.groupStats("g").orElseThrow().queuedCount())
                    .isEqualTo(2));
            assertThat(orderAfter(between)).containsExactly("second attempt", "unimportant");
        }
    }

    @Test
    void cancelledTasksAreSkippedAndLeaveNoState() {
        try (GroupExecutor executor = executor(b -> b.idleGroupTtl(Duration.ZERO))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            List<TaskHandle<Boolean>> all = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                all.add(submit(executor, "t" + i, i % 7 - 3));
            }
            List<Integer> spared = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                if (i % 10 == 0) {
                    spared.add(i);
                } else {
                    assertThat(all.get(i).cancel(true)).isTrue();
                }
            }
            assertThat(executor.groupStats("g").orElseThrow().queuedCount()).isEqualTo(100);
            spared.sort(Comparator.comparingInt(i -> -(i % 7 - 3)));
            assertThat(orderAfter(blocker))
                    .containsExactlyElementsOf(spared.stream().map(i -> "t" + i).toList());
            // the group retires when the last outcome is published, so that a shutdown finds it until then
            eventually(() ->
                    assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(0, 0, 0, 0, Integer.MAX_VALUE)));
            assertThat(executor.stats().counts().cancelled()).isEqualTo(900);
            assertThat(executor.stats().oldestWaiting()).isZero();
        }
    }

    /** Not every task in a long queue has a time stamp, but some of each priority have, in any order of submission. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    void oldestQueuedTaskIsKnownForAnyPriority(int left) {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask.in(executor, "g");
            for (int i = 0; i < 8 * 50; i++) {
                submit(executor, "t" + i, i % 8 + 1);
            }
            for (int i = 0; i < handles.size(); i++) {
                if (i < 8 || i % 8 != left) {
                    handles.get(i).cancel(true);
                }
            }
            assertThat(executor.stats().oldestWaiting()).isPositive();
            executor.shutdown();
        }
    }

    @Test
    void groupWithAllQueuedTasksCancelledIsIdleAfterTheRunningTask() {
        try (GroupExecutor executor = executor(b -> b.idleGroupTtl(Duration.ZERO))) {
            BlockingTask blocker = BlockingTask.interruptible();
            TaskHandle<String> running = executor.submit("g", "running", blocker);
            await(blocker.started);
            submit(executor, "before", 1);
            submit(executor, "after", -1);
            handles.forEach(handle -> handle.cancel(false));
            blocker.release();
            resultOf(running);
            assertThat(executor.activeGroupKeys()).isEmpty();
            assertThat(order).isEmpty();
        }
    }

    @Test
    void hundredThousandTasksOfAThousandPrioritiesStartInOrder() {
        int tasks = 100_000;
        List<Integer> started = Collections.synchronizedList(new ArrayList<>(tasks));
        List<Integer> expected = new ArrayList<>(tasks);
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            TaskHandle<Boolean> last = null;
            for (int i = 0; i < tasks; i++) {
                int number = i;
                TaskHandle<Boolean> handle =
                        executor.submit("g", "t", () -> started.add(number), priority(scattered(number)));
                expected.add(number);
                last = scattered(number) == -500 ? handle : last;
            }
            expected.sort(Comparator.comparingInt(number -> -scattered(number))); // a stable sort
            blocker.release();
            resultOf(last);
        }
        assertThat(started).isEqualTo(expected);
    }

    /** Returns priorities from -500 to 499, equally often, in no order. */
    private static int scattered(int number) {
        return Math.floorMod(number * 7919L, 1000) - 500;
    }
}
