package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import io.github.kobe.TestKit.Events;
import io.github.kobe.TestKit.Peak;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does BLOCK block submitters in order, and for no longer than maxBlockTime? */
@Timeout(120)
class BlockTest {

    /** Longer than any test takes. */
    private static final Duration LONG = Duration.ofHours(1);

    private static GroupExecutor blocking(Duration most, UnaryOperator<GroupPolicy.Builder> settings) {
        return executor(b -> settings.apply(
                b.rejectionPolicy(RejectionPolicy.BLOCK).maxBlockTime(most).defaultQueueThresholdPerGroup(0)));
    }

    private static GroupExecutor blocking(Duration most) {
        return blocking(most, b -> b);
    }

    /** A thread that submits and blocks. */
    private static Caller<TaskHandle<String>> blocked(GroupExecutor executor, String group, String name) {
        Caller<TaskHandle<String>> caller = Caller.of(() -> executor.submit(group, name, () -> name));
        caller.awaitWaiting();
        return caller;
    }

    @Test
    void submitBlocksUntilTheQueueHasRoom() throws Exception {
        Events events = new Events();
        try (GroupExecutor executor = blocking(LONG, b -> b.taskLifecycleListener(events))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            Caller<TaskHandle<String>> caller = blocked(executor, "g", "t");
            letOthersRun();
            assertThat(caller.isDone()).isFalse();
            assertThat(CurrentStats.of(executor))
                    .as("it is not queued yet")
                    .isEqualTo(new CurrentStats(1, 1, 0, 1, Integer.MAX_VALUE));
            blocker.release();
            assertThat(resultOf(caller.result()).value()).isEqualTo("t");
            assertThat(events.of("g/t")).containsExactly("submitted", "started", "completed SUCCESS");
            eventually(() -> assertThat(executor.stats()
                            .counts()) // the blocker's permit is passed on before its outcome is counted
                    .isEqualTo(new TaskCounts(2, 2, 0, 0, 0, 0, Map.of())));
        }
    }

    /** A listener that keeps something for each task, such as a span, must be told of each outcome. */
    @Test
    void shutdownWhileTheListenerIsToldOfTheSubmitIsFollowedByAnOutcome() {
        Events events = new Events();
        try (GroupExecutor executor = blocking(LONG, b -> b.taskLifecycleListener(events))) {
            executor.addListener(new TaskLifecycleListener() {
                @Override
                public void onSubmitted(TaskIdentity task) {
                    executor.shutdown();
                }
            });
            assertThatExceptionOfType(ExecutorShutdownException.class)
                    .isThrownBy(() -> executor.submit("g", "t", () -> "never"));
            assertThat(events.of("g/t")).containsExactly("submitted", "completed CANCELLED");
        }
    }

    @Test
    void statisticsShowBlockedSubmitters() throws Exception {
        try (GroupExecutor executor = blocking(LONG)) {
            BlockingTask a = BlockingTask.in(executor, "a");
            BlockingTask b = BlockingTask.in(executor, "b");
            assertThat(executor.stats().blockedSubmitters()).isZero();
            Caller<TaskHandle<String>> one = blocked(executor, "a", "one");
            Caller<String> two = Caller.of(() -> executor.call("a", () -> "two"));
            two.awaitWaiting();
            Caller<TaskHandle<String>> three = blocked(executor, "b", "three");
            assertThat(executor.stats().blockedSubmitters()).isEqualTo(3);
            assertThat(executor.groupStats("a").orElseThrow().blockedSubmitters())
                    .isEqualTo(2);
            assertThat(executor.groupStats("b").orElseThrow().blockedSubmitters())
                    .isEqualTo(1);
            assertThat(executor.toString()).contains(", 0 queued, 3 blocked submitters |");
            a.release();
            b.release();
            resultOf(one.result());
            two.result();
            resultOf(three.result());
            assertThat(executor.stats().blockedSubmitters()).isZero();
            assertThat(executor.groupStats("a").orElseThrow().blockedSubmitters())
                    .isZero();
        }
    }

    @Test
    void submitDoesNotBlockWhileThereIsRoom() {
        try (GroupExecutor executor = blocking(LONG, b -> b.defaultQueueThresholdPerGroup(1))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            TaskHandle<String> waiting = executor.submit("g", "t", () -> "ran"); // would block here
            blocker.release();
            assertThat(resultOf(waiting).value()).isEqualTo("ran");
        }
    }

    @Test
    void blockedSubmittersOfAGroupAreAdmittedInOrder() throws Exception {
        Queue<String> order = new ConcurrentLinkedQueue<>();
        List<Caller<TaskHandle<Boolean>>> callers = new ArrayList<>();
        List<String> came = new ArrayList<>();
        try (GroupExecutor executor = blocking(LONG)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            for (int i = 0; i < 12; i++) {
                String name = "t" + i;
                came.add(name);
                Caller<TaskHandle<Boolean>> caller = Caller.of(() -> executor.submit("g", name, () -> order.add(name)));
                caller.awaitWaiting();
                callers.add(caller);
            }
            blocker.release();
            for (Caller<TaskHandle<Boolean>> caller : callers) {
                assertThat(resultOf(caller.result()).isSuccess()).isTrue();
            }
        }
        assertThat(order).containsExactlyElementsOf(came);
    }

    @Test
    void laterSubmitterDoesNotOvertakeBlockedOnes() throws Exception {
        try (GroupExecutor executor = blocking(LONG)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            BlockingTask first = BlockingTask.interruptible();
            Caller<TaskHandle<String>> waits = Caller.of(() -> executor.submit("g", "first", first));
            waits.awaitWaiting();
            Caller<TaskHandle<String>> later = blocked(executor, "g", "later");
            blocker.release();
            await(first.started);
            letOthersRun();
            assertThat(later.isDone()).isFalse();
            first.release();
            assertThat(resultOf(waits.result()).value()).isEqualTo("released");
            assertThat(resultOf(later.result()).value()).isEqualTo("later");
        }
    }

    @Test
    void afterMaxBlockTimeTheTaskIsRejectedWithReasonAndWaitingTime() throws Exception {
        Events events = new Events();
        Duration most = Duration.ofMillis(30);
        try (GroupExecutor executor = blocking(most, b -> b.taskLifecycleListener(events))) {
            BlockingTask.in(executor, "g");
            TaskHandle<String> handle = executor.submit("g", "t", () -> "ran");
            assertThat(handle.isDone()).isTrue();
            Rejection rejection = catchThrowableOfType(RejectedTaskException.class, handle::await)
                    .rejection();
            assertThat(rejection.waited()).isGreaterThanOrEqualTo(most);
            assertThat(TestKit.withoutEstimate(rejection))
                    .isEqualTo(new Rejection(RejectionReason.GROUP_QUEUE_FULL, 1, 0, 1, 0, rejection.waited()));
            assertThat(events.of("g/t")).containsExactly("submitted", "rejected");
        }
    }

    @Test
    void submitterThatGaveUpDoesNotBlockTheNext() throws Exception {
        try (GroupExecutor executor = blocking(LONG)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            Caller<Boolean> first = Caller.of(() -> {
                executor.submit("g", "first", () -> "ran");
                return Thread.interrupted();
            });
            first.awaitWaiting();
            Caller<TaskHandle<String>> second = blocked(executor, "g", "second");
            first.interruptWhenWaiting();
            assertThat(first.result()).isTrue();
            assertThat(second.isDone()).isFalse();
            blocker.release();
            assertThat(resultOf(second.result()).value()).isEqualTo("second");
        }
    }

    @Test
    void interruptedSubmitterIsRejectedAndKeepsItsInterruptFlag() throws Exception {
        try (GroupExecutor executor = blocking(LONG)) {
            BlockingTask.in(executor, "g");
            Caller<TaskHandle<String>> caller = Caller.of(() -> {
                TaskHandle<String> handle = executor.submit("g", "t", () -> "ran");
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                return handle;
            });
            caller.interruptWhenWaiting();
            RejectedTaskException e = catchThrowableOfType(RejectedTaskException.class, caller.result()::await);
            assertThat(e.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
            assertThat(executor.stats().counts().rejected()).isEqualTo(1);
        }
    }

    @Test
    void interruptedSubmitterIsAdmittedWhileThereIsRoom() throws Exception {
        try (GroupExecutor executor = blocking(LONG)) {
            Caller<TaskHandle<String>> caller = Caller.of(() -> {
                Thread.currentThread().interrupt();
                return executor.submit("g", "t", () -> "ran");
            });
            assertThat(resultOf(caller.result()).value()).isEqualTo("ran");
        }
    }

    @Test
    void zeroMaxBlockTimeRejectsAtOnce() {
        try (GroupExecutor executor = blocking(Duration.ZERO)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> executor.submit("g", "t", () -> "ran").await())
                    .matches(e -> e.reason() == RejectionReason.GROUP_QUEUE_FULL);
            blocker.release();
            eventually(() -> assertThat(CurrentStats.of(executor).active()).isZero());
            assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
        }
    }

    @Test
    void submitBlocksOnAFullGlobalQueueUntilAnyGroupMakesRoom() throws Exception {
        try (GroupExecutor executor = blocking(LONG, b -> b.globalMaxInFlight(1).globalQueueThreshold(0))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            Caller<TaskHandle<String>> other = blocked(executor, "b", "other");
            Caller<TaskHandle<String>> third = blocked(executor, "c", "third");
            blocker.release();
            assertThat(resultOf(other.result()).value()).isEqualTo("other");
            assertThat(resultOf(third.result()).value()).isEqualTo("third");
        }
    }

    @Test
    void rejectionAfterBlockingNamesTheGlobalQueue() {
        try (GroupExecutor executor =
                blocking(Duration.ofMillis(20), b -> b.globalMaxInFlight(1).globalQueueThreshold(0))) {
            BlockingTask.in(executor, "a");
            TaskHandle<String> handle = executor.submit("b", "t", () -> "ran");
            Rejection rejection = catchThrowableOfType(RejectedTaskException.class, handle::await)
                    .rejection();
            assertThat(TestKit.withoutEstimate(rejection))
                    .isEqualTo(new Rejection(RejectionReason.GLOBAL_QUEUE_FULL, 1, 0, 1, 0, rejection.waited()));
            assertThat(rejection.waited()).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, 2})
    void blockedSubmittersDoNotDelayAnotherGroup(int globalLimit) throws Exception {
        try (GroupExecutor executor = blocking(LONG, b -> b.globalMaxInFlight(globalLimit))) {
            BlockingTask blocker = BlockingTask.in(executor, "stuck");
            Caller<TaskHandle<String>> stuck = blocked(executor, "stuck", "t");
            Caller<GroupResult<String>> free = Caller.of(() -> resultOf(executor.submit("free", "t", () -> "ran")));
            assertThat(free.result().value()).isEqualTo("ran");
            assertThat(stuck.isDone()).isFalse();
            blocker.release();
            assertThat(resultOf(stuck.result()).value()).isEqualTo("t");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shutdownIsThrownToBlockedSubmitters(boolean drain) throws Exception {
        GroupExecutor executor = blocking(LONG);
        BlockingTask blocker = BlockingTask.in(executor, "g");
        List<Caller<TaskHandle<String>>> callers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            callers.add(blocked(executor, "g", "t" + i));
        }
        Caller<Boolean> closing = Caller.of(() -> {
            if (drain) {
                return executor.shutdown(LONG);
            }
            executor.shutdown();
            return true;
        });
        for (Caller<TaskHandle<String>> caller : callers) {
            assertThatThrownBy(caller::result).hasCauseInstanceOf(ExecutorShutdownException.class);
        }
        blocker.release();
        assertThat(closing.result()).isTrue();
        assertThat(executor.stats().counts().rejectedByReason()).containsOnly(Map.entry(RejectionReason.SHUT_DOWN, 3L));
    }

    @Test
    void raisedLimitsAdmitBlockedSubmitters() throws Exception {
        try (GroupExecutor executor = blocking(LONG, b -> b.globalMaxInFlight(3).globalQueueThreshold(0))) {
            BlockingTask.in(executor, "g");
            Caller<TaskHandle<String>> one = blocked(executor, "g", "one");
            executor.setMaxConcurrency("g", 2);
            assertThat(resultOf(one.result()).value()).isEqualTo("one");
            executor.setMaxConcurrency("g", 1);
            Caller<TaskHandle<String>> two = blocked(executor, "g", "two");
            executor.setQueueThreshold("g", 1);
            two.result();
            BlockingTask.in(executor, "h");
            BlockingTask.in(executor, "i");
            Caller<TaskHandle<String>> three = blocked(executor, "j", "three");
            executor.setGlobalMaxInFlight(5);
            assertThat(resultOf(three.result()).value()).isEqualTo("three");
        }
    }

    @Test
    void resumeAdmitsBlockedSubmitters() throws Exception {
        try (GroupExecutor executor = blocking(LONG)) {
            executor.pauseGroup("g");
            Caller<TaskHandle<String>> one = blocked(executor, "g", "one");
            Caller<TaskHandle<String>> two = blocked(executor, "g", "two");
            executor.resumeGroup("g");
            assertThat(resultOf(one.result()).value()).isEqualTo("one");
            assertThat(resultOf(two.result()).value()).isEqualTo("two");
        }
    }

    @Test
    void cancelledQueuedTaskAdmitsOneBlockedSubmitter() throws Exception {
        try (GroupExecutor executor = blocking(LONG, b -> b.defaultQueueThresholdPerGroup(1))) {
            BlockingTask.in(executor, "g");
            TaskHandle<String> waiting = executor.submit("g", "waiting", () -> "ran");
            Caller<TaskHandle<String>> one = blocked(executor, "g", "one");
            Caller<TaskHandle<String>> two = blocked(executor, "g", "two");
            assertThat(waiting.cancel(false)).isTrue();
            assertThat(one.result().isDone()).as("it is queued").isFalse();
            letOthersRun();
            assertThat(two.isDone()).isFalse();
        }
    }

    @Test
    void shutdownGroupAdmitsBlockedSubmitters() throws Exception {
        try (GroupExecutor executor = blocking(LONG)) {
            BlockingTask.in(executor, "g");
            Caller<TaskHandle<String>> one = blocked(executor, "g", "one");
            executor.shutdownGroup("g");
            assertThat(resultOf(one.result()).value()).isEqualTo("one");
        }
    }

    @Test
    void acquireBlocksLikeSubmit() throws Exception {
        try (GroupExecutor executor = blocking(LONG)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            Caller<Permit> permit = Caller.of(() -> executor.acquire("g"));
            permit.awaitWaiting();
            Caller<TaskHandle<String>> behind = blocked(executor, "g", "behind");
            blocker.release();
            try (Permit held = permit.result()) {
                letOthersRun();
                assertThat(behind.isDone()).isFalse();
                assertThat(held.groupKey()).isEqualTo("g");
            }
            assertThat(resultOf(behind.result()).value()).isEqualTo("behind");
        }
    }

    @Test
    void acquireIsRejectedAfterMaxBlockTime() {
        try (GroupExecutor executor = blocking(Duration.ofMillis(20))) {
            BlockingTask.in(executor, "g");
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> executor.acquire("g"))
                    .matches(e -> e.reason() == RejectionReason.GROUP_QUEUE_FULL);
        }
    }

    @Test
    void tryAcquireBlocksNoLongerThanItsTimeout() throws Exception {
        try (GroupExecutor executor = blocking(LONG)) {
            BlockingTask.in(executor, "g");
            Rejection rejection =
                    executor.tryAcquire("g", Duration.ofMillis(10)).rejection(); // would block here
            assertThat(rejection.reason()).isEqualTo(RejectionReason.EXPIRED);
            assertThat(rejection.waited()).isPositive();
            assertThat(executor.stats().counts().rejectedByReason()).isEqualTo(Map.of(RejectionReason.EXPIRED, 1L));
        }
    }

    @Test
    void tryAcquireWithoutTimeoutIsRejectedByAFullQueue() throws Exception {
        try (GroupExecutor executor = blocking(LONG)) {
            BlockingTask.in(executor, "g");
            assertThat(executor.tryAcquire("g", Duration.ZERO).rejection().reason())
                    .isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
        }
    }

    @Test
    void interruptedAcquireThrows() throws Exception {
        try (GroupExecutor executor = blocking(LONG)) {
            BlockingTask.in(executor, "g");
            Caller<Boolean> caller = Caller.of(() -> {
                assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> executor.acquire("g"));
                return Thread.interrupted();
            });
            caller.interruptWhenWaiting();
            assertThat(caller.result()).isFalse();
            assertThat(executor.stats().counts())
                    .as("the request has one outcome")
                    .isEqualTo(new TaskCounts(2, 0, 0, 1, 0, 0, Map.of()));
        }
    }

    /** In each round one permit is released for one blocked submitter. A lost wake-up would block it for ever. */
    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, 1})
    void everyBlockedSubmitterIsWoken(int globalLimit) throws Exception {
        String other = globalLimit == 1 ? "b" : "a";
        try (GroupExecutor executor =
                blocking(LONG, b -> b.globalMaxInFlight(globalLimit).globalQueueThreshold(0))) {
            for (int round = 0; round < 3000; round++) {
                BlockingTask blocker = BlockingTask.in(executor, "a");
                Caller<GroupResult<String>> caller =
                        Caller.of(() -> executor.submit(other, "t", () -> "ran").await());
                while (!caller.isDone() && !caller.isWaiting()) {
                    TestKit.yieldToOthers();
                }
                blocker.release();
                assertThat(caller.result().value()).isEqualTo("ran");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, 2})
    void manyBlockedSubmittersAreAllAdmittedWithinTheLimits(int globalLimit) throws Exception {
        int threads = 12;
        int each = 300;
        Peak peak = new Peak();
        AtomicInteger ran = new AtomicInteger();
        try (GroupExecutor executor = blocking(
                LONG,
                b -> b.globalMaxInFlight(globalLimit)
                        .globalQueueThreshold(1)
                        .defaultQueueThresholdPerGroup(1)
                        .idleGroupTtl(Duration.ZERO))) {
            List<Caller<List<TaskHandle<Integer>>>> callers = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                String group = "g" + t % 3;
                callers.add(Caller.of(() -> {
                    List<TaskHandle<Integer>> handles = new ArrayList<>();
                    for (int i = 0; i < each; i++) {
                        handles.add(executor.submit(group, "t", () -> peak.during(ran::incrementAndGet)));
                    }
                    return handles;
                }));
            }
            for (Caller<List<TaskHandle<Integer>>> caller : callers) {
                assertThat(caller.result())
                        .allSatisfy(h -> assertThat(resultOf(h).isSuccess()).isTrue());
            }
            assertThat(ran).hasValue(threads * each);
            assertThat(peak.most()).isLessThanOrEqualTo(Math.min(3, globalLimit));
            eventually(
                    () -> assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(0, 0, 0, 0, globalLimit)));
        }
    }

    @Test
    void handlerOverridesBlock() {
        RejectionHandler handler = new RejectionHandler() {
            @Override
            public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                return GroupResult.success(groupKey, taskId, null, 0, 0);
            }
        };
        try (GroupExecutor executor = blocking(LONG, b -> b.rejectionHandler(handler))) {
            BlockingTask.in(executor, "g");
            assertThat(resultOf(executor.submit("g", "t", () -> "ran")).isSuccess())
                    .isTrue(); // would block here
        }
    }
}
