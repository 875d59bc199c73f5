package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import io.github.kobe.TestKit.Events;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does a permit of a calling thread count like the permit of a task? */
@Timeout(60)
class PermitTest {

    private static final int NO_LIMIT = Integer.MAX_VALUE;

    private static Caller<Permit> waiting(GroupExecutor executor, String group) {
        Caller<Permit> caller = Caller.of(() -> executor.acquire(group));
        caller.awaitWaiting();
        return caller;
    }

    private static TaskCounts counts(GroupExecutor executor) {
        return executor.stats().counts();
    }

    private static TaskCounts counts(long submitted, long succeeded, long failed, long cancelled) {
        return new TaskCounts(submitted, succeeded, failed, cancelled, 0, 0, Map.of());
    }

    private static TaskCounts expired(long submitted, long succeeded, long expired) {
        return new TaskCounts(submitted, succeeded, 0, 0, 0, 0, Map.of(RejectionReason.EXPIRED, expired));
    }

    // ---- limits --------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 7})
    void permitCountsAsActiveUntilClosed(int globalLimit) throws Exception {
        try (GroupExecutor executor =
                executor(b -> b.defaultMaxConcurrencyPerGroup(2).globalMaxInFlight(globalLimit))) {
            Permit permit = executor.acquire("g");
            assertThat(permit.groupKey()).isEqualTo("g");
            assertThat(permit).hasToString("permit of group 'g'");
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(1, 1, 0, 1, globalLimit));
            permit.close();
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(1, 0, 0, 0, globalLimit));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 7})
    void taskIsQueuedBehindAPermit(int globalLimit) throws Exception {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(globalLimit))) {
            Permit permit = executor.acquire("g");
            TaskHandle<String> task = executor.submit("g", "t", () -> "ran");
            letOthersRun();
            assertThat(task.isDone()).isFalse();
            permit.close();
            assertThat(resultOf(task).value()).isEqualTo("ran");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 7})
    void acquireWaitsForATask(int globalLimit) throws Exception {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(globalLimit))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            Caller<Permit> caller = waiting(executor, "g");
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(1, 1, 1, 1, globalLimit));
            blocker.release();
            caller.result().close();
        }
    }

    @Test
    void acquireWaitsForTheGlobalLimit() throws Exception {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(1))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            Caller<Permit> caller = waiting(executor, "b");
            blocker.release();
            Permit permit = caller.result();
            TaskHandle<String> task = executor.submit("a", "t", () -> "ran");
            letOthersRun();
            assertThat(task.isDone()).isFalse();
            permit.close();
            assertThat(resultOf(task).value()).isEqualTo("ran");
        }
    }

    @Test
    void tasksAndAcquirersShareOneQueue() throws Exception {
        Queue<String> order = new ConcurrentLinkedQueue<>();
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            TaskHandle<Boolean> before = executor.submit("g", "before", () -> order.add("before"));
            Caller<String> permit = Caller.of(() -> executor.call("g", () -> {
                order.add("permit");
                return "called";
            }));
            eventually(() -> assertThat(CurrentStats.of(executor).queued()).isEqualTo(2));
            TaskHandle<Boolean> after = executor.submit("g", "after", () -> order.add("after"));
            blocker.release();
            assertThat(permit.result()).isEqualTo("called");
            resultOf(before);
            resultOf(after);
        }
        assertThat(order).containsExactly("before", "permit", "after");
    }

    @Test
    void weightsApplyToTasksAndAcquirersAlike() throws Exception {
        Queue<String> order = new ConcurrentLinkedQueue<>();
        List<Caller<Boolean>> callers = new ArrayList<>();
        List<TaskHandle<Boolean>> tasks = new ArrayList<>();
        try (GroupExecutor executor = executor(
                b -> b.globalMaxInFlight(1).defaultMaxConcurrencyPerGroup(50).perGroupWeight(Map.of("threads", 3)))) {
            BlockingTask blocker = BlockingTask.in(executor, "first");
            for (int i = 0; i < 12; i++) {
                callers.add(Caller.of(() -> executor.call("threads", () -> order.add("p"))));
            }
            eventually(() -> assertThat(CurrentStats.of(executor).queued()).isEqualTo(12));
            for (int i = 0; i < 12; i++) {
                tasks.add(executor.submit("tasks", "t", () -> order.add("t")));
            }
            blocker.release();
            for (Caller<Boolean> caller : callers) {
                assertThat(caller.result()).isTrue();
            }
            tasks.forEach(TestKit::resultOf);
        }
        assertThat(String.join("", order)).isEqualTo("pppt".repeat(4) + "t".repeat(8));
    }

    // ---- closing a permit -------------------------------------------------------------------------------------------

    @Test
    void closingTwiceReleasesOnePermit() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            Permit permit = executor.acquire("g");
            permit.close();
            BlockingTask.in(executor, "g");
            permit.close();
            TaskHandle<String> task = executor.submit("g", "t", () -> "ran");
            letOthersRun();
            assertThat(task.isDone()).isFalse();
            assertThat(counts(executor).succeeded()).isEqualTo(1);
        }
    }

    @Test
    void anotherThreadMayCloseThePermit() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            Permit permit = executor.acquire("g");
            Caller<Boolean> other = Caller.of(() -> {
                permit.close();
                return true;
            });
            assertThat(other.result()).isTrue();
            assertThat(executor.tryAcquire("g", Duration.ZERO).isGranted()).isTrue();
        }
    }

    @Test
    void concurrentClosesReleaseOnePermit() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            for (int round = 0; round < 200; round++) {
                Permit permit = executor.acquire("g");
                CountDownLatch go = new CountDownLatch(1);
                Runnable closing = () -> {
                    await(go);
                    permit.close();
                };
                List<Thread> closers = List.of(Thread.startVirtualThread(closing), Thread.startVirtualThread(closing));
                go.countDown();
                for (Thread closer : closers) {
                    closer.join();
                }
                assertThat(CurrentStats.of(executor).active()).isZero();
                assertThat(executor.groupStats("g").orElseThrow().counts().succeeded())
                        .isEqualTo(round + 1);
            }
        }
    }

    // ---- tryAcquire -------------------------------------------------------------------------------------------------

    @Test
    void tryAcquireWithoutTimeoutTakesAFreePermit() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            Permit permit = executor.tryAcquire("g", Duration.ZERO).permit();
            assertThat(Caller.of(() -> executor.tryAcquire("g", Duration.ZERO))
                            .result()
                            .isGranted())
                    .isFalse();
            assertThat(CurrentStats.of(executor))
                    .as("it has left the queue")
                    .isEqualTo(new CurrentStats(1, 1, 0, 1, NO_LIMIT));
            permit.close();
            assertThat(executor.tryAcquire("g", Duration.ZERO).isGranted()).isTrue();
        }
    }

    @Test
    void tryAcquireDoesNotOvertakeTheQueue() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            executor.pauseGroup("g");
            executor.submit("g", "t", BlockingTask.interruptible());
            executor.resumeGroup("g");
            assertThat(executor.tryAcquire("g", Duration.ZERO).isGranted()).isFalse();
        }
    }

    @Test
    void tryAcquireLeavesTheQueueAtItsTimeout() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            PermitResult result = executor.tryAcquire("g", Duration.ofMillis(20));
            assertThat(result.isGranted()).isFalse();
            assertThat(result.rejection().waited()).isPositive();
            assertThat(TestKit.withoutEstimate(result.rejection()))
                    .isEqualTo(new Rejection(
                            RejectionReason.EXPIRED,
                            1,
                            0,
                            1,
                            NO_LIMIT,
                            result.rejection().waited()));
            assertThat(CurrentStats.of(executor).queued()).isZero();
            assertThat(counts(executor)).as("it is not counted as cancelled").isEqualTo(expired(2, 0, 1));
            blocker.release();
            eventually(() -> assertThat(CurrentStats.of(executor).active()).isZero());
        }
    }

    @Test
    void tryAcquireGetsAPermitReleasedBeforeItsTimeout() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            Caller<Permit> caller =
                    Caller.of(() -> executor.tryAcquire("g", TestKit.PATIENCE).permit());
            caller.awaitWaiting();
            blocker.release();
            caller.result().close();
        }
    }

    @Test
    void tryAcquireReturnsTheRejectionIfTheQueueIsFull() throws Exception {
        try (GroupExecutor executor = executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            BlockingTask.in(executor, "g");
            PermitResult result = executor.tryAcquire("g", TestKit.PATIENCE);
            Rejection full = new Rejection(RejectionReason.GROUP_QUEUE_FULL, 1, 0, 1, 0, Duration.ZERO);
            assertThat(result.isGranted()).isFalse();
            assertThat(TestKit.withoutEstimate(result.rejection())).isEqualTo(full);
            RejectedTaskException e = catchThrowableOfType(RejectedTaskException.class, result::permit);
            assertThat(e.groupKey()).isEqualTo("g");
            assertThat(e.rejection()).isEqualTo(result.rejection());
            assertThat(counts(executor).rejectedByReason())
                    .containsOnly(Map.entry(RejectionReason.GROUP_QUEUE_FULL, 1L));
        }
    }

    // ---- interruption --------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(strings = {"acquire", "tryAcquire", "call"})
    void interruptedAcquireThrowsAndLeavesTheQueue(String how) throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask.in(executor, "g");
            Caller<Boolean> caller = Caller.of(() -> {
                assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> get(executor, how));
                return Thread.interrupted();
            });
            caller.interruptWhenWaiting();
            assertThat(caller.result())
                    .as("interrupt flag after InterruptedException")
                    .isFalse();
            assertThat(CurrentStats.of(executor).queued()).isZero();
            assertThat(counts(executor)).isEqualTo(counts(2, 0, 0, 1));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"acquire", "tryAcquire", "call"})
    void interruptedThreadGetsNoFreePermit(String how) throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            Caller<Boolean> caller = Caller.of(() -> {
                Thread.currentThread().interrupt();
                assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> get(executor, how));
                return Thread.interrupted();
            });
            assertThat(caller.result()).isFalse();
            assertThat(CurrentStats.of(executor).active()).isZero();
        }
    }

    private static void get(GroupExecutor executor, String how) throws Exception {
        switch (how) {
            case "acquire" -> executor.acquire("g");
            case "tryAcquire" -> executor.tryAcquire("g", TestKit.PATIENCE).permit();
            default -> executor.call("g", () -> "called");
        }
    }

    // ---- rejection --------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(strings = {"acquire", "call"})
    void acquireIsRejectedWithTheNumbersIfTheQueueIsFull(String how) {
        try (GroupExecutor executor = executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            BlockingTask.in(executor, "g");
            RejectedTaskException e = catchThrowableOfType(RejectedTaskException.class, () -> get(executor, how));
            assertThat(e.groupKey()).isEqualTo("g");
            assertThat(TestKit.withoutEstimate(e.rejection()))
                    .isEqualTo(new Rejection(RejectionReason.GROUP_QUEUE_FULL, 1, 0, 1, 0, Duration.ZERO));
            assertThat(counts(executor))
                    .isEqualTo(new TaskCounts(2, 0, 0, 0, 0, 0, Map.of(RejectionReason.GROUP_QUEUE_FULL, 1L)));
        }
    }

    @Test
    void acquireIsRejectedIfTheGlobalQueueIsFull() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(1).globalQueueThreshold(0))) {
            BlockingTask.in(executor, "other");
            RejectedTaskException e = catchThrowableOfType(RejectedTaskException.class, () -> executor.acquire("g"));
            assertThat(e.reason()).isEqualTo(RejectionReason.GLOBAL_QUEUE_FULL);
        }
    }

    @Test
    void pausedGroupGrantsNoPermit() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            executor.pauseGroup("g");
            assertThat(executor.tryAcquire("g", Duration.ZERO).isGranted()).isFalse();
            Caller<Permit> caller = waiting(executor, "g");
            executor.resumeGroup("g");
            caller.result().close();
            executor.pauseGroup("g");
            executor.setQueueThreshold("g", 0);
            RejectedTaskException e = catchThrowableOfType(RejectedTaskException.class, () -> executor.acquire("g"));
            assertThat(e.reason()).isEqualTo(RejectionReason.PAUSED);
        }
    }

    // ---- shutdown ------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(strings = {"acquire", "tryAcquire", "call"})
    void shutdownEndsTheWaitOfAcquirers(String how) throws Exception {
        GroupExecutor executor = executor(b -> b.name("orders"));
        BlockingTask.in(executor, "g");
        Caller<ExecutorShutdownException> caller =
                Caller.of(() -> catchThrowableOfType(ExecutorShutdownException.class, () -> get(executor, how)));
        caller.awaitWaiting();
        executor.shutdown();
        assertThat(caller.result())
                .hasMessage(
                        "group executor 'orders' is shut down, and did not accept a request for a permit of group 'g'");
    }

    @Test
    void drainWaitsForAHeldPermit() throws Exception {
        GroupExecutor executor = executor(b -> b);
        Permit permit = executor.acquire("g");
        Caller<Boolean> drain = Caller.of(() -> executor.shutdown(TestKit.PATIENCE));
        drain.awaitWaiting();
        letOthersRun();
        assertThat(drain.isDone()).isFalse();
        permit.close();
        assertThat(drain.result()).isTrue();
    }

    @Test
    void drainGrantsPermitsToQueuedAcquirers() throws Exception {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.in(executor, "g");
        Caller<Permit> caller = waiting(executor, "g");
        Caller<Boolean> drain = Caller.of(() -> executor.shutdown(TestKit.PATIENCE));
        drain.awaitWaiting();
        blocker.release();
        caller.result().close();
        assertThat(drain.result()).isTrue();
    }

    @Test
    void shutdownDoesNotAffectHeldPermits() throws Exception {
        GroupExecutor executor = executor(b -> b.globalMaxInFlight(3));
        Caller<Boolean> holder = Caller.of(() -> {
            try (Permit permit = executor.acquire("g")) {
                executor.shutdown();
                assertThat(executor.shutdown(Duration.ZERO))
                        .as("one permit is still held")
                        .isFalse();
                return permit != null && Thread.currentThread().isInterrupted();
            }
        });
        assertThat(holder.result()).isFalse();
        assertThat(executor.shutdown(TestKit.PATIENCE)).as("no permit is held").isTrue();
    }

    @Test
    void shutdownGroupRejectsWaitingAcquirers() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            Permit held = executor.acquire("g");
            Caller<RejectedTaskException> caller =
                    Caller.of(() -> catchThrowableOfType(RejectedTaskException.class, () -> executor.acquire("g")));
            caller.awaitWaiting();
            executor.shutdownGroup("g");
            assertThat(caller.result().reason()).isEqualTo(RejectionReason.SHUT_DOWN);
            held.close();
            executor.acquire("g").close();
        }
    }

    // ---- call ----------------------------------------------------------------------------------------------------

    @Test
    void callRunsOnTheCallingThreadWithAPermitAndReturnsTheValue() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            Thread caller = Thread.currentThread();
            String value = executor.call("g", () -> {
                assertThat(Thread.currentThread()).isSameAs(caller);
                assertThat(CurrentStats.of(executor).active()).isEqualTo(1);
                return "value";
            });
            assertThat(value).isEqualTo("value");
            assertThat(executor.<String>call("g", () -> null)).isNull();
            assertThat(CurrentStats.of(executor).active()).isZero();
            assertThat(counts(executor)).isEqualTo(counts(2, 2, 0, 0));
        }
    }

    @Test
    void callRethrowsAndReleasesThePermit() {
        try (GroupExecutor executor = executor(b -> b)) {
            for (Throwable fault : List.of(new IOException("on purpose"), new StackOverflowError("on purpose"))) {
                assertThatExceptionOfType(fault.getClass())
                        .isThrownBy(() -> executor.call("g", () -> {
                            if (fault instanceof Error error) {
                                throw error;
                            }
                            throw (Exception) fault;
                        }))
                        .isSameAs(fault);
                assertThat(CurrentStats.of(executor).active()).isZero();
            }
            assertThat(counts(executor)).isEqualTo(counts(2, 0, 2, 0));
        }
    }

    @Test
    void interruptedCallCountsAsCancelled() {
        try (GroupExecutor executor = executor(b -> b)) {
            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(() -> executor.call("g", () -> {
                        throw new InterruptedException("on purpose");
                    }));
            assertThatExceptionOfType(CancellationException.class)
                    .isThrownBy(() -> executor.call("g", () -> {
                        throw new CancellationException("on purpose");
                    }));
            assertThat(counts(executor)).isEqualTo(counts(2, 0, 0, 2));
        }
    }

    @Test
    void callUnderCallerRunsRunsWithoutAPermitIfTheQueueIsFull() throws Exception {
        try (GroupExecutor executor =
                executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.CALLER_RUNS))) {
            BlockingTask.in(executor, "g");
            assertThat(executor.call("g", () -> CurrentStats.of(executor).active()))
                    .isEqualTo(1);
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> executor.call("g", () -> {
                        throw new IOException("on purpose");
                    }));
            assertThat(counts(executor)).as("each has one outcome").isEqualTo(counts(3, 1, 1, 0));
        }
    }

    @Test
    void callUnderCallerRunsDoesNotRunAfterAShutdown() {
        GroupExecutor executor = executor(b -> b.rejectionPolicy(RejectionPolicy.CALLER_RUNS));
        executor.shutdown();
        AtomicBoolean ran = new AtomicBoolean();
        assertThatExceptionOfType(ExecutorShutdownException.class)
                .isThrownBy(() -> executor.call("g", () -> ran.getAndSet(true)));
        assertThat(ran).isFalse();
    }

    // ---- statistics -------------------------------------------------------------------------------------------------

    @Test
    void statisticsCountPermitsLikeTasks() throws Exception {
        try (GroupExecutor executor = executor(b -> b.recordTimes(true))) {
            Permit permit = executor.acquire("g");
            assertThat(counts(executor)).isEqualTo(counts(1, 0, 0, 0));
            assertThat(Caller.of(() -> executor.tryAcquire("g", Duration.ZERO))
                            .result()
                            .isGranted())
                    .isFalse();
            Caller<Permit> caller = waiting(executor, "g");
            assertThat(executor.groupStats("g").orElseThrow().oldestWaiting()).isPositive();
            permit.close();
            caller.result().close();
            GroupStats stats = executor.groupStats("g").orElseThrow();
            assertThat(stats.counts()).isEqualTo(expired(3, 2, 1));
            assertThat(stats.waitingTime().count()).isEqualTo(2);
            assertThat(stats.runningTime().count()).isEqualTo(2);
            assertThat(stats.waitingTime().max()).isPositive();
            assertThat(stats.oldestWaiting()).isZero();
        }
    }

    @Test
    void listenersAreNotNotifiedUnlessAskedFor() throws Exception {
        Events events = new Events();
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(events))) {
            executor.acquire("g").close();
            executor.call("g", () -> "called");
        }
        assertThat(events.isEmpty()).isTrue();
    }

    @Test
    void invalidArgumentsThrowWithTheirNames() {
        try (GroupExecutor executor = executor(b -> b)) {
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.acquire(null))
                    .withMessage("groupKey");
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.tryAcquire(null, Duration.ZERO))
                    .withMessage("groupKey");
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.tryAcquire("g", (Duration) null))
                    .withMessage("timeout");
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.call(null, () -> 1))
                    .withMessage("groupKey");
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.call("g", (Callable<String>) null))
                    .withMessage("task");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> executor.tryAcquire("g", Duration.ofMillis(-1)))
                    .withMessageContaining("timeout")
                    .withMessageContaining("PT-0.001S");
        }
    }
}
