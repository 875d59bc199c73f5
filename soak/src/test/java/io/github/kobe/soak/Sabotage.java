package io.github.kobe.soak;

import io.github.kobe.GroupResult;
import io.github.kobe.Permit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskCounts;
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

/** For each check: events that must set it off, and the same in order. */
interface Sabotage {

    /** @param bad whether to break the promise */
    void play(Recorder recorder, boolean bad) throws Exception;

    /** Shows the check what a library might do that is broken. */
    static Sabotage of(Check check) {
        return switch (check) {
            case GROUP_LIMIT, GLOBAL_LIMIT, WORKER_LIMIT, ISOLATION_LIMIT, SCOPE_LIMIT ->
                (recorder, bad) -> limit(check, recorder, bad);
            case HANDLE_DONE -> Sabotage::handleDone;
            case ONE_OUTCOME -> Sabotage::oneEnd;
            case FAITHFUL_OUTCOME ->
                (recorder, bad) -> {
                    Object value = new Object();
                    TrackedTask probe = succeeded(value);
                    probe.verifyResult(recorder, success(bad ? new Object() : value), true);
                };
            case ATTEMPTS ->
                (recorder, bad) -> {
                    Object value = new Object();
                    TrackedTask probe = succeeded(value);
                    probe.attempts.set(bad ? 2 : 1);
                    probe.verifyResult(recorder, success(value), true);
                };
            case CONSERVATION ->
                (recorder, bad) -> ConservationCheck.checkOutcomes(recorder, "x", counts(bad ? 3 : 2, 2));
            case SUBMITTED_COUNT ->
                (recorder, bad) -> {
                    ConservationCheck.checkSubmitted(recorder, "x", counts(bad ? 1 : 2, 1), 2, 1);
                    ConservationCheck.checkSubmitted(recorder, "x", counts(bad ? 4 : 3, 1), 2, 1);
                };
            case FALLBACK_ONCE ->
                (recorder, bad) -> {
                    TrackedTask probe = probe(TaskSpec.DEFAULT);
                    probe.fallbackCalls.set(bad ? 2 : 1);
                    IsolationWorkload.checkFallback(recorder, probe, TaskStatus.REJECTED);
                };
            case DONE_AT_TIMEOUT ->
                (recorder, bad) -> TaskBody.checkDoneAtTimeout(recorder, probe(TaskSpec.DEFAULT), !bad);
            case PERMIT_WHILE_RUNNING -> Sabotage::placeWhileRunning;
            case NO_PERMIT_WHEN_IDLE ->
                (recorder, bad) -> withRig(recorder, 60_000, (rig, face) -> {
                    try (Permit held = rig.executor.acquire(GroupFixture.CALM)) {
                        rig.surelyHandedIn.increment();
                        closeUnless(bad, held);
                        face.checkIdle();
                    }
                });
            case IDLE_GROUPS_RETIRED ->
                (recorder, bad) -> withRig(recorder, bad ? 1 : 60_000, (rig, face) -> {
                    try (Permit held = rig.executor.acquire(GroupFixture.CALM)) {
                        closeUnless(bad, held);
                        face.checkForgotten();
                    }
                });
            case ALL_PERMITS_USABLE, STUCK_GROUP_BLOCKS_NO_OTHER -> Sabotage::placesTakenInDrills;
            case BECOMES_IDLE -> (recorder, bad) -> patience(recorder, 1).await(check, "it", () -> !bad, () -> "state");
            case QUEUE_HOLDS_NO_THREAD ->
                (recorder, bad) -> GroupScenarios.checkThreads(recorder, "x", 4, bad ? 200 : 4);
            case SUBMISSION_ORDER ->
                (recorder, bad) -> {
                    OrderChecker order = new OrderChecker(recorder, "x");
                    order.taskStarted(0, 7);
                    order.taskStarted(1, 3); // of another priority
                    order.taskStarted(0, bad ? 6 : 8);
                };
            case PRIORITY_ORDER ->
                (recorder, bad) -> OrderChecker.checkPriorities(
                        recorder,
                        "x",
                        List.of(
                                new OrderChecker.Queued(3, 0),
                                new OrderChecker.Queued(1, bad ? 2 : 1),
                                new OrderChecker.Queued(1, bad ? 1 : 2)));
            case FAIR_ROUND_ROBIN ->
                (recorder, bad) -> OrderChecker.checkRoundRobin(
                        recorder, "x", List.of("a", "b", "b", bad ? "b" : "a", "a"), Map.of("a", 1, "b", 1));
            case CALLBACK_UNLOCKED -> Sabotage::callbackUnlocked;
            case NO_STRAY_EXCEPTION -> Sabotage::strayException;
            case THREADS_BOUNDED -> (recorder, bad) -> SoakRound.checkThreadCount(recorder, bad ? 5000 : 20);
            case NO_INTERRUPT_AT_START ->
                (recorder, bad) -> {
                    flag(bad);
                    TaskBody.checkCleanStart(recorder, probe(TaskSpec.DEFAULT), null, null);
                    flag(false);
                };
            case NO_THREAD_LOCALS_AT_START ->
                (recorder, bad) -> {
                    TaskBody.checkCleanStart(recorder, probe(TaskSpec.DEFAULT), bad ? 1L : null, null);
                    TaskBody.checkCleanStart(recorder, probe(TaskSpec.DEFAULT), null, bad ? "actor" : null);
                };
            case NO_STRAY_INTERRUPT ->
                (recorder, bad) -> {
                    TrackedTask probe = probe(TaskSpec.DEFAULT);
                    probe.cancelExpected = !bad;
                    TaskBody.checkInterrupt(recorder, probe, true);
                };
            case NOTHING_AFTER_CLOSE ->
                (recorder, bad) -> {
                    ScopeChecker watch = scopeWatch(recorder);
                    closed(watch, 0, false, bad);
                    if (bad) {
                        watch.enter(probe(TaskSpec.DEFAULT));
                    }
                };
            case DONE_AT_CLOSE ->
                (recorder, bad) -> {
                    ScopeChecker watch = scopeWatch(recorder);
                    watch.onStart(info(1));
                    watch.onCancel(info(1), Duration.ZERO);
                    if (bad) {
                        watch.onCancel(info(1), Duration.ZERO);
                    }
                    closed(watch, 1, true, true);
                };
            case METRICS_ADD_UP -> (recorder, bad) -> closed(scopeWatch(recorder), bad ? 1 : 0, false, false);
            case CLEANUPS_RUN -> Sabotage::cleanups;
            case CONTEXT_CARRIED -> (recorder, bad) -> ScopeSession.checkContext(recorder, 7, bad ? 8L : 7L);
            case JOINED_RESULT ->
                (recorder, bad) -> ScopeGames.checkJoined(
                        recorder, 1, 2, bad ? List.of("a", "c") : List.of("a", "b"), Set.of("a", "b"));
            case RUNS_DO_NOT_OVERLAP -> (recorder, bad) -> ScopeGames.checkAlone(recorder, 1, bad ? 2 : 1);
            case CHANNEL_DELIVERS_ALL ->
                (recorder, bad) -> ScopeGames.checkReceived(recorder, 1, 3, bad ? List.of(0, 2, 1) : List.of(0, 1, 2));
            case NUMBERS_IN_ERRORS ->
                (recorder, bad) -> TrackedTask.checkNumbers(recorder, 1, bad ? withoutNumbers() : withNumbers());
            case NO_THREAD_LEFT -> Sabotage::threadLeft;
            case HEAP_RESTORED ->
                (recorder, bad) -> SoakRun.checkHeap(
                        recorder, new Footprint(1, 10 << 20), new Footprint(1, bad ? 100 << 20 : 12 << 20));
        };
    }

    // ---- limits --------------------------------------------------------------------------------------------------

    /** One too many; when the limit was lowered, one too many for that; and when it was not paid off yet, none. */
    private static void limit(Check check, Recorder recorder, boolean bad) {
        LimitChecker watch = new LimitChecker(check, recorder, "x", 2);
        watch.enter(1);
        watch.enter(2);
        watch.changeLimit(1, () -> {});
        watch.checkPermitsInUse(watch::running);
        watch.exit();
        watch.enter(3); // it may have had its place before
        watch.exit();
        watch.checkPermitsInUse(watch::running);
        if (bad) {
            watch.enter(4);
        }
    }

    // ---- ends ----------------------------------------------------------------------------------------------------

    private static TrackedTask probe(TaskSpec terms) {
        return new TrackedTask(new TaskTracker(), 7, "x", "g", TaskBehavior.RETURN, terms);
    }

    private static TrackedTask succeeded(Object value) {
        TrackedTask probe = probe(TaskSpec.DEFAULT);
        probe.attempts.set(1);
        probe.recordReturn(value);
        probe.submittedEvents.set(1);
        probe.startedEvents.set(1);
        probe.outcomeEvents.set(1);
        probe.statusEvent = TaskStatus.SUCCESS;
        return probe;
    }

    private static GroupResult<Object> success(Object value) {
        return GroupResult.success("g", "op-7", value, 0, 1);
    }

    private static void oneEnd(Recorder recorder, boolean bad) {
        Object value = new Object();
        TrackedTask twice = succeeded(value);
        twice.outcomeEvents.set(bad ? 2 : 1);
        twice.verifyResult(recorder, success(value), true);
        TrackedTask otherwise = succeeded(value);
        otherwise.statusEvent = bad ? TaskStatus.CANCELLED : TaskStatus.SUCCESS;
        otherwise.verifyResult(recorder, success(value), true);
    }

    private static void handleDone(Recorder recorder, boolean bad) throws Exception {
        withRig(recorder, 60_000, (rig, face) -> {
            CountDownLatch release = new CountDownLatch(1);
            TrackedTask probe = rig.probe(7, GroupFixture.CALM, TaskBehavior.RETURN, TaskSpec.DEFAULT);
            var handle = rig.executor.submit(probe.group, probe.taskId(), () -> {
                release.await();
                return rig.body(probe).call();
            });
            probe.handle = handle;
            if (!bad) {
                release.countDown();
                handle.await();
            }
            probe.verify(recorder, false);
            release.countDown();
        });
    }

    private static TaskCounts counts(long submitted, long succeeded) {
        return new TaskCounts(submitted, succeeded, 0, 0, 0, 0, Map.of());
    }

    private static RejectedTaskException withNumbers() {
        return new RejectedTaskException(
                "g", "t", new Rejection(RejectionReason.GROUP_QUEUE_FULL, 3, 10, 3, 10, Duration.ZERO));
    }

    private static RejectedTaskException withoutNumbers() {
        return new RejectedTaskException("g", "t", "no room");
    }

    // ---- a real executor, with places taken behind the soak's back -------------------------------------------------

    interface Scene {
        void play(GroupFixture rig, GroupWorkload face) throws Exception;
    }

    private static Watchdog patience(Recorder recorder, long millis) {
        return new Watchdog(recorder, Duration.ofMillis(millis), new PrintStream(OutputStream.nullOutputStream()));
    }

    /** Under a global limit, with ABORT. */
    private static void withRig(Recorder recorder, long millis, Scene scene) throws Exception {
        RandomSource random = new RandomSource(1);
        GroupFixture rig = new GroupFixture("x", true, 0, random, recorder, patience(recorder, millis));
        try (rig.executor) {
            scene.play(rig, new GroupWorkload(rig, random));
        }
    }

    private static void closeUnless(boolean bad, Permit permit) {
        if (!bad) {
            permit.close();
        }
    }

    private static void placeWhileRunning(Recorder recorder, boolean bad) throws Exception {
        withRig(recorder, 60_000, (rig, face) -> {
            TrackedTask probe = rig.probe(7, GroupFixture.CALM, TaskBehavior.IGNORE_INTERRUPTS, TaskSpec.DEFAULT);
            try (Permit held = rig.executor.acquire(GroupFixture.CALM)) {
                closeUnless(!bad, held);
                rig.runningAfterOutcome(probe);
            }
        });
    }

    /** Whoever loses a permit loses the same as one who never gives it back. */
    private static void placesTakenInDrills(Recorder recorder, boolean bad) throws Exception {
        withRig(recorder, bad ? 20 : 60_000, (rig, face) -> {
            List<Permit> taken = new ArrayList<>();
            for (int i = 0; bad && i < 2; i++) {
                taken.add(rig.executor.acquire(GroupFixture.CALM));
            }
            new GroupScenarios(rig, new RandomSource(1)).all();
            taken.forEach(Permit::close);
        });
    }

    // ---- callbacks and threads -----------------------------------------------------------------------------------

    private static void callbackUnlocked(Recorder recorder, boolean bad) {
        CountDownLatch held = new CountDownLatch(bad ? 1 : 0);
        FaultyListener.checkNoLockHeld(recorder, patience(recorder, bad ? 1 : 60_000), "a callback", () -> {
            try {
                held.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        held.countDown();
    }

    private static void strayException(Recorder recorder, boolean bad) throws Exception {
        withRig(recorder, 60_000, (rig, face) -> {
            AtomicBoolean done = new AtomicBoolean();
            Operation op = Operation.of("op", 1, (random, number) -> {
                done.set(true);
                if (bad) {
                    throw new ArithmeticException("not in the contract");
                }
            });
            new WorkloadThread("x", List.of(face), any -> List.of(op), new RandomSource(1), recorder, done::get).run();
        });
    }

    private static void flag(boolean set) {
        Thread.interrupted();
        if (set) {
            Thread.currentThread().interrupt();
        }
    }

    private static void threadLeft(Recorder recorder, boolean bad) throws InterruptedException {
        CountDownLatch release = new CountDownLatch(bad ? 1 : 0);
        CountDownLatch noted = new CountDownLatch(1);
        Thread thread = Thread.startVirtualThread(() -> {
            recorder.taskThreads().sampleCurrentThread(0);
            noted.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        noted.await();
        SoakRound.checkTaskThreads(recorder, patience(recorder, bad ? 1 : 60_000));
        release.countDown();
        thread.join();
    }

    // ---- scopes --------------------------------------------------------------------------------------------------

    private static ScopeChecker scopeWatch(Recorder recorder) {
        return new ScopeChecker(recorder, 7, 4, true, null);
    }

    private static TaskInfo info(long id) {
        return new TaskInfo("scope-1", id, "task", Instant.EPOCH, "virtualThreads");
    }

    private static void closed(ScopeChecker watch, int completed, boolean hooked, boolean schedules) {
        watch.checkClosed(
                List.of(),
                new ScopeMetricsSnapshot(completed, completed, 0, 0, Duration.ZERO, Duration.ZERO),
                hooked,
                schedules);
    }

    private static void cleanups(Recorder recorder, boolean bad) {
        ScopeChecker watch = scopeWatch(recorder);
        Runnable first = watch.newCleanup();
        Runnable second = watch.newCleanup();
        (bad ? first : second).run();
        (bad ? second : first).run();
        closed(watch, 0, false, false);
    }
}
