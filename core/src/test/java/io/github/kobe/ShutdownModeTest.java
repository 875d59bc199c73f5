package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.ShutdownReport.DroppedTask;
import io.github.kobe.ShutdownReport.RunningTask;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What does each mode of a shutdown let finish, and does the report say what it did not? */
@Timeout(60)
class ShutdownModeTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static Caller<ShutdownReport> shutdown(GroupExecutor executor, ShutdownMode mode) {
        return Caller.of(() -> executor.shutdown(LONG, mode));
    }

    private static <T> void assertCancelled(TaskHandle<T> handle) {
        assertThat(handle.isDone()).isTrue();
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    // ---- DRAIN ---------------------------------------------------------------------------------------------------

    @Test
    void drainLetsQueuedTasksFinish() throws Exception {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.in(executor, "g");
        TaskHandle<String> queued = executor.submit("g", "queued", () -> "ran");
        Caller<ShutdownReport> draining = shutdown(executor, ShutdownMode.DRAIN);
        draining.awaitWaiting();
        blocker.release();
        ShutdownReport report = draining.result();
        assertThat(report).isEqualTo(new ShutdownReport(true, List.of(), 0, List.of(), 0));
        assertThat(report).hasToString("completed, 0 dropped, 0 running");
        assertThat(resultOf(queued).value()).isEqualTo("ran");
    }

    @Test
    void drainThatRunsOutOfTimeListsWhatWasQueuedAndWhatRan() {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.in(executor, "g");
        TaskHandle<String> queued = executor.submit(
                "g", "queued", () -> "ran", TaskOptions.builder().tag("nightly").build());
        ShutdownReport report = executor.shutdown(Duration.ofMillis(1), ShutdownMode.DRAIN);
        assertThat(report.completed()).isFalse();
        assertThat(report.droppedCount()).isEqualTo(1);
        DroppedTask dropped = report.dropped().getFirst();
        assertThat(dropped.groupKey()).isEqualTo("g");
        assertThat(dropped.taskId()).isEqualTo("queued");
        assertThat(dropped.tag()).isEqualTo("nightly");
        assertThat(dropped.waited()).isPositive();
        assertThat(report.runningCount()).isEqualTo(1);
        RunningTask running = report.running().getFirst();
        assertThat(running.groupKey()).isEqualTo("g");
        assertThat(running.taskId()).isEqualTo("blocker");
        assertThat(running.ran()).isPositive();
        assertThat(report.toString())
                .startsWith("not completed, 1 dropped [task 'queued' of group 'g' [nightly], waited ")
                .contains("1 running [task 'blocker' of group 'g', running for ");
        assertCancelled(queued);
        await(blocker.interrupted);
    }

    // ---- FINISH_RUNNING ------------------------------------------------------------------------------------------

    @Test
    void finishRunningDropsTheQueueAndWaitsForWhatRuns() throws Exception {
        assertFinishesRunning(b -> b);
    }

    @Test
    void finishRunningUnderAGlobalLimit() throws Exception {
        assertFinishesRunning(b -> b.globalMaxInFlight(1).defaultMaxConcurrencyPerGroup(3));
    }

    @Test
    void finishRunningWithGroupsThatRetireAtOnce() throws Exception {
        assertFinishesRunning(b -> b.idleGroupTtl(Duration.ZERO));
    }

    @Test
    void finishRunningWithFairnessByTime() throws Exception {
        assertFinishesRunning(b -> b.fairnessPolicy(FairnessPolicy.SERVICE_TIME));
    }

    private static void assertFinishesRunning(UnaryOperator<GroupPolicy.Builder> settings) throws Exception {
        GroupExecutor executor = executor(settings);
        AtomicInteger ran = new AtomicInteger();
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> running = executor.submit("g0", "blocker", blocker);
        await(blocker.started);
        List<TaskHandle<Integer>> queued = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            queued.add(executor.submit("g0", "t" + i, ran::incrementAndGet));
        }
        Caller<ShutdownReport> finishing = shutdown(executor, ShutdownMode.FINISH_RUNNING);
        eventually(() -> assertThat(queued).allMatch(TaskHandle::isDone));
        assertThat(finishing.isDone()).isFalse();
        assertThat(running.isDone()).isFalse();
        blocker.release();
        ShutdownReport report = finishing.result();
        assertThat(report.completed()).isTrue();
        assertThat(report.droppedCount()).isEqualTo(30);
        assertThat(report.dropped())
                .extracting(DroppedTask::taskId)
                .containsExactlyElementsOf(
                        queued.stream().map(TaskHandle::taskId).toList());
        assertThat(report.running()).isEmpty();
        assertThat(resultOf(running).value()).isEqualTo("released");
        assertThat(blocker.wasInterrupted()).isFalse();
        queued.forEach(ShutdownModeTest::assertCancelled);
        letOthersRun();
        assertThat(ran).hasValue(0);
    }

    @Test
    void finishRunningStopsWhatRunsAtTheTimeout() {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.in(executor, "g");
        ShutdownReport report = executor.shutdown(Duration.ZERO, ShutdownMode.FINISH_RUNNING);
        assertThat(report.completed()).isFalse();
        assertThat(report.running()).extracting(RunningTask::taskId).containsExactly("blocker");
        await(blocker.interrupted);
    }

    @Test
    void finishRunningDropsATaskThatAwaitsARetry() throws Exception {
        GroupExecutor executor = executor(b -> b);
        CountDownLatch failed = new CountDownLatch(1);
        TaskHandle<String> retrying = executor.submit(
                "g",
                "retrying",
                () -> {
                    failed.countDown();
                    throw new IllegalStateException("on purpose");
                },
                TaskOptions.builder()
                        .retry(RetryPolicy.fixedDelay(2, Duration.ofHours(1)))
                        .build());
        await(failed);
        eventually(() ->
                assertThat(executor.groupStats("g").orElseThrow().activeCount()).isZero());
        ShutdownReport report = executor.shutdown(LONG, ShutdownMode.FINISH_RUNNING);
        assertThat(report.completed()).isTrue();
        assertThat(report.dropped()).extracting(DroppedTask::taskId).containsExactly("retrying");
        assertCancelled(retrying);
    }

    @Test
    void attemptThatFailsDuringFinishRunningIsTheLast() throws Exception {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.interruptible();
        AtomicInteger attempts = new AtomicInteger();
        TaskHandle<String> failing = executor.submit(
                "g",
                "failing",
                () -> {
                    attempts.incrementAndGet();
                    blocker.call();
                    throw new IllegalStateException("on purpose");
                },
                TaskOptions.builder()
                        .retry(RetryPolicy.fixedDelay(3, Duration.ZERO))
                        .build());
        await(blocker.started);
        Caller<ShutdownReport> finishing = shutdown(executor, ShutdownMode.FINISH_RUNNING);
        finishing.awaitWaiting();
        blocker.release();
        assertThat(finishing.result().completed()).isTrue();
        assertThat(resultOf(failing).status()).isEqualTo(TaskStatus.FAILED);
        assertThat(resultOf(failing).error()).hasMessage("on purpose");
        assertThat(attempts).hasValue(1);
    }

    @Test
    void finishRunningDropsTheTasksOfAPausedGroup() {
        GroupExecutor executor = executor(b -> b);
        executor.pauseGroup("g");
        TaskHandle<String> queued = executor.submit("g", "queued", () -> "ran");
        ShutdownReport report = executor.shutdown(LONG, ShutdownMode.FINISH_RUNNING);
        assertThat(report.completed()).isTrue();
        assertThat(report.droppedCount()).isEqualTo(1);
        assertCancelled(queued);
    }

    @Test
    void finishRunningLetsATaskFinishThatRunsOnALentPermit() throws Exception {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> parent = executor.submit(
                "g",
                "parent",
                () -> executor.submit("g", "child", blocker).await().value());
        await(blocker.started);
        Caller<ShutdownReport> finishing = shutdown(executor, ShutdownMode.FINISH_RUNNING);
        finishing.awaitWaiting();
        blocker.release();
        ShutdownReport report = finishing.result();
        assertThat(report.completed()).isTrue();
        assertThat(report.dropped()).isEmpty();
        assertThat(resultOf(parent).value()).isEqualTo("released");
    }

    @Test
    void taskThatWaitsForADroppedTaskGoesOn() throws Exception {
        GroupExecutor executor = executor(b -> b);
        executor.pauseGroup("paused");
        CountDownLatch submitted = new CountDownLatch(1);
        TaskHandle<TaskStatus> parent = executor.submit("g", "parent", () -> {
            TaskHandle<String> child = executor.submit("paused", "child", () -> "ran");
            submitted.countDown();
            return child.await().status();
        });
        await(submitted);
        ShutdownReport report = executor.shutdown(LONG, ShutdownMode.FINISH_RUNNING);
        assertThat(report.completed()).isTrue();
        assertThat(report.dropped()).extracting(DroppedTask::taskId).containsExactly("child");
        assertThat(resultOf(parent).value()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void escalatesADrain() throws Exception {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.in(executor, "g");
        TaskHandle<String> queued = executor.submit("g", "queued", () -> "ran");
        Caller<ShutdownReport> draining = shutdown(executor, ShutdownMode.DRAIN);
        draining.awaitWaiting();
        Caller<ShutdownReport> finishing = shutdown(executor, ShutdownMode.FINISH_RUNNING);
        eventually(() -> assertThat(queued.isDone()).isTrue());
        blocker.release();
        assertThat(finishing.result().dropped()).extracting(DroppedTask::taskId).containsExactly("queued");
        assertThat(draining.result().dropped()).as("dropped by the other call").isEmpty();
        assertThat(blocker.wasInterrupted()).isFalse();
    }

    @Test
    void stopEscalatesFinishRunning() throws Exception {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.in(executor, "g");
        Caller<ShutdownReport> finishing = shutdown(executor, ShutdownMode.FINISH_RUNNING);
        finishing.awaitWaiting();
        ShutdownReport report = executor.shutdown(LONG, ShutdownMode.STOP);
        assertThat(report.completed()).isTrue();
        await(blocker.interrupted);
        finishing.result();
    }

    // ---- STOP ----------------------------------------------------------------------------------------------------

    @Test
    void stopInterruptsAndWaitsUntilThreadsAreOff() {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.in(executor, "g");
        TaskHandle<String> queued = executor.submit("g", "queued", () -> "ran");
        ShutdownReport report = executor.shutdown(LONG, ShutdownMode.STOP);
        assertThat(report.completed()).isTrue();
        assertThat(blocker.hasEnded()).isTrue();
        assertThat(blocker.wasInterrupted()).isTrue();
        assertThat(report.dropped()).extracting(DroppedTask::taskId).containsExactly("queued");
        assertCancelled(queued);
    }

    @Test
    void stopListsWhatIgnoresTheInterrupt() {
        GroupExecutor executor = executor(b -> b);
        BlockingTask stubborn = BlockingTask.uninterruptible();
        executor.submit("g", "stubborn", stubborn);
        await(stubborn.started);
        ShutdownReport report = executor.shutdown(Duration.ofMillis(1), ShutdownMode.STOP);
        assertThat(report.completed()).isFalse();
        assertThat(report.running()).extracting(RunningTask::taskId).containsExactly("stubborn");
        stubborn.release();
        assertThat(executor.shutdown(LONG, ShutdownMode.STOP).completed())
                .as("a second call waits again")
                .isTrue();
    }

    // ---- in every mode -------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(ShutdownMode.class)
    void unusedExecutorIsShutDownAtOnce(ShutdownMode mode) {
        GroupExecutor executor = executor(b -> b.globalMaxInFlight(1));
        assertThat(executor.shutdown(LONG, mode).completed()).isTrue();
        assertThat(executor.shutdown(Duration.ZERO, mode).completed()).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> executor.submit("g", "t", () -> "ran"));
    }

    @ParameterizedTest
    @EnumSource(ShutdownMode.class)
    void invalidArgumentsDoNotShutDown(ShutdownMode mode) {
        try (GroupExecutor executor = executor(b -> b)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> executor.shutdown(Duration.ofNanos(-1), mode))
                    .withMessageContaining("timeout");
            assertThatNullPointerException().isThrownBy(() -> executor.shutdown(null, mode));
            assertThatNullPointerException().isThrownBy(() -> executor.shutdown(LONG, null));
            assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
        }
    }

    @ParameterizedTest
    @EnumSource(ShutdownMode.class)
    void interruptOfTheCallerStopsAtOnceAndKeepsTheFlag(ShutdownMode mode) throws Exception {
        GroupExecutor executor = executor(b -> b);
        BlockingTask stubborn = BlockingTask.uninterruptible();
        executor.submit("g", "stubborn", stubborn);
        await(stubborn.started);
        Caller<List<Boolean>> caller = Caller.of(() -> {
            ShutdownReport report = executor.shutdown(LONG, mode);
            return List.of(report.completed(), Thread.currentThread().isInterrupted());
        });
        caller.interruptWhenWaiting();
        assertThat(caller.result()).containsExactly(false, true);
        await(stubborn.interrupted);
        stubborn.release();
    }

    @ParameterizedTest
    @EnumSource(ShutdownMode.class)
    void blockedSubmittersAreTold(ShutdownMode mode) throws Exception {
        GroupExecutor executor = executor(b -> b.rejectionPolicy(RejectionPolicy.BLOCK)
                .defaultQueueThresholdPerGroup(0)
                .maxBlockTime(LONG));
        BlockingTask blocker = BlockingTask.in(executor, "g");
        Caller<TaskHandle<String>> blocked = Caller.of(() -> executor.submit("g", "blocked", () -> "ran"));
        blocked.awaitWaiting();
        Caller<ShutdownReport> ending = shutdown(executor, mode);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(blocked::result)
                .withCauseInstanceOf(ExecutorShutdownException.class);
        blocker.release();
        assertThat(ending.result().completed()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = ShutdownMode.class,
            names = {"FINISH_RUNNING", "STOP"})
    void heldPermitCountsAsRunningAndAQueuedRequestIsDropped(ShutdownMode mode) throws Exception {
        GroupExecutor executor = executor(b -> b);
        Permit held = executor.acquire("g");
        Caller<Permit> waiting = Caller.of(() -> executor.acquire("g"));
        eventually(() ->
                assertThat(executor.groupStats("g").orElseThrow().queuedCount()).isEqualTo(1));
        ShutdownReport report = executor.shutdown(Duration.ofMillis(1), mode);
        assertThat(report.completed()).isFalse();
        assertThat(report.dropped()).extracting(DroppedTask::taskId).containsExactly("permit");
        assertThat(report.running()).containsExactly(new RunningTask("g", "permit", "", Duration.ZERO));
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiting::result)
                .withCauseInstanceOf(ExecutorShutdownException.class);
        held.close();
        assertThat(executor.shutdown(LONG, mode).completed()).isTrue();
    }

    @Test
    void tasksOfViewsAreDropped() throws Exception {
        GroupExecutor executor = executor(b -> b);
        ExecutorService view = executor.asExecutorService("g");
        BlockingTask blocker = BlockingTask.interruptible();
        Future<String> running = view.submit(blocker);
        await(blocker.started);
        Future<String> queued = view.submit(() -> "ran");
        Caller<ShutdownReport> finishing = shutdown(executor, ShutdownMode.FINISH_RUNNING);
        assertThatExceptionOfType(CancellationException.class).isThrownBy(queued::get);
        blocker.release();
        assertThat(finishing.result().droppedCount()).isEqualTo(1);
        assertThat(running.get()).isEqualTo("released");
        assertThat(view.awaitTermination(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void longListsAreCutAndTheCountIsExact() {
        GroupExecutor executor = executor(b -> b);
        BlockingTask.in(executor, "g");
        int tasks = ShutdownReport.MAX_LISTED + 5;
        for (int i = 0; i < tasks; i++) {
            executor.submit("g", "t" + i, () -> "ran");
        }
        ShutdownReport report = executor.shutdown(LONG, ShutdownMode.STOP);
        assertThat(report.dropped()).hasSize(ShutdownReport.MAX_LISTED);
        assertThat(report.droppedCount()).isEqualTo(tasks);
    }

    @Test
    void listenersHearOfDroppedTasksBeforeTheShutdownReturns() {
        TestKit.Events events = new TestKit.Events();
        GroupExecutor executor = executor(b -> b.taskLifecycleListener(events));
        executor.pauseGroup("g");
        executor.submit("g", "queued", () -> "ran");
        executor.shutdown(LONG, ShutdownMode.FINISH_RUNNING);
        assertThat(events.of("g/queued")).containsExactly("submitted", "completed CANCELLED");
    }
}
