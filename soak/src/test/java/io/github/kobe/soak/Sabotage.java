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
    void play(Recorder book, boolean bad) throws Exception;

    /** Shows the check what a library might do that is broken. */
    static Sabotage of(Check check) {
        return switch (check) {
            case GROUP_LIMIT, GLOBAL_LIMIT, WORKER_LIMIT, BUDGET_LIMIT, SCOPE_LIMIT ->
                (book, bad) -> limit(check, book, bad);
            case HANDLE_DONE -> Sabotage::handleDone;
            case ONE_END -> Sabotage::oneEnd;
            case FAITHFUL_END ->
                (book, bad) -> {
                    Object value = new Object();
                    TrackedTask probe = succeeded(value);
                    probe.judge(book, success(bad ? new Object() : value), true);
                };
            case ATTEMPTS ->
                (book, bad) -> {
                    Object value = new Object();
                    TrackedTask probe = succeeded(value);
                    probe.attempts.set(bad ? 2 : 1);
                    probe.judge(book, success(value), true);
                };
            case CONSERVATION -> (book, bad) -> ConservationCheck.check(book, "x", counts(bad ? 3 : 2, 2));
            case HANDED_IN ->
                (book, bad) -> {
                    ConservationCheck.checkHandedIn(book, "x", counts(bad ? 1 : 2, 1), 2, 1);
                    ConservationCheck.checkHandedIn(book, "x", counts(bad ? 4 : 3, 1), 2, 1);
                };
            case FALLBACK_ONCE ->
                (book, bad) -> {
                    TrackedTask probe = probe(TaskSpec.PLAIN);
                    probe.fallbacks.set(bad ? 2 : 1);
                    IsolationWorkload.checkFallback(book, probe, TaskStatus.REJECTED);
                };
            case DONE_AT_TIMEOUT -> (book, bad) -> TaskBody.checkDone(book, probe(TaskSpec.PLAIN), !bad);
            case PLACE_WHILE_RUNNING -> Sabotage::placeWhileRunning;
            case NO_PLACE_AT_REST ->
                (book, bad) -> withRig(book, 60_000, (rig, face) -> {
                    try (Permit held = rig.executor.acquire(GroupFixture.CALM)) {
                        rig.surelyHandedIn.increment();
                        closeUnless(bad, held);
                        face.checkAtRest();
                    }
                });
            case GROUPS_FORGOTTEN ->
                (book, bad) -> withRig(book, bad ? 1 : 60_000, (rig, face) -> {
                    try (Permit held = rig.executor.acquire(GroupFixture.CALM)) {
                        closeUnless(bad, held);
                        face.checkForgotten();
                    }
                });
            case ALL_PLACES_USED, NO_HOSTAGE -> Sabotage::placesTakenInDrills;
            case COMES_TO_REST -> (book, bad) -> patience(book, 1).await(check, "it", () -> !bad, () -> "state");
            case NO_THREAD_WAITS -> (book, bad) -> GroupScenarios.checkThreads(book, "x", 4, bad ? 200 : 4);
            case SUBMISSION_ORDER ->
                (book, bad) -> {
                    OrderChecker order = new OrderChecker(book, "x");
                    order.starts(0, 7);
                    order.starts(1, 3); // of another priority
                    order.starts(0, bad ? 6 : 8);
                };
            case PRIORITY_ORDER ->
                (book, bad) -> Lineup.checkPriorities(
                        book, "x", List.of(new int[] {3, 0}, new int[] {1, bad ? 2 : 1}, new int[] {1, bad ? 1 : 2}));
            case FAIR_TURNS ->
                (book, bad) -> Lineup.checkTurns(
                        book, "x", List.of("a", "b", "b", bad ? "b" : "a", "a"), Map.of("a", 1, "b", 1));
            case CALLBACK_UNLOCKED -> Sabotage::callbackUnlocked;
            case NO_STRAY_EXCEPTION -> Sabotage::strayException;
            case THREADS_BOUNDED -> (book, bad) -> SoakRound.checkThreads(book, bad ? 5000 : 20);
            case NO_FLAG_AT_START ->
                (book, bad) -> {
                    flag(bad);
                    CleanStart.check(book, probe(TaskSpec.PLAIN), null, null);
                    flag(false);
                };
            case NO_LOCALS_AT_START ->
                (book, bad) -> {
                    CleanStart.check(book, probe(TaskSpec.PLAIN), bad ? 1L : null, null);
                    CleanStart.check(book, probe(TaskSpec.PLAIN), null, bad ? "actor" : null);
                };
            case NO_STRAY_INTERRUPT ->
                (book, bad) -> {
                    TrackedTask probe = probe(TaskSpec.PLAIN);
                    probe.disturbed = !bad;
                    CleanStart.checkInterrupt(book, probe, true);
                };
            case NOTHING_AFTER_CLOSE ->
                (book, bad) -> {
                    ScopeChecker watch = scopeWatch(book);
                    closed(watch, 0, false, bad);
                    if (bad) {
                        watch.enter(probe(TaskSpec.PLAIN));
                    }
                };
            case DONE_AT_CLOSE ->
                (book, bad) -> {
                    ScopeChecker watch = scopeWatch(book);
                    watch.onStart(info(1));
                    watch.onCancel(info(1), Duration.ZERO);
                    if (bad) {
                        watch.onCancel(info(1), Duration.ZERO);
                    }
                    closed(watch, 1, true, true);
                };
            case METRICS_ADD_UP -> (book, bad) -> closed(scopeWatch(book), bad ? 1 : 0, false, false);
            case CLEANUPS_RUN -> Sabotage::cleanups;
            case CONTEXT_CARRIED -> (book, bad) -> ScopeSession.checkContext(book, 7, bad ? 8L : 7L);
            case JOINED_RESULT ->
                (book, bad) -> ScopeGames.checkJoined(
                        book, 1, 2, bad ? List.of("a", "c") : List.of("a", "b"), Set.of("a", "b"));
            case RUNS_DO_NOT_OVERLAP -> (book, bad) -> ScopeGames.checkAlone(book, 1, bad ? 2 : 1);
            case CHANNEL_KEEPS_ALL ->
                (book, bad) -> ScopeGames.checkReceived(book, 1, 3, bad ? List.of(0, 2, 1) : List.of(0, 1, 2));
            case NUMBERS_IN_ERRORS ->
                (book, bad) -> TrackedTask.checkNumbers(book, 1, bad ? withoutNumbers() : withNumbers());
            case THREADS_GONE -> Sabotage::threadLeft;
            case HEAP_BACK ->
                (book, bad) -> SoakRun.checkHeap(
                        book, new Footprint(1, 10 << 20), new Footprint(1, bad ? 100 << 20 : 12 << 20));
        };
    }

    // ---- limits --------------------------------------------------------------------------------------------------

    /** One too many; when the limit was lowered, one too many for that; and when it was not paid off yet, none. */
    private static void limit(Check check, Recorder book, boolean bad) {
        LimitChecker watch = new LimitChecker(check, book, "x", 2);
        watch.enter(1);
        watch.enter(2);
        watch.change(1, () -> {});
        watch.settle(watch::inside);
        watch.leave();
        watch.enter(3); // it may have had its place before
        watch.leave();
        watch.settle(watch::inside);
        if (bad) {
            watch.enter(4);
        }
    }

    // ---- ends ----------------------------------------------------------------------------------------------------

    private static TrackedTask probe(TaskSpec terms) {
        return new TrackedTask(new TaskTracker(), 7, "x", "g", TaskBehavior.RETURN, terms);
    }

    private static TrackedTask succeeded(Object value) {
        TrackedTask probe = probe(TaskSpec.PLAIN);
        probe.attempts.set(1);
        probe.returns(value);
        probe.toldSubmitted.set(1);
        probe.toldStarted.set(1);
        probe.toldEnds.set(1);
        probe.toldStatus = TaskStatus.SUCCESS;
        return probe;
    }

    private static GroupResult<Object> success(Object value) {
        return GroupResult.success("g", "op-7", value, 0, 1);
    }

    private static void oneEnd(Recorder book, boolean bad) {
        Object value = new Object();
        TrackedTask twice = succeeded(value);
        twice.toldEnds.set(bad ? 2 : 1);
        twice.judge(book, success(value), true);
        TrackedTask otherwise = succeeded(value);
        otherwise.toldStatus = bad ? TaskStatus.CANCELLED : TaskStatus.SUCCESS;
        otherwise.judge(book, success(value), true);
    }

    private static void handleDone(Recorder book, boolean bad) throws Exception {
        withRig(book, 60_000, (rig, face) -> {
            CountDownLatch release = new CountDownLatch(1);
            TrackedTask probe = rig.probe(7, GroupFixture.CALM, TaskBehavior.RETURN, TaskSpec.PLAIN);
            var handle = rig.executor.submit(probe.group, probe.id(), () -> {
                release.await();
                return rig.body(probe).call();
            });
            probe.handle = handle;
            if (!bad) {
                release.countDown();
                handle.await();
            }
            probe.judge(book, false);
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

    private static Watchdog patience(Recorder book, long millis) {
        return new Watchdog(book, Duration.ofMillis(millis), new PrintStream(OutputStream.nullOutputStream()));
    }

    /** Under a global limit, with ABORT. */
    private static void withRig(Recorder book, long millis, Scene scene) throws Exception {
        RandomSource dice = new RandomSource(1);
        GroupFixture rig = new GroupFixture("x", true, 0, dice, book, patience(book, millis));
        try (rig.executor) {
            scene.play(rig, new GroupWorkload(rig, dice));
        }
    }

    private static void closeUnless(boolean bad, Permit permit) {
        if (!bad) {
            permit.close();
        }
    }

    private static void placeWhileRunning(Recorder book, boolean bad) throws Exception {
        withRig(book, 60_000, (rig, face) -> {
            TrackedTask probe = rig.probe(7, GroupFixture.CALM, TaskBehavior.STUBBORN, TaskSpec.PLAIN);
            try (Permit held = rig.executor.acquire(GroupFixture.CALM)) {
                closeUnless(!bad, held);
                rig.outlives(probe);
            }
        });
    }

    /** Whoever loses a permit loses the same as one who never gives it back. */
    private static void placesTakenInDrills(Recorder book, boolean bad) throws Exception {
        withRig(book, bad ? 20 : 60_000, (rig, face) -> {
            List<Permit> taken = new ArrayList<>();
            for (int i = 0; bad && i < 2; i++) {
                taken.add(rig.executor.acquire(GroupFixture.CALM));
            }
            new GroupScenarios(rig, new RandomSource(1)).all();
            taken.forEach(Permit::close);
        });
    }

    // ---- callbacks and threads -----------------------------------------------------------------------------------

    private static void callbackUnlocked(Recorder book, boolean bad) {
        CountDownLatch held = new CountDownLatch(bad ? 1 : 0);
        FaultyListener.checkUnlocked(book, patience(book, bad ? 1 : 60_000), "a callback", () -> {
            try {
                held.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        held.countDown();
    }

    private static void strayException(Recorder book, boolean bad) throws Exception {
        withRig(book, 60_000, (rig, face) -> {
            AtomicBoolean done = new AtomicBoolean();
            Operation op = Operation.of("op", 1, (dice, number) -> {
                done.set(true);
                if (bad) {
                    throw new ArithmeticException("not in the contract");
                }
            });
            new WorkloadThread("x", List.of(face), any -> List.of(op), new RandomSource(1), book, done::get).run();
        });
    }

    private static void flag(boolean set) {
        Thread.interrupted();
        if (set) {
            Thread.currentThread().interrupt();
        }
    }

    private static void threadLeft(Recorder book, boolean bad) throws InterruptedException {
        CountDownLatch release = new CountDownLatch(bad ? 1 : 0);
        CountDownLatch noted = new CountDownLatch(1);
        Thread thread = Thread.startVirtualThread(() -> {
            book.roster().note(0);
            noted.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        noted.await();
        SoakRound.checkRoster(book, patience(book, bad ? 1 : 60_000));
        release.countDown();
        thread.join();
    }

    // ---- scopes --------------------------------------------------------------------------------------------------

    private static ScopeChecker scopeWatch(Recorder book) {
        return new ScopeChecker(book, 7, 4, true, null);
    }

    private static TaskInfo info(long id) {
        return new TaskInfo("scope-1", id, "task", Instant.EPOCH, "virtualThreads");
    }

    private static void closed(ScopeChecker watch, int completed, boolean hooked, boolean schedules) {
        watch.closed(
                List.of(),
                new ScopeMetricsSnapshot(completed, completed, 0, 0, Duration.ZERO, Duration.ZERO),
                hooked,
                schedules);
    }

    private static void cleanups(Recorder book, boolean bad) {
        ScopeChecker watch = scopeWatch(book);
        Runnable first = watch.cleanup();
        Runnable second = watch.cleanup();
        (bad ? first : second).run();
        (bad ? second : first).run();
        closed(watch, 0, false, false);
    }
}
