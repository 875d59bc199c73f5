package io.github.kobe;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import io.github.kobe.TestKit.Events;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does DISCARD_OLDEST displace the right queued task? */
@Timeout(60)
class DiscardOldestTest {

    private static GroupExecutor discarding(int threshold, UnaryOperator<GroupPolicy.Builder> settings) {
        return executor(b -> settings.apply(
                b.rejectionPolicy(RejectionPolicy.DISCARD_OLDEST).defaultQueueThresholdPerGroup(threshold)));
    }

    private static GroupExecutor discarding(int threshold) {
        return discarding(threshold, b -> b);
    }

    private static TaskHandle<String> submit(GroupExecutor executor, String group, String name) {
        return executor.submit(group, name, () -> name);
    }

    private static TaskHandle<String> submit(GroupExecutor executor, String name, int priority) {
        return executor.submit(
                "g", name, () -> name, TaskOptions.builder().priority(priority).build());
    }

    @Test
    void oldestQueuedTaskIsRejectedAndTheNewTaskIsQueued() throws Exception {
        try (GroupExecutor executor = discarding(2)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            TaskHandle<String> oldest = submit(executor, "g", "oldest");
            TaskHandle<String> older = submit(executor, "g", "older");
            TaskHandle<String> fresh = submit(executor, "g", "fresh");
            assertThat(oldest.isDone()).isTrue();
            assertThat(oldest.await().status()).as("without an exception").isEqualTo(TaskStatus.REJECTED);
            assertThat(older.isDone() || fresh.isDone()).isFalse();
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(1, 1, 2, 1, Integer.MAX_VALUE));
            blocker.release();
            assertThat(resultOf(older).value()).isEqualTo("older");
            assertThat(resultOf(fresh).value()).isEqualTo("fresh");
        }
    }

    /** With a TTL of zero, a group without tasks is retired and loses its position in the ready queue. */
    @Test
    void groupKeepsItsPositionInTheReadyQueue() {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        try (GroupExecutor executor = discarding(0, b -> b.globalMaxInFlight(1).idleGroupTtl(Duration.ZERO))) {
            BlockingTask blocker = BlockingTask.in(executor, "other");
            TaskHandle<?> displacedTask = executor.submit("first", "old", () -> order.add("old"));
            TaskHandle<?> second = executor.submit("second", "task", () -> order.add("second"));
            TaskHandle<?> first = executor.submit("first", "new", () -> order.add("first"));
            assertThat(resultOf(displacedTask).status()).isEqualTo(TaskStatus.REJECTED);
            blocker.release();
            resultOf(first);
            resultOf(second);
            assertThat(order).containsExactly("first", "second");
        }
    }

    @Test
    void listenerIsNotifiedOnceOfTheRejection() {
        Events notifications = new Events();
        try (GroupExecutor executor = discarding(1, b -> b.taskLifecycleListener(notifications))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            TaskHandle<String> oldest = submit(executor, "g", "oldest");
            TaskHandle<String> fresh = submit(executor, "g", "fresh");
            assertThat(resultOf(oldest).status()).isEqualTo(TaskStatus.REJECTED);
            blocker.release();
            resultOf(fresh);
            assertThat(notifications.of("g/oldest")).containsExactly("submitted", "rejected");
            assertThat(notifications.of("g/fresh")).containsExactly("submitted", "started", "completed SUCCESS");
        }
    }

    @Test
    void displacedTaskIsCountedAsRejectedAndHasTheNumbers() {
        try (GroupExecutor executor = discarding(2)) {
            BlockingTask.in(executor, "g");
            TaskHandle<String> oldest = submit(executor, "g", "oldest");
            submit(executor, "g", "older");
            submit(executor, "g", "fresh");
            Rejection rejection = resultOf(oldest).rejection();
            assertThat(TestKit.withoutEstimate(rejection))
                    .isEqualTo(new Rejection(RejectionReason.GROUP_QUEUE_FULL, 1, 2, 1, 2, rejection.waited()));
            assertThat(rejection.waited()).isPositive();
            assertThat(executor.groupStats("g").orElseThrow().counts())
                    .isEqualTo(new TaskCounts(4, 0, 0, 0, 0, 0, Map.of(RejectionReason.GROUP_QUEUE_FULL, 1L)));
        }
    }

    @Test
    void runningTasksAreNotDisplaced() {
        try (GroupExecutor executor = discarding(1)) {
            BlockingTask blocker = BlockingTask.interruptible();
            TaskHandle<String> running = executor.submit("g", "running", blocker);
            TestKit.await(blocker.started);
            for (int i = 0; i < 5; i++) {
                submit(executor, "g", "t" + i);
            }
            blocker.release();
            assertThat(resultOf(running).value()).isEqualTo("released");
            assertThat(blocker.wasInterrupted()).isFalse();
        }
    }

    @Test
    void lowestPriorityIsDisplacedFirstThenTheOldest() {
        try (GroupExecutor executor = discarding(5)) {
            BlockingTask.in(executor, "g");
            TaskHandle<String> high = submit(executor, "high", 7);
            TaskHandle<String> plain = submit(executor, "plain", 0);
            TaskHandle<String> low = submit(executor, "low", -3);
            TaskHandle<String> laterLow = submit(executor, "later low", -3);
            TaskHandle<String> lowest = submit(executor, "lowest", -4);
            List<TaskHandle<String>> displaced = new ArrayList<>();
            for (TaskHandle<String> next : List.of(lowest, low, laterLow, plain, high)) {
                submit(executor, "important", 9);
                displaced.add(next);
                assertThat(List.of(high, plain, low, laterLow, lowest))
                        .allSatisfy(h -> assertThat(h.isDone()).as("%s", h).isEqualTo(displaced.contains(h)));
            }
        }
    }

    @Test
    void newTaskIsAdmittedEvenWithTheLowestPriority() {
        try (GroupExecutor executor = discarding(1)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            TaskHandle<String> high = submit(executor, "high", 7);
            TaskHandle<String> low = submit(executor, "low", -7);
            assertThat(resultOf(high).status()).isEqualTo(TaskStatus.REJECTED);
            blocker.release();
            assertThat(resultOf(low).value()).isEqualTo("low");
        }
    }

    @Test
    void cancelledTasksAreNotCountedAsRejected() {
        try (GroupExecutor executor = discarding(2)) {
            BlockingTask.in(executor, "g");
            TaskHandle<String> cancelled = submit(executor, "g", "cancelled");
            TaskHandle<String> waiting = submit(executor, "g", "waiting");
            cancelled.cancel(false);
            submit(executor, "g", "fits");
            assertThat(waiting.isDone()).isFalse();
            submit(executor, "g", "does not");
            assertThat(resultOf(waiting).status()).isEqualTo(TaskStatus.REJECTED);
            assertThat(resultOf(cancelled).status()).isEqualTo(TaskStatus.CANCELLED);
        }
    }

    @Test
    void fullGlobalQueueDisplacesATaskOfTheSameGroup() {
        try (GroupExecutor executor =
                discarding(Integer.MAX_VALUE, b -> b.globalMaxInFlight(1).globalQueueThreshold(2))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            TaskHandle<String> mine = submit(executor, "g", "mine");
            TaskHandle<String> others = submit(executor, "h", "others");
            TaskHandle<String> fresh = submit(executor, "g", "fresh");
            assertThat(resultOf(mine).status()).isEqualTo(TaskStatus.REJECTED);
            assertThat(others.isDone() || fresh.isDone()).isFalse();
            blocker.release();
            assertThat(resultOf(others).value()).isEqualTo("others");
            assertThat(resultOf(fresh).value()).isEqualTo("fresh");
        }
    }

    @Test
    void newTaskIsRejectedIfTheGlobalQueueIsFullOfOtherGroups() {
        try (GroupExecutor executor =
                discarding(Integer.MAX_VALUE, b -> b.globalMaxInFlight(1).globalQueueThreshold(1))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            TaskHandle<String> others = submit(executor, "h", "others");
            TaskHandle<String> rejected = submit(executor, "g", "rejected");
            RejectedTaskException e = catchThrowableOfType(RejectedTaskException.class, rejected::await);
            assertThat(TestKit.withoutEstimate(e.rejection()))
                    .isEqualTo(new Rejection(RejectionReason.GLOBAL_QUEUE_FULL, 1, 1, 1, 1, Duration.ZERO));
            blocker.release();
            assertThat(resultOf(others).value()).isEqualTo("others");
        }
    }

    @Test
    void newTaskIsRejectedIfNoTaskOfItsGroupIsQueued() {
        try (GroupExecutor executor = discarding(0)) {
            BlockingTask.in(executor, "g");
            TaskHandle<String> rejected = submit(executor, "g", "rejected");
            RejectedTaskException e = catchThrowableOfType(RejectedTaskException.class, rejected::await);
            assertThat(TestKit.withoutEstimate(e.rejection()))
                    .isEqualTo(new Rejection(RejectionReason.GROUP_QUEUE_FULL, 1, 0, 1, 0, Duration.ZERO));
        }
    }

    @Test
    void callerWaitingForAPermitCanBeDisplaced() throws Exception {
        try (GroupExecutor executor = discarding(1)) {
            BlockingTask.in(executor, "g");
            Caller<RejectedTaskException> caller =
                    Caller.of(() -> catchThrowableOfType(RejectedTaskException.class, () -> executor.acquire("g")));
            caller.awaitWaiting();
            submit(executor, "g", "fresh");
            assertThat(caller.result().reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
            assertThat(executor.stats().counts())
                    .isEqualTo(new TaskCounts(3, 0, 0, 0, 0, 0, Map.of(RejectionReason.GROUP_QUEUE_FULL, 1L)));
        }
    }

    @Test
    void displacedTryAcquireReturnsTheRejection() throws Exception {
        try (GroupExecutor executor = discarding(1)) {
            BlockingTask.in(executor, "g");
            Caller<PermitResult> caller = Caller.of(() -> executor.tryAcquire("g", TestKit.PATIENCE));
            caller.awaitWaiting();
            submit(executor, "g", "fresh");
            assertThat(caller.result().rejection().reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
            assertThat(executor.stats().counts().rejected()).isEqualTo(1);
        }
    }

    @Test
    void tryAcquireWithoutTimeoutDisplacesNoTask() throws Exception {
        try (GroupExecutor executor = discarding(1)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            TaskHandle<String> waiting = submit(executor, "g", "waiting");
            assertThat(executor.tryAcquire("g", Duration.ZERO).isGranted()).isFalse();
            blocker.release();
            assertThat(resultOf(waiting).value()).isEqualTo("waiting");
        }
    }

    @Test
    void queueNeverExceedsItsThreshold() throws Throwable {
        try (GroupExecutor executor =
                executor(b -> b.rejectionPolicy(RejectionPolicy.DISCARD_OLDEST).defaultQueueThresholdPerGroup(3))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            List<TaskHandle<String>> handles = new ArrayList<>();
            TestKit.whileRepeating(
                    () -> {
                        assertThat(executor.groupStats("g").orElseThrow().queuedCount())
                                .isBetween(0, 3);
                        submit(executor, "g", "from another thread");
                    },
                    () -> {
                        for (int i = 0; i < 5000; i++) {
                            handles.add(submit(executor, "g", "t"));
                            assertThat(executor.groupStats("g").orElseThrow().queuedCount())
                                    .isBetween(0, 3);
                        }
                    });
            for (int i = 0; i < 3; i++) {
                handles.add(submit(executor, "g", "last")); // the last task so far may be one of the other thread
            }
            blocker.release();
            Map<TaskStatus, Integer> outcomes = new EnumMap<>(TaskStatus.class);
            handles.forEach(h -> outcomes.merge(resultOf(h).status(), 1, Integer::sum));
            assertThat(outcomes).containsOnlyKeys(TaskStatus.SUCCESS, TaskStatus.REJECTED);
            assertThat(outcomes.get(TaskStatus.SUCCESS)).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, 3})
    void everyHandleCompletesOnceUnderConcurrentDisplacement(int globalLimit) throws Exception {
        int threads = 6;
        int each = 800;
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger notifications = new AtomicInteger();
        TaskLifecycleListener counting = new TaskLifecycleListener() {
            @Override
            public void onRejected(TaskIdentity task, Rejection rejection) {
                notifications.incrementAndGet();
            }
        };
        try (GroupExecutor executor = executor(b -> b.rejectionPolicy(RejectionPolicy.DISCARD_OLDEST)
                .defaultMaxConcurrencyPerGroup(2)
                .defaultQueueThresholdPerGroup(2)
                .globalMaxInFlight(globalLimit)
                .globalQueueThreshold(4)
                .idleGroupTtl(Duration.ZERO)
                .taskLifecycleListener(counting))) {
            List<Caller<List<TaskHandle<Integer>>>> callers = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                String group = "g" + t % 2;
                callers.add(Caller.of(() -> {
                    List<TaskHandle<Integer>> handles = new ArrayList<>();
                    for (int i = 0; i < each; i++) {
                        handles.add(executor.submit(
                                group,
                                "t",
                                ran::incrementAndGet,
                                TaskOptions.builder().priority(i % 3 - 1).build()));
                    }
                    return handles;
                }));
            }
            int succeeded = 0;
            int rejected = 0;
            for (Caller<List<TaskHandle<Integer>>> caller : callers) {
                for (TaskHandle<Integer> handle : caller.result()) {
                    if (isRejected(handle)) {
                        rejected++;
                    } else {
                        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.SUCCESS);
                        succeeded++;
                    }
                }
            }
            assertThat(ran).hasValue(succeeded);
            assertThat(notifications).hasValue(rejected);
            TaskCounts counts = executor.stats().counts();
            assertThat(counts.submitted()).isEqualTo(threads * each);
            assertThat(counts.succeeded()).isEqualTo(succeeded);
            assertThat(counts.rejected()).isEqualTo(rejected);
            eventually(
                    () -> assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(0, 0, 0, 0, globalLimit)));
        }
    }

    private static boolean isRejected(TaskHandle<?> handle) {
        try {
            return resultOf(handle).status() == TaskStatus.REJECTED;
        } catch (RejectedTaskException e) {
            return true;
        }
    }
}
