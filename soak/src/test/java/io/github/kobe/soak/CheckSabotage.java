package io.github.kobe.soak;

import io.github.kobe.GroupResult;
import io.github.kobe.Permit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskCounts;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.scope.ScopeMetricsSnapshot;
import io.github.kobe.scope.TaskInfo;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** Shows one check the behavior of a broken library, which it must report, and of a correct one, which it must accept. */
interface CheckSabotage {

    /** @param broken whether to show broken behavior */
    void run(CheckRecorder recorder, boolean broken) throws Exception;

    /** Returns the sabotage for a check. The switch is exhaustive: a check without sabotage does not compile. */
    static CheckSabotage of(Check check) {
        return switch (check) {
            case GROUP_LIMIT, GLOBAL_LIMIT, WORKER_LIMIT, ISOLATION_LIMIT, SCOPE_LIMIT ->
                (recorder, broken) -> exceedLimit(check, recorder, broken);
            case HANDLE_DONE -> CheckSabotage::verifyBeforeHandleIsDone;
            case ONE_OUTCOME -> CheckSabotage::reportWrongOutcome;
            case FAITHFUL_OUTCOME ->
                (recorder, broken) -> {
                    Object value = new Object();
                    TrackedTask task = succeededTask(value);
                    task.verifyResult(recorder, success(broken ? new Object() : value), true);
                };
            case ATTEMPTS ->
                (recorder, broken) -> {
                    Object value = new Object();
                    TrackedTask task = succeededTask(value);
                    task.attempts.set(broken ? 2 : 1);
                    task.verifyResult(recorder, success(value), true);
                };
            case CONSERVATION ->
                (recorder, broken) -> ConservationCheck.checkOutcomes(recorder, "x", counts(broken ? 3 : 2, 2));
            case SUBMITTED_COUNT ->
                (recorder, broken) -> {
                    ConservationCheck.checkSubmitted(recorder, "x", counts(broken ? 1 : 2, 1), 2, 1);
                    ConservationCheck.checkSubmitted(recorder, "x", counts(broken ? 4 : 3, 1), 2, 1);
                };
            case FALLBACK_ONCE ->
                (recorder, broken) -> {
                    TrackedTask task = newTask();
                    task.fallbackCalls.set(broken ? 2 : 1);
                    IsolationWorkload.checkFallback(recorder, task, TaskStatus.REJECTED);
                };
            case DONE_AT_TIMEOUT -> (recorder, broken) -> TaskCode.checkDoneAtTimeout(recorder, newTask(), !broken);
            case PERMIT_WHILE_RUNNING -> CheckSabotage::runWithoutPermit;
            case NO_PERMIT_WHEN_IDLE ->
                (recorder, broken) -> withExecutor(recorder, 60_000, (fixture, workload) -> {
                    try (Permit permit = fixture.executor.acquire(GroupFixture.STABLE)) {
                        fixture.submitted.increment();
                        closeIf(!broken, permit);
                        workload.checkIdle();
                    }
                });
            case IDLE_GROUPS_RETIRED ->
                (recorder, broken) -> withExecutor(recorder, broken ? 1 : 60_000, (fixture, workload) -> {
                    try (Permit permit = fixture.executor.acquire(GroupFixture.STABLE)) {
                        closeIf(!broken, permit);
                        workload.checkGroupsRetired();
                    }
                });
            case ALL_PERMITS_USABLE, STUCK_GROUP_BLOCKS_NO_OTHER -> CheckSabotage::runScenariosWithLostPermits;
            case BECOMES_IDLE ->
                (recorder, broken) ->
                        watchdog(recorder, 1).await(check, "a condition", () -> !broken, () -> "diagnostics");
            case QUEUE_HOLDS_NO_THREAD ->
                (recorder, broken) -> GroupScenarios.checkThreadCount(recorder, "x", 4, broken ? 200 : 4);
            case SUBMISSION_ORDER ->
                (recorder, broken) -> {
                    OrderChecker order = new OrderChecker(recorder, "x");
                    order.taskStarted(0, 7);
                    order.taskStarted(1, 3); // another priority
                    order.taskStarted(0, broken ? 6 : 8);
                };
            case PRIORITY_ORDER ->
                (recorder, broken) -> OrderChecker.checkPriorities(
                        recorder,
                        "x",
                        List.of(
                                new OrderChecker.Queued(3, 0),
                                new OrderChecker.Queued(1, broken ? 2 : 1),
                                new OrderChecker.Queued(1, broken ? 1 : 2)));
            case FAIR_ROUND_ROBIN ->
                (recorder, broken) -> OrderChecker.checkRoundRobin(
                        recorder, "x", List.of("a", "b", "b", broken ? "b" : "a", "a"), Map.of("a", 1, "b", 1));
            case CALLBACK_UNLOCKED -> CheckSabotage::blockOtherThread;
            case NO_STRAY_EXCEPTION -> CheckSabotage::throwFromOperation;
            case THREADS_BOUNDED -> (recorder, broken) -> SoakRound.checkThreadCount(recorder, broken ? 5000 : 20);
            case NO_INTERRUPT_AT_START ->
                (recorder, broken) -> {
                    setInterruptFlag(broken);
                    TaskCode.checkCleanStart(recorder, newTask(), null, null);
                    setInterruptFlag(false);
                };
            case NO_THREAD_LOCALS_AT_START ->
                (recorder, broken) -> {
                    TaskCode.checkCleanStart(recorder, newTask(), broken ? 1L : null, null);
                    TaskCode.checkCleanStart(recorder, newTask(), null, broken ? "name" : null);
                };
            case NO_STRAY_INTERRUPT ->
                (recorder, broken) -> {
                    TrackedTask task = newTask();
                    task.cancelExpected = !broken;
                    TaskCode.checkInterrupt(recorder, task, true);
                };
            case NOTHING_AFTER_CLOSE ->
                (recorder, broken) -> {
                    ScopeChecker checker = newScopeChecker(recorder);
                    checkClosed(checker, 0, false, broken);
                    if (broken) {
                        checker.enter(newTask());
                    }
                };
            case DONE_AT_CLOSE ->
                (recorder, broken) -> {
                    ScopeChecker checker = newScopeChecker(recorder);
                    checker.onStart(taskInfo(1));
                    checker.onCancel(taskInfo(1), Duration.ZERO);
                    if (broken) {
                        checker.onCancel(taskInfo(1), Duration.ZERO);
                    }
                    checkClosed(checker, 1, true, true);
                };
            case METRICS_ADD_UP ->
                (recorder, broken) -> checkClosed(newScopeChecker(recorder), broken ? 1 : 0, false, false);
            case CLEANUPS_RUN -> CheckSabotage::runCleanups;
            case CONTEXT_CARRIED -> (recorder, broken) -> ScopeSession.checkContext(recorder, 7, broken ? 8L : 7L);
            case JOINED_RESULT ->
                (recorder, broken) -> ScopeSession.checkJoined(
                        recorder, 1, 2, broken ? List.of("a", "c") : List.of("a", "b"), Set.of("a", "b"));
            case RUNS_DO_NOT_OVERLAP -> (recorder, broken) -> ScopeSession.checkSingleRun(recorder, 1, broken ? 2 : 1);
            case CHANNEL_DELIVERS_ALL ->
                (recorder, broken) ->
                        ScopeSession.checkReceived(recorder, 1, 3, broken ? List.of(0, 2, 1) : List.of(0, 1, 2));
            case NUMBERS_IN_ERRORS ->
                (recorder, broken) ->
                        TrackedTask.checkNumbers(recorder, 1, broken ? errorWithoutNumbers() : errorWithNumbers());
            case NO_THREAD_LEFT -> CheckSabotage::leaveThread;
            case HEAP_RESTORED ->
                (recorder, broken) -> SoakRun.checkHeap(
                        recorder, new Footprint(1, 10 << 20), new Footprint(1, broken ? 100 << 20 : 12 << 20));
        };
    }

    // ---- limits --------------------------------------------------------------------------------------------------

    /** A lowered limit does not apply before enough tasks have ended. Once it applies, one task too many is a violation. */
    private static void exceedLimit(Check check, CheckRecorder recorder, boolean broken) {
        LimitChecker limit = new LimitChecker(check, recorder, "x", 2);
        limit.enter(1);
        limit.enter(2);
        limit.changeLimit(1, () -> {});
        limit.checkPermitsInUse(limit::running);
        limit.exit();
        limit.enter(3); // it may have received its permit before the limit was lowered
        limit.exit();
        limit.checkPermitsInUse(limit::running);
        if (broken) {
            limit.enter(4);
        }
    }

    // ---- outcomes ------------------------------------------------------------------------------------------------

    private static TrackedTask newTask() {
        return new TrackedTask(new TaskTracker(), 7, "x", "g", TaskBehavior.RETURN, TaskSpec.DEFAULT);
    }

    private static TrackedTask succeededTask(Object value) {
        TrackedTask task = newTask();
        task.attempts.set(1);
        task.recordReturn(value);
        task.submittedEvents.set(1);
        task.startedEvents.set(1);
        task.outcomeEvents.set(1);
        task.statusEvent = TaskStatus.SUCCESS;
        return task;
    }

    private static GroupResult<Object> success(Object value) {
        return GroupResult.success("g", "op-7", value, 0, 1);
    }

    private static void reportWrongOutcome(CheckRecorder recorder, boolean broken) {
        Object value = new Object();
        TrackedTask reportedTwice = succeededTask(value);
        reportedTwice.outcomeEvents.set(broken ? 2 : 1);
        reportedTwice.verifyResult(recorder, success(value), true);
        TrackedTask wrongStatus = succeededTask(value);
        wrongStatus.statusEvent = broken ? TaskStatus.CANCELLED : TaskStatus.SUCCESS;
        wrongStatus.verifyResult(recorder, success(value), true);
    }

    private static void verifyBeforeHandleIsDone(CheckRecorder recorder, boolean broken) throws Exception {
        withExecutor(recorder, 60_000, (fixture, workload) -> {
            CountDownLatch release = new CountDownLatch(1);
            TrackedTask task = fixture.newTask(7, GroupFixture.STABLE, TaskBehavior.RETURN, TaskSpec.DEFAULT);
            TaskHandle<Object> handle = fixture.executor.submit(task.group, task.taskId(), () -> {
                release.await();
                return fixture.bodyOf(task).call();
            });
            task.handle = handle;
            if (!broken) {
                release.countDown();
                handle.await();
            }
            task.verify(recorder, false);
            release.countDown();
        });
    }

    private static TaskCounts counts(long submitted, long succeeded) {
        return new TaskCounts(submitted, succeeded, 0, 0, 0, 0, Map.of());
    }

    private static RejectedTaskException errorWithNumbers() {
        return new RejectedTaskException(
                "g", "t", new Rejection(RejectionReason.GROUP_QUEUE_FULL, 3, 10, 3, 10, Duration.ZERO));
    }

    private static RejectedTaskException errorWithoutNumbers() {
        return new RejectedTaskException("g", "t", "no room");
    }

    // ---- real executors, whose permits are acquired without the knowledge of the checks ----------------------------

    interface ExecutorTest {
        void run(GroupFixture fixture, GroupWorkload workload) throws Exception;
    }

    private static Watchdog watchdog(CheckRecorder recorder, long timeoutMillis) {
        return new Watchdog(
                recorder, Duration.ofMillis(timeoutMillis), new PrintStream(OutputStream.nullOutputStream()));
    }

    /** Runs {@code test} with an executor that has a global limit and rejects by ABORT. */
    private static void withExecutor(CheckRecorder recorder, long timeoutMillis, ExecutorTest test) throws Exception {
        RandomSource random = new RandomSource(1);
        GroupFixture fixture = new GroupFixture("x", true, 0, random, recorder, watchdog(recorder, timeoutMillis));
        try (fixture.executor) {
            test.run(fixture, new GroupWorkload(fixture, random));
        }
    }

    private static void closeIf(boolean condition, Permit permit) {
        if (condition) {
            permit.close();
        }
    }

    private static void runWithoutPermit(CheckRecorder recorder, boolean broken) throws Exception {
        withExecutor(recorder, 60_000, (fixture, workload) -> {
            TrackedTask task =
                    fixture.newTask(7, GroupFixture.STABLE, TaskBehavior.IGNORE_INTERRUPTS, TaskSpec.DEFAULT);
            try (Permit permit = fixture.executor.acquire(GroupFixture.STABLE)) {
                closeIf(broken, permit);
                fixture.runningAfterOutcome(task);
            }
        });
    }

    /** To the scenarios, a permit that is never released looks like a permit that the library lost. */
    private static void runScenariosWithLostPermits(CheckRecorder recorder, boolean broken) throws Exception {
        withExecutor(recorder, broken ? 20 : 60_000, (fixture, workload) -> {
            List<Permit> lost = new ArrayList<>();
            for (int i = 0; broken && i < 2; i++) {
                lost.add(fixture.executor.acquire(GroupFixture.STABLE));
            }
            new GroupScenarios(fixture, new RandomSource(1)).runAll();
            lost.forEach(Permit::close);
        });
    }

    // ---- callbacks and threads -----------------------------------------------------------------------------------

    private static void blockOtherThread(CheckRecorder recorder, boolean broken) {
        CountDownLatch release = new CountDownLatch(broken ? 1 : 0);
        FaultyListener.checkNoLockHeld(
                recorder,
                watchdog(recorder, broken ? 1 : 60_000),
                "a callback",
                () -> FaceWorkload.awaitRelease(release));
        release.countDown();
    }

    private static void throwFromOperation(CheckRecorder recorder, boolean broken) throws Exception {
        withExecutor(recorder, 60_000, (fixture, workload) -> {
            AtomicBoolean performed = new AtomicBoolean();
            Operation operation = Operation.of("operation", 1, (random, opId) -> {
                performed.set(true);
                if (broken) {
                    throw new ArithmeticException("not in the contract");
                }
            });
            new WorkloadThread(
                            "x",
                            List.of(workload),
                            any -> List.of(operation),
                            new RandomSource(1),
                            recorder,
                            performed::get)
                    .run();
        });
    }

    private static void setInterruptFlag(boolean set) {
        Thread.interrupted();
        if (set) {
            Thread.currentThread().interrupt();
        }
    }

    private static void leaveThread(CheckRecorder recorder, boolean broken) throws InterruptedException {
        CountDownLatch release = new CountDownLatch(broken ? 1 : 0);
        CountDownLatch sampled = new CountDownLatch(1);
        Thread thread = Thread.startVirtualThread(() -> {
            recorder.taskThreads().sampleCurrentThread(0);
            sampled.countDown();
            FaceWorkload.awaitRelease(release);
        });
        sampled.await();
        SoakRound.checkTaskThreads(recorder, watchdog(recorder, broken ? 1 : 60_000));
        release.countDown();
        thread.join();
    }

    // ---- scopes --------------------------------------------------------------------------------------------------

    private static ScopeChecker newScopeChecker(CheckRecorder recorder) {
        return new ScopeChecker(recorder, 7, 4, true, null);
    }

    private static TaskInfo taskInfo(long id) {
        return new TaskInfo("scope-1", id, "task", Instant.EPOCH, "virtualThreads");
    }

    private static void checkClosed(ScopeChecker checker, int completed, boolean hooked, boolean hasOtherTasks) {
        checker.checkClosed(
                List.of(),
                new ScopeMetricsSnapshot(completed, completed, 0, 0, Duration.ZERO, Duration.ZERO),
                hooked,
                hasOtherTasks);
    }

    private static void runCleanups(CheckRecorder recorder, boolean broken) {
        ScopeChecker checker = newScopeChecker(recorder);
        Runnable first = checker.newCleanup();
        Runnable second = checker.newCleanup();
        (broken ? first : second).run();
        (broken ? second : first).run();
        checkClosed(checker, 0, false, false);
    }
}
