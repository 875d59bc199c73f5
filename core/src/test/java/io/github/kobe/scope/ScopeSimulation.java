package io.github.kobe.scope;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RetryPolicy;
import io.github.kobe.SimGroups;
import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.PeriodicSweep;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A random tree of scopes and tasks under one random schedule. Threads and time only move when the schedule says so, and one thread
 * at a time: the same seed is the same run. Scopes are closed when nothing of theirs is left, with no grace at all: whatever the
 * close had to wait for is a complaint.
 */
final class ScopeSimulation {

    private static final int STEPS = 60;
    private static final int PATIENCE = 5_000;
    private static final int GROUP_LIMIT = 2;

    private final SplittableRandom random;
    private final ScopeSabotage sabotage;
    private final FakeTimer clock = new FakeTimer();
    private final Timer timer = new InterleavingTimer();
    private final boolean slipsIn;
    private final boolean foreign;
    private final Scheduler scheduler;
    private final GroupExecutor groups;
    private final List<String> complaints = new ArrayList<>();
    private final List<SimScope> scopes = new ArrayList<>();
    private final Map<Runnable, SimThread> starting = new HashMap<>();
    private final List<SimThread> threads = new ArrayList<>();
    private final Map<String, Integer> runningInGroup = new HashMap<>();
    private final Set<SimThread> moving = new HashSet<>();
    private int depth;
    private int slips;
    private int driverSlips;
    private boolean ending;

    ScopeSimulation(long seed, ScopeSabotage sabotage) {
        this.random = new SplittableRandom(seed);
        this.sabotage = sabotage;
        this.slipsIn = random.nextBoolean() && sabotage == ScopeSabotage.NONE;
        this.foreign = random.nextBoolean();
        this.scheduler = new Scheduler("sim", !foreign, null, this::start, timer);
        this.groups = SimGroups.of(
                GroupPolicy.builder()
                        .defaultMaxConcurrencyPerGroup(GROUP_LIMIT)
                        .defaultQueueThresholdPerGroup(random.nextInt(3) == 0 ? 1 : 100)
                        .idleGroupTtl(Duration.ZERO)
                        .build(),
                this::start,
                timer);
    }

    /** Uses a thread of its own, since a thread remembers the scopes that it has opened. */
    void run() {
        Thread driver = Thread.ofVirtual().unstarted(this::drive);
        driver.start();
        try {
            driver.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (!complaints.isEmpty()) {
            throw new AssertionError(complaints.get(0));
        }
    }

    private void drive() {
        try {
            open(null);
            int steps = 1 + random.nextInt(STEPS);
            for (int i = 0; i < steps && complaints.isEmpty(); i++) {
                anything();
                scopes.forEach(SimScope::compare);
            }
            if (complaints.isEmpty()) {
                finish();
            }
        } catch (Throwable thrown) {
            complaints.add("thrown: " + thrown + " at " + List.of(thrown.getStackTrace()));
        }
    }

    private void anything() {
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4 -> submit(any(scopes));
            case 5, 6, 7, 8, 9, 10 -> move();
            case 11, 12 -> clock.advance(seconds(random.nextInt(4)));
            case 13 -> cancelATask();
            case 14 -> cancelASchedule();
            case 15 -> schedule(any(scopes));
            case 16 -> open(null);
            case 17 -> closeIfIdle();
            case 18 -> join(any(scopes));
            default -> cancelAScopeSometimes();
        }
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private static long seconds(int number) {
        return Duration.ofSeconds(number).toNanos();
    }

    // ---- threads -------------------------------------------------------------------------------------------------

    /** The runner. A task waits until the schedule moves it. Other work, such as notifying a hook, runs at once. */
    private void start(Runnable work) {
        if (!(work instanceof KernelTask<?> || work instanceof Handoff)) {
            work.run();
            return;
        }
        if (random.nextInt(40) == 0) {
            throw new RejectedExecutionException("no thread");
        }
        if (sabotage == ScopeSabotage.LOST_START && random.nextInt(4) == 0) {
            return;
        }
        if (work instanceof Handoff && random.nextInt(6) == 0) {
            work.run(); // as a caller of a full pool does
            return;
        }
        starting.put(work, new SimThread(() -> runOnOwnThread(work)));
        order.add(work);
    }

    private final List<Runnable> order = new ArrayList<>(); // the order of the starting tasks

    private void runOnOwnThread(Runnable work) {
        work.run();
        check(
                !(work instanceof Handoff) || !Thread.interrupted(),
                "late interrupt: left on a thread that has other work to do");
    }

    private void check(boolean holds, String complaint) {
        if (!holds) {
            complaints.add(complaint);
        }
    }

    /** Moves a random thread, which may be a new one. */
    private void move() {
        int which = order.isEmpty() && threads.isEmpty() ? -1 : random.nextInt(order.size() + threads.size());
        if (which < 0) {
            return;
        }
        if (which < order.size()) {
            SimThread fresh = starting.remove(order.remove(which));
            threads.add(fresh);
            move(fresh);
        } else {
            move(threads.get(which - order.size()));
        }
    }

    private void move(SimThread thread) {
        if (!moving.add(thread)) {
            return; // it is moving already
        }
        thread.move();
        moving.remove(thread);
        if (thread.isDone()) {
            threads.remove(thread);
        }
    }

    // ---- scopes --------------------------------------------------------------------------------------------------

    private SimScope open(@Nullable SimThread owner) {
        int limit = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : Integer.MAX_VALUE;
        ThreadScope scope = ThreadScope.open()
                .withScheduler(scheduler)
                .withFailurePolicy(any(List.of(FailurePolicy.values())))
                .withDeadline(Duration.ofSeconds(3 + random.nextInt(60)))
                .withCloseGrace(Duration.ZERO);
        SimScope sim = new SimScope(scope, owner, limit, complaints);
        // without groups, without a hook and on fresh threads, tasks are timed and counted by other code
        if (random.nextBoolean()) {
            sim.grouped = true;
            scope.withGroups(groups);
        }
        if (limit != Integer.MAX_VALUE) {
            scope.withConcurrencyLimit(sabotage == ScopeSabotage.GENEROUS_LIMIT ? limit + 1 : limit)
                    .withQueueing(true);
        }
        if (random.nextInt(3) > 0) {
            sim.hooked = true;
            sim.hookThrows = random.nextInt(4) == 0;
            sim.notificationsPerCompletion =
                    sabotage == ScopeSabotage.DOUBLE_HOOK ? 2 : sabotage == ScopeSabotage.LOST_HOOK ? 0 : 1;
            scope.withHook(sim);
        }
        scopes.add(sim);
        return sim;
    }

    private void cancelAScopeSometimes() {
        if (random.nextInt(4) == 0) {
            any(scopes).scope.token().cancel();
        }
    }

    private void closeIfIdle() {
        SimScope sim = any(scopes);
        if (sim.owner == null && random.nextInt(3) == 0 && !sim.closed) {
            sim.scope.token().cancel();
            if (isIdle(sim)) {
                close(sim);
            }
        }
    }

    /** Whether close, after a cancel, has nothing to wait for. False while this call interrupts another operation. */
    private boolean isIdle(SimScope sim) {
        return driverSlips == 0 && moving.size() <= 1 && isIdle((ScopeState) sim.scope.token());
    }

    private boolean isIdle(ScopeState state) {
        return state.unfinishedTasks().isEmpty()
                && order.stream()
                        .noneMatch(work ->
                                work instanceof ScopeTaskImpl<?> t && t.tasks().scope() == state)
                && state.children().stream().allMatch(this::isIdle);
    }

    private void close(SimScope sim) {
        if (!sim.tasks.isEmpty()) {
            awaitAll(sim);
        }
        try {
            sim.scope.close();
        } catch (RuntimeException e) {
            check(false, "closes: " + e.getMessage());
        }
        sim.closed = true;
        check(isOver(sim), "closes: something of " + sim.scope + " is left");
        if (sabotage == ScopeSabotage.LATE_WORK) {
            sim.started(true);
        }
        sim.checkClosed();
        if (sabotage == ScopeSabotage.CHANGED_OUTCOME) {
            sim.tasks.forEach(entry -> entry.outcome = Task.State.RUNNING);
        }
        sim.compare();
    }

    /** Every permit has been released, and every hook was notified. */
    private static boolean isOver(SimScope sim) {
        ScopeTasks tasks = ((ScopeState) sim.scope.token()).tasksOrNull();
        boolean interrupted = Thread.interrupted();
        try {
            return tasks == null || tasks.awaitTermination(0);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** All have completed, so this returns at once. */
    private void awaitAll(SimScope sim) {
        List<Task<?>> tasks = new ArrayList<>();
        sim.tasks.forEach(entry -> tasks.add(entry.task));
        boolean done = tasks.stream().allMatch(Task::isDone);
        check(done, "every task completes: " + tasks);
        if (done) {
            try {
                Outcome outcome = sim.scope.await(tasks);
                check(outcome.total() == tasks.size(), "outcome: " + outcome);
                check(
                        outcome.succeeded() + outcome.failed() + outcome.cancelled() == outcome.total(),
                        "outcome adds up: " + outcome);
            } catch (RuntimeException e) {
                boolean failed = tasks.stream().anyMatch(Task::isFailed);
                check(failed || e instanceof ScopeTimeoutException, "outcome: " + e);
            }
        }
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    private void submit(SimScope sim) {
        Script script = new Script(sim, sim.grouped && random.nextInt(5) == 0 ? "g" + random.nextInt(2) : null);
        TaskPriority priority = random.nextInt(3) == 0 ? any(List.of(TaskPriority.values())) : null;
        RetryPolicy retry = random.nextInt(3) == 0 ? retry() : null;
        Duration timeout = random.nextInt(4) == 0 ? Duration.ofSeconds(1 + random.nextInt(8)) : null;
        try {
            Task<?> task = script.groupKey == null
                    ? sim.scope.submit("t", script, priority, retry, timeout)
                    : sim.scope.submit(script.groupKey, "t", script, priority, retry, timeout);
            note(sim, task);
        } catch (IllegalStateException | ScopeTimeoutException e) {
            check(sim.scope.token().isCancelled(), "rejected by an open scope: " + e);
        }
    }

    private RetryPolicy retry() {
        RetryPolicy policy = RetryPolicy.fixedDelay(1 + random.nextInt(3), Duration.ofSeconds(random.nextInt(3)));
        return random.nextBoolean() ? policy : policy.keepingPermit();
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    private static void note(SimScope sim, Task<?> task) {
        SimScope.Entry entry = new SimScope.Entry(task);
        sim.tasks.add(entry);
        task.toCompletableFuture().whenComplete((value, fault) -> entry.futureTold++);
    }

    private void cancelATask() {
        SimScope sim = any(scopes);
        if (!sim.tasks.isEmpty()) {
            Task<?> task = any(sim.tasks).task;
            boolean done = task.isDone();
            boolean cancelled = task.cancel();
            check(!(done && cancelled), "one outcome: cancelled after its completion: " + task);
            check(!cancelled || task.isDone(), "one outcome: cancelled, and not done: " + task);
        }
    }

    /** With tasks that fail at once, so that it does not have to wait; on a scope that runs tasks where they are submitted. */
    private void join(SimScope sim) {
        if (sim.scope.token().isCancelled()) {
            try {
                sim.scope.joiner().firstSuccess(() -> 1, () -> 2);
                check(false, "a cancelled scope has joined");
            } catch (IllegalStateException | ScopeTimeoutException e) {
                check(true, "");
            }
        }
    }

    private void schedule(SimScope sim) {
        Script script = new Script(sim, null);
        script.isRunOfSchedule = true;
        Runnable run = () -> {
            try {
                script.attempts = 0;
                script.call();
            } catch (InterruptedException e) {
                throw new CancelledException("interrupted", e);
            }
        };
        Duration delay = Duration.ofSeconds(random.nextInt(5));
        try {
            sim.schedules.add(
                    switch (random.nextInt(3)) {
                        case 0 -> sim.scope.schedule(delay, run);
                        case 1 -> sim.scope.scheduleAtFixedRate(delay, Duration.ofSeconds(1), run);
                        default -> sim.scope.scheduleWithFixedDelay(delay, Duration.ofSeconds(2), run);
                    });
        } catch (IllegalStateException | ScopeTimeoutException e) {
            check(sim.scope.token().isCancelled(), "rejected by an open scope: " + e);
        }
    }

    private void cancelASchedule() {
        SimScope sim = any(scopes);
        if (!sim.schedules.isEmpty()) {
            ScheduledTask schedule = any(sim.schedules);
            boolean done = schedule.isDone();
            check(schedule.cancel() != done, "a schedule is cancelled once");
            check(schedule.isDone(), "a cancelled schedule is done");
        }
    }

    /** The code of a task: some steps, between which other threads move, and then a random outcome. */
    private final class Script implements Callable<String> {
        private final SimScope sim;
        private final @Nullable String groupKey;
        private final int steps = random.nextInt(4);
        private final int failures = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0;
        private final boolean polite = random.nextInt(4) > 0;
        private final boolean nests = random.nextInt(5) == 0;
        private int attempts;
        private boolean isRunOfSchedule;

        Script(SimScope sim, @Nullable String groupKey) {
            this.sim = sim;
            this.groupKey = groupKey;
        }

        @Override
        public String call() throws InterruptedException {
            boolean first = attempts++ == 0;
            sim.runsOfSchedules += isRunOfSchedule ? 1 : 0;
            sim.started(first);
            inGroup(1);
            try {
                if (nests && SimThread.isHere() && !ending && depth < 3) {
                    nest();
                }
                for (int i = 0; i < steps; i++) {
                    step();
                }
            } finally {
                inGroup(-1);
                sim.finished();
            }
            if (attempts <= failures) {
                throw new IllegalStateException("attempt " + attempts);
            }
            return "done";
        }

        private void inGroup(int change) {
            if (groupKey != null) {
                int now = runningInGroup.merge(groupKey, change, Integer::sum);
                check(now <= GROUP_LIMIT, "limit of a group: " + now);
            }
        }

        private void step() throws InterruptedException {
            SimThread.standStill();
            if (polite && Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (!ending) {
                switch (random.nextInt(12)) {
                    case 0 -> submit(sim);
                    case 1 -> cancelATask();
                    case 2 -> sim.scope.token().cancel();
                    default -> {}
                }
            }
        }

        /** A scope in this task, which it closes when nothing of it is left. */
        private void nest() throws InterruptedException {
            depth++;
            SimScope inner = open(SimThread.here());
            try {
                for (int i = random.nextInt(4); i > 0; i--) {
                    submit(inner);
                    step();
                }
            } finally {
                inner.scope.token().cancel();
                while (!isIdle(inner) && complaints.isEmpty()) {
                    SimThread.standStill();
                }
                close(inner);
                depth--;
            }
        }
    }

    // ---- finish --------------------------------------------------------------------------------------------------

    private void finish() {
        ending = true;
        if (sabotage == ScopeSabotage.STUCK_GROUP) {
            groups.submit("stuck", "stuck", () -> 1); // its thread is never moved
            order.forEach(starting::remove);
            order.clear();
        }
        List<SimScope> own = scopes.stream().filter(sim -> sim.owner == null).toList();
        if (random.nextBoolean()) {
            settle(own, 20);
        }
        own.forEach(sim -> sim.scope.token().cancel());
        settle(own, PATIENCE);
        for (SimScope sim : random.nextBoolean() ? own : own.reversed()) {
            if (!sim.closed) {
                close(sim);
            }
        }
        scopes.forEach(sim -> check(sim.closed, "closes: " + sim.scope));
        scopes.forEach(SimScope::checkClosed);
        checkGroups();
        clock.advance(0);
        int left = clock.pendingBut(PeriodicSweep.class);
        check(left == 0, "no timer entry is left: " + left);
        clock.advance(Duration.ofSeconds(1).toNanos()); // until the sweep over the calls of hooks finds none
        check(clock.pending() == 0, "no sweep is left: " + clock.pending());
    }

    private void settle(List<SimScope> own, int patience) {
        for (int i = 0; i < patience && complaints.isEmpty(); i++) {
            if (order.isEmpty() && threads.isEmpty() && own.stream().allMatch(this::isIdle)) {
                return;
            }
            move();
            clock.advance(seconds(random.nextInt(8) == 0 ? 1 : 0));
        }
    }

    private void checkGroups() {
        GroupExecutorStats stats = groups.stats();
        check(stats.totalActiveCount() == 0 && stats.totalQueuedCount() == 0, "permits of groups: " + stats);
    }

    /** Runs another action in the middle of an operation, as a concurrent thread would. */
    private void slipIn() {
        if (!slipsIn || slips > 2 || random.nextInt(8) > 0) {
            return;
        }
        slips++;
        driverSlips += SimThread.isHere() ? 0 : 1;
        switch (random.nextInt(5)) {
            case 0 -> clock.advance(seconds(1 + random.nextInt(3)));
            case 1 -> cancelATask();
            case 2 -> cancelAScopeSometimes();
            case 3 -> cancelASchedule();
            default -> move();
        }
        slips--;
        driverSlips -= SimThread.isHere() ? 0 : 1;
    }

    /** The timer. At each call, another action may run in the middle of the caller's operation. */
    private final class InterleavingTimer implements Timer {
        @Override
        public long nanoTime() {
            return clock.nanoTime();
        }

        @Override
        public void start(TimerEntry timeout, long delayNanos) {
            clock.start(timeout, delayNanos);
            if (!isOfAHook(timeout)) {
                slipIn();
            }
        }

        /** A leaky timer reports that it removed an entry, but keeps it. */
        @Override
        public boolean cancel(TimerEntry timeout) {
            boolean cancelled = clock.cancel(timeout);
            if (cancelled && sabotage == ScopeSabotage.LEAKY_TIMER) {
                clock.schedule(() -> {}, seconds(3_600));
            }
            if (!isOfAHook(timeout)) {
                slipIn();
            }
            return cancelled;
        }

        /** While a hook is notified, a canceller of its task waits; with only one thread it would wait forever. */
        private boolean isOfAHook(TimerEntry timeout) {
            return timeout instanceof PeriodicSweep;
        }
    }
}
