package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.CurrentStats;
import io.github.kobe.TestKit.Events;
import io.github.kobe.internal.group.ExecutorName;
import io.github.kobe.internal.group.GroupEngine;
import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Does the future of a permit get it or withdraw the request, whatever happens at the same moment? */
@Timeout(60)
class PermitAsyncTest {

    private static final int NO_LIMIT = Integer.MAX_VALUE;

    private static Permit permitOf(CompletableFuture<Permit> future) throws Exception {
        return future.get(TestKit.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static RejectedTaskException rejectionOf(CompletableFuture<Permit> future) {
        ExecutionException e = catchThrowableOfType(ExecutionException.class, () -> permitOf(future));
        return (RejectedTaskException) e.getCause();
    }

    private static TaskCounts counts(long submitted, long succeeded, long cancelled) {
        return new TaskCounts(submitted, succeeded, 0, cancelled, 0, 0, Map.of());
    }

    // ---- granted -------------------------------------------------------------------------------------------------

    @Test
    void futureOfAFreePermitIsCompleteAtOnce() {
        try (GroupExecutor executor = executor(b -> b)) {
            CompletableFuture<Permit> future = executor.acquireAsync("g");
            assertThat(future).isCompleted();
            assertThat(CurrentStats.of(executor).active()).isEqualTo(1);
            future.join().close();
            assertThat(CurrentStats.of(executor).active()).isZero();
            assertThat(executor.stats().counts()).isEqualTo(counts(1, 1, 0));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 1})
    void futureCompletesWhenThePermitIsReleased(int globalLimit) throws Exception {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(globalLimit))) {
            Permit first = executor.acquire("g");
            CompletableFuture<Permit> future = executor.acquireAsync("g");
            TaskHandle<String> behind = executor.submit("g", "behind", () -> "ran");
            assertThat(future).isNotDone();
            assertThat(CurrentStats.of(executor).queued()).isEqualTo(2);
            first.close();
            Permit second = permitOf(future);
            assertThat(second.groupKey()).isEqualTo("g");
            letOthersRun();
            assertThat(behind.isDone()).as("the task is behind the request").isFalse();
            second.close();
            assertThat(resultOf(behind).value()).isEqualTo("ran");
        }
    }

    @Test
    void dependentStagesDoNotRunOnTheReleasingThread() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            Permit first = executor.acquire("g");
            AtomicReference<Thread> ranOn = new AtomicReference<>();
            CountDownLatch goOn = new CountDownLatch(1);
            CompletableFuture<Void> dependent = executor.acquireAsync("g").thenAccept(permit -> {
                ranOn.set(Thread.currentThread());
                await(goOn);
                permit.close();
            });
            first.close(); // returns while the dependent stage blocks
            goOn.countDown();
            dependent.get(TestKit.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(ranOn.get()).isNotSameAs(Thread.currentThread());
            assertThat(ranOn.get().isVirtual()).isTrue();
        }
    }

    @Test
    void permitOfAFutureIsNotSharedWithThePermitsOfTheCallingThread() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            try (Permit held = executor.acquire("g")) {
                CompletableFuture<Permit> future = executor.acquireAsync("g");
                assertThat(future).isNotDone();
                assertThat(held.groupKey()).isEqualTo("g");
                assertThat(future.cancel(false)).isTrue();
            }
            try (Permit async = permitOf(executor.acquireAsync("g"))) {
                assertThat(executor.holds("g")).isFalse();
                assertThat(executor.tryAcquire("g", Duration.ZERO).isGranted()).isFalse();
                assertThat(async.groupKey()).isEqualTo("g");
            }
        }
    }

    @Test
    void requestsGetTheirPermitsByPriority() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            Permit first = executor.acquire("g");
            CompletableFuture<Permit> low = executor.acquireAsync("g");
            CompletableFuture<Permit> high = executor.acquireAsync(
                    "g", PermitOptions.builder().priority(1).build());
            first.close();
            Permit second = permitOf(high);
            letOthersRun();
            assertThat(low).isNotDone();
            second.close();
            permitOf(low).close();
        }
    }

    @Test
    void drainGrantsPermitsToQueuedRequests() throws Exception {
        GroupExecutor executor = executor(b -> b);
        Permit first = executor.acquire("g");
        CompletableFuture<Void> used = executor.acquireAsync("g").thenAccept(Permit::close);
        TestKit.Caller<Boolean> drain = TestKit.Caller.of(() -> executor.shutdown(TestKit.PATIENCE));
        drain.awaitWaiting();
        first.close();
        assertThat(drain.result()).isTrue();
        used.get(TestKit.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    // ---- cancelled -----------------------------------------------------------------------------------------------

    static Stream<Consumer<CompletableFuture<Permit>>> waysToGiveUp() {
        return Stream.of(
                future -> assertThat(future.cancel(false)).isTrue(),
                future -> assertThat(future.completeExceptionally(new IllegalStateException("on purpose")))
                        .isTrue(),
                future -> assertThat(future.complete(null)).isTrue());
    }

    @ParameterizedTest
    @MethodSource("waysToGiveUp")
    void givingUpWithdrawsTheRequest(Consumer<CompletableFuture<Permit>> giveUp) throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            Permit first = executor.acquire("g");
            CompletableFuture<Permit> future = executor.acquireAsync("g");
            giveUp.accept(future);
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(1, 1, 0, 1, NO_LIMIT));
            first.close();
            assertThat(CurrentStats.of(executor).active()).isZero();
            assertThat(executor.stats().counts()).isEqualTo(counts(2, 1, 1));
        }
    }

    @Test
    void futureWithATimeoutWithdrawsTheRequest() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            Permit first = executor.acquire("g");
            CompletableFuture<Permit> future = executor.acquireAsync("g").orTimeout(1, TimeUnit.MILLISECONDS);
            eventually(() -> assertThat(CurrentStats.of(executor).queued()).isZero());
            assertThat(future).isCompletedExceptionally();
            first.close();
            assertThat(CurrentStats.of(executor).active()).isZero();
        }
    }

    @Test
    void cancelAfterTheGrantDoesNotReleaseThePermit() {
        try (GroupExecutor executor = executor(b -> b)) {
            CompletableFuture<Permit> future = executor.acquireAsync("g");
            assertThat(future.cancel(true)).isFalse();
            assertThat(CurrentStats.of(executor).active()).isEqualTo(1);
            future.join().close();
        }
    }

    /** Starts tasks at once, and keeps everything else for the test to run. */
    private static final class HoldingRunner implements TaskRunner {
        private final TaskRunner tasks = TaskRunner.freshVirtualThreads();
        private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();

        @Override
        public void start(Runnable work) {
            if (work instanceof KernelTask<?>) {
                tasks.start(work);
            } else {
                held.add(work);
            }
        }

        void runHeld() {
            for (Runnable work = held.poll(); work != null; work = held.poll()) {
                work.run();
            }
        }
    }

    /** The permit is granted, and the future is cancelled before it gets the permit. */
    @ParameterizedTest
    @MethodSource("waysToGiveUp")
    void permitGrantedAtTheMomentOfTheCancelIsReleased(Consumer<CompletableFuture<Permit>> giveUp) throws Exception {
        HoldingRunner runner = new HoldingRunner();
        try (GroupExecutor executor = SimGroups.of(GroupPolicy.builder().build(), runner, new FakeTimer())) {
            Permit first = executor.acquire("g");
            CompletableFuture<Permit> future = executor.acquireAsync("g");
            TaskHandle<String> next = executor.submit("g", "next", () -> "ran");
            first.close();
            assertThat(CurrentStats.of(executor).active()).as("the grant").isEqualTo(1);
            assertThat(future).isNotDone();
            giveUp.accept(future);
            assertThat(next.isDone()).isFalse();
            runner.runHeld();
            assertThat(resultOf(next).value()).isEqualTo("ran");
            assertThat(executor.stats().counts()).isEqualTo(counts(3, 2, 1));
        }
    }

    /** Grant and cancel race again and again. Exactly one of them wins. */
    @Test
    void permitThatRacesWithACancelIsNotLost() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            AtomicInteger granted = new AtomicInteger();
            int rounds = 3_000;
            for (int i = 0; i < rounds; i++) {
                Permit first = executor.acquire("g");
                CompletableFuture<Permit> future = executor.acquireAsync("g");
                Thread canceller = Thread.startVirtualThread(() -> future.cancel(true));
                first.close();
                canceller.join();
                try {
                    permitOf(future).close();
                    granted.incrementAndGet();
                } catch (CancellationException e) {
                    // then it has no permit
                }
            }
            eventually(() -> assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(1, 0, 0, 0, NO_LIMIT)));
            assertThat(executor.stats().counts())
                    .isEqualTo(counts(2L * rounds, rounds + granted.get(), rounds - granted.get()));
        }
    }

    // ---- maximum wait --------------------------------------------------------------------------------------------

    /** The kernel takes the instant 0 for "never". */
    private static FakeTimer startedTimer() {
        FakeTimer timer = new FakeTimer();
        timer.advance(1);
        return timer;
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 1})
    void futureFailsAsExpiredAfterTheMaxWait(int globalLimit) throws Exception {
        FakeTimer timer = startedTimer();
        GroupPolicy policy =
                GroupPolicy.builder().globalMaxInFlight(globalLimit).build();
        try (GroupExecutor executor = SimGroups.of(policy, TaskRunner.freshVirtualThreads(), timer)) {
            Permit first = executor.acquire("g");
            CompletableFuture<Permit> future = executor.acquireAsync(
                    "g", PermitOptions.builder().maxWait(Duration.ofSeconds(3)).build());
            timer.advance(TimeUnit.SECONDS.toNanos(3) - 1);
            assertThat(CurrentStats.of(executor).queued()).isEqualTo(1);
            timer.advance(1);
            assertThat(TestKit.withoutEstimate(rejectionOf(future).rejection()))
                    .isEqualTo(new Rejection(RejectionReason.EXPIRED, 1, 0, 1, NO_LIMIT, Duration.ofSeconds(3)));
            first.close();
            assertThat(CurrentStats.of(executor).active()).isZero();
            assertThat(executor.stats().counts())
                    .isEqualTo(new TaskCounts(2, 1, 0, 0, 0, 0, Map.of(RejectionReason.EXPIRED, 1L)));
        }
    }

    @Test
    void permitGrantedInTimeStaysGrantedAfterTheMaxWait() throws Exception {
        FakeTimer timer = startedTimer();
        GroupEngine engine = new GroupEngine(
                ExecutorName.of("group executor", "groups", "test"),
                GroupPolicy.builder().idleGroupTtl(Duration.ZERO).build(),
                TaskRunner.freshVirtualThreads(),
                timer);
        try (GroupExecutor executor = new GroupExecutor(engine)) {
            Permit first = executor.acquire("g");
            CompletableFuture<Permit> future = executor.acquireAsync(
                    "g", PermitOptions.builder().maxWait(Duration.ofSeconds(3)).build());
            first.close();
            Permit second = permitOf(future);
            List<KernelTask<?>> listed = new ArrayList<>();
            engine.dispatcher().forEachTask("g", listed::add);
            assertThat(listed).as("tasks that a sweep looks at").isEmpty();
            timer.advance(TimeUnit.MINUTES.toNanos(1));
            assertThat(CurrentStats.of(executor).active()).isEqualTo(1);
            second.close();
            assertThat(executor.stats().counts()).isEqualTo(counts(2, 2, 0));
            assertThat(executor.activeGroupKeys()).isEmpty();
        }
    }

    @Test
    void futureFailsIfTheTimerDoesNotTakeTheMaxWait() throws Exception {
        OutOfMemoryError fault = new OutOfMemoryError("on purpose: unable to create native thread");
        FakeTimer clock = startedTimer();
        Timer failing = new Timer() {
            @Override
            public long nanoTime() {
                return clock.nanoTime();
            }

            @Override
            public void start(TimerEntry entry, long delayNanos) {
                throw fault;
            }

            @Override
            public boolean cancel(TimerEntry entry) {
                return false;
            }
        };
        GroupPolicy policy = GroupPolicy.builder().idleGroupTtl(Duration.ZERO).build();
        try (GroupExecutor executor = SimGroups.of(policy, TaskRunner.freshVirtualThreads(), failing)) {
            Permit first = executor.acquire("g");
            CompletableFuture<Permit> future = executor.acquireAsync(
                    "g", PermitOptions.builder().maxWait(Duration.ofSeconds(3)).build());
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> permitOf(future))
                    .havingCause()
                    .isSameAs(fault);
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(1, 1, 0, 1, NO_LIMIT));
            first.close();
            assertThat(executor.stats().counts()).isEqualTo(new TaskCounts(2, 1, 1, 0, 0, 0, Map.of()));
        }
    }

    @Test
    void maxWaitOfZeroTakesAFreePermitOnly() throws Exception {
        PermitOptions now = PermitOptions.builder().maxWait(Duration.ZERO).build();
        try (GroupExecutor executor = executor(b -> b)) {
            Permit first = permitOf(executor.acquireAsync("g", now));
            assertThat(TestKit.withoutEstimate(
                            rejectionOf(executor.acquireAsync("g", now)).rejection()))
                    .isEqualTo(new Rejection(RejectionReason.EXPIRED, 1, 0, 1, NO_LIMIT, Duration.ZERO));
            first.close();
            assertThat(CurrentStats.of(executor).active()).isZero();
        }
    }

    // ---- rejected ------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(
            value = RejectionPolicy.class,
            names = {"DISCARD_OLDEST"},
            mode = EnumSource.Mode.EXCLUDE)
    void fullQueueRejectsWithoutBlockingUnderEveryPolicyButDiscardOldest(RejectionPolicy policy) throws Exception {
        try (GroupExecutor executor = executor(b -> b.rejectionPolicy(policy).defaultQueueThresholdPerGroup(0))) {
            Permit first = executor.acquire("g");
            CompletableFuture<Permit> future = executor.acquireAsync("g");
            assertThat(future).isCompletedExceptionally();
            assertThat(rejectionOf(future).rejection().reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
            assertThat(rejectionOf(future).rejection().waited()).isZero();
            first.close();
            assertThat(executor.stats().counts())
                    .isEqualTo(new TaskCounts(2, 1, 0, 0, 0, 0, Map.of(RejectionReason.GROUP_QUEUE_FULL, 1L)));
        }
    }

    @Test
    void requestDoesNotOvertakeBlockedSubmitters() throws Exception {
        try (GroupExecutor executor =
                executor(b -> b.rejectionPolicy(RejectionPolicy.BLOCK).defaultQueueThresholdPerGroup(0))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            TestKit.Caller<TaskHandle<String>> blocked =
                    TestKit.Caller.of(() -> executor.submit("g", "t", () -> "ran"));
            blocked.awaitWaiting();
            assertThat(executor.acquireAsync("g")).isCompletedExceptionally();
            blocker.release();
            assertThat(resultOf(blocked.result()).value()).isEqualTo("ran");
        }
    }

    @Test
    void requestDisplacesAndIsDisplacedUnderDiscardOldest() throws Exception {
        try (GroupExecutor executor =
                executor(b -> b.rejectionPolicy(RejectionPolicy.DISCARD_OLDEST).defaultQueueThresholdPerGroup(1))) {
            BlockingTask.in(executor, "g");
            TaskHandle<String> oldest = executor.submit("g", "oldest", () -> "ran");
            CompletableFuture<Permit> future = executor.acquireAsync("g");
            assertThat(resultOf(oldest).status()).isEqualTo(TaskStatus.REJECTED);
            assertThat(future).isNotDone();
            executor.submit("g", "newest", () -> "ran");
            assertThat(rejectionOf(future).reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
        }
    }

    // ---- shutdown ------------------------------------------------------------------------------------------------

    @Test
    void shutdownCompletesTheFutureExceptionally() throws Exception {
        GroupExecutor executor = executor(b -> b);
        Permit first = executor.acquire("g");
        CompletableFuture<Permit> future = executor.acquireAsync("g");
        executor.shutdown();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> permitOf(future))
                .withCauseInstanceOf(ExecutorShutdownException.class);
        first.close();
    }

    @Test
    void shutdownOfTheGroupCompletesTheFutureExceptionally() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            Permit first = executor.acquire("g");
            CompletableFuture<Permit> future = executor.acquireAsync("g");
            executor.shutdownGroup("g");
            assertThat(rejectionOf(future).reason()).isEqualTo(RejectionReason.SHUT_DOWN);
            first.close();
        }
    }

    @Test
    void requestAfterAShutdownThrows() {
        GroupExecutor executor = executor(b -> b);
        executor.shutdown();
        assertThatExceptionOfType(ExecutorShutdownException.class).isThrownBy(() -> executor.acquireAsync("g"));
    }

    // ---- listeners -----------------------------------------------------------------------------------------------

    @Test
    void announcedRequestsHaveTheEventsOfTasks() throws Exception {
        Events events = new Events();
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(events))) {
            Permit first = permitOf(executor.acquireAsync("g", announced("first")));
            CompletableFuture<Permit> second = executor.acquireAsync("g", announced("second"));
            CompletableFuture<Permit> third = executor.acquireAsync("g", announced("third"));
            third.cancel(false);
            assertThat(events.of("g/second")).containsExactly("submitted");
            first.close();
            permitOf(second).close();
            executor.setQueueThreshold("g", 0);
            Permit fourth = executor.acquire("g");
            executor.acquireAsync("g", announced("fifth"));
            fourth.close();
            assertThat(events.of("g/first")).containsExactly("submitted", "started", "completed SUCCESS");
            assertThat(events.of("g/second")).containsExactly("submitted", "started", "completed SUCCESS");
            eventually(() -> assertThat(events.of("g/third")).containsExactly("submitted", "completed CANCELLED"));
            assertThat(events.of("g/fifth")).containsExactly("submitted", "rejected");
        }
    }

    private static PermitOptions announced(String name) {
        return PermitOptions.builder().taskId(name).announce(true).build();
    }

    /** The listener does not return. After at most two seconds of the timer another thread hands the permit over. */
    @Test
    void stuckListenerDoesNotKeepThePermit() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch called = new CountDownLatch(1);
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onStarted(TaskIdentity task) {
                called.countDown();
                await(stuck);
            }
        };
        FakeTimer timer = new FakeTimer();
        GroupPolicy policy =
                GroupPolicy.builder().taskLifecycleListener(listener).build();
        try (TestKit.Log log = new TestKit.Log();
                GroupExecutor executor = SimGroups.of(policy, TaskRunner.freshVirtualThreads(), timer)) {
            Permit first = executor.acquire("g");
            CompletableFuture<Permit> future = executor.acquireAsync("g", announced("stuck"));
            first.close();
            await(called);
            assertThat(future).isNotDone();
            timer.advance(TimeUnit.SECONDS.toNanos(2));
            permitOf(future).close();
            stuck.countDown();
            assertThat(log.lines("has not returned after a second")).hasSize(1);
        }
    }

    @Test
    void nullArgumentsThrowWithTheirNames() {
        try (GroupExecutor executor = executor(b -> b)) {
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.acquireAsync(null))
                    .withMessage("groupKey");
            assertThatNullPointerException()
                    .isThrownBy(() -> executor.acquireAsync("g", null))
                    .withMessage("options");
        }
    }
}
