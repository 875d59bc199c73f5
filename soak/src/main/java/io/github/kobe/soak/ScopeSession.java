package io.github.kobe.soak;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.scope.AggregateException;
import io.github.kobe.scope.CancelledException;
import io.github.kobe.scope.Context;
import io.github.kobe.scope.FailurePolicy;
import io.github.kobe.scope.Scheduler;
import io.github.kobe.scope.ScopeTimeoutException;
import io.github.kobe.scope.Task;
import io.github.kobe.scope.TaskExecutionException;
import io.github.kobe.scope.TaskPriority;
import io.github.kobe.scope.ThreadScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One scope, from its opening to its close, with whatever the random have it do. */
final class ScopeSession {

    private static final int DEEPEST = 2;

    private final Recorder recorder;
    private final RandomSource random;
    private final long op;
    private final int depth;
    private final GroupFixture rig;
    private final ScopeChecker watch;
    private final ThreadScope scope;
    private final boolean hooked;
    private final List<Task<?>> tasks = new ArrayList<>();
    private final List<TrackedTask> probes = new ArrayList<>(); // of those, in the same order
    private final boolean roomForTwo; // tasks that wait for each other
    private boolean unknownTasks;

    ScopeSession(Recorder recorder, RandomSource random, long op, int depth, GroupFixture rig) {
        this.recorder = recorder;
        this.random = random;
        this.op = op;
        this.depth = depth;
        this.rig = rig;
        this.hooked = random.oneIn(2);
        int limit = random.oneOf(1, 2, 4, Integer.MAX_VALUE);
        boolean virtual = !random.oneIn(4);
        boolean counted = rig.handler || rig.rejection != io.github.kobe.RejectionPolicy.CALLER_RUNS;
        this.roomForTwo = virtual && limit > 1;
        this.watch = new ScopeChecker(recorder, op, limit, virtual, counted ? rig : null);
        this.scope = configure(ThreadScope.open(), limit, virtual);
    }

    private ThreadScope configure(ThreadScope fresh, int limit, boolean virtual) {
        fresh.withFailurePolicy(random.oneOf(FailurePolicy.values())).withGroups(rig.executor);
        if (limit != Integer.MAX_VALUE) {
            fresh.withConcurrencyLimit(limit).withQueueing(random.oneIn(2));
        }
        if (!virtual) {
            fresh.withScheduler(
                    switch (random.below(3)) {
                        case 0 -> Scheduler.fixed(2);
                        case 1 -> Scheduler.priority(2);
                        default -> depth == 0 ? Scheduler.commonPool() : Scheduler.fixed(1);
                    });
        }
        if (random.oneIn(4)) {
            fresh.withDeadline(random.micros(200, 5000));
        }
        if (random.oneIn(4)) {
            fresh.withRetryPolicy(RetryPolicy.fixedDelay(3, random.micros(0, 500)));
        }
        if (hooked) {
            fresh.withHook(watch);
        }
        if (random.oneIn(10)) {
            fresh.withContextCarrier(() -> {
                throw new InjectedException("a carrier");
            });
        }
        return fresh;
    }

    /** On the thread that opened it. */
    void play() {
        try {
            int steps = random.between(1, 6);
            for (int i = 0; i < steps; i++) {
                expectedOnly(this::step);
            }
        } finally {
            expectedOnly(scope::close);
            boolean interrupted = Thread.interrupted(); // it would end the looks below, too
            watch.checkClosed(tasks, scope.metrics(), hooked, unknownTasks);
            judge();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void judge() {
        for (int i = 0; i < tasks.size(); i++) {
            Task<?> task = tasks.get(i);
            TrackedTask probe = probes.get(i);
            if (task.state() == Task.State.SUCCESS) {
                probe.verifyValue(recorder, task.toCompletableFuture().join());
            }
        }
    }

    /** What the contract names is in order; all else is not. */
    private void expectedOnly(Runnable work) {
        try {
            work.run();
        } catch (CancelledException
                | AggregateException
                | ScopeTimeoutException
                | TaskTimeoutException
                | TaskExecutionException
                | InjectedException
                | RejectedTaskException expected) {
            if (expected instanceof RejectedTaskException rejected) {
                TrackedTask.checkNumbers(recorder, op, rejected);
            }
        } catch (AssertionError | StackOverflowError | IllegalStateException e) {
            boolean planned = InjectedException.isInjected(e);
            boolean shutDown = e instanceof IllegalStateException && rig.troupe.isBulkCancelling();
            recorder.check(Check.NO_STRAY_EXCEPTION, planned || shutDown, op, () -> WorkloadThread.stackTrace(e));
        }
    }

    private void step() {
        switch (random.below(14)) {
            case 0, 1, 2, 3 -> submit();
            case 4, 5 -> submitToGroup();
            case 6 -> scope.await(tasks);
            case 7 -> nest();
            case 8 -> ScopeGames.join(scope, random, recorder, op, this::unknown);
            case 9 -> ScopeGames.schedule(scope, watch, random, recorder, op, this::unknown);
            case 10 -> ScopeGames.channel(scope, roomForTwo, random, recorder, op, this::unknown);
            case 11 -> scope.defer(watch.newCleanup());
            case 12 -> cancelSomething();
            default -> carryContext();
        }
    }

    private void unknown() {
        unknownTasks = true;
    }

    private Callable<Object> body(TrackedTask probe) {
        return new TaskBody(probe, watch, recorder);
    }

    private void submit() {
        long number = recorder.countOperation("scope task");
        TrackedTask probe = probe(number, "");
        boolean timeout = random.oneIn(5);
        TaskPriority priority = random.oneOf(TaskPriority.values());
        @Nullable RetryPolicy retry = random.oneIn(4) ? TaskSpec.randomRetry(random) : null;
        @Nullable Duration time = timeout ? random.micros(200, 3000) : null;
        add(handIn(() -> scope.submit(null, body(probe), priority, retry, time)), probe);
    }

    private void submitToGroup() {
        long number = recorder.countOperation("scope task of a group");
        TrackedTask probe = probe(number, GroupOperations.anyGroup(random));
        rig.maybeHandedIn.add(4);
        add(handIn(() -> PermitFreeThread.call(() -> scope.submit(probe.group, probe.taskId(), body(probe)))), probe);
        if (random.oneIn(20)) {
            rig.executor.evictGroup(probe.group);
        }
    }

    /** One that is refused may have been counted. */
    private Task<Object> handIn(Callable<Task<Object>> submit) {
        boolean known = false;
        try {
            Task<Object> task = submit.call();
            known = true;
            return task;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            unknownTasks |= !known;
        }
    }

    /** Anything may cancel it. */
    private TrackedTask probe(long number, String group) {
        TrackedTask probe = new TrackedTask(
                rig.troupe,
                number,
                "scope",
                group,
                TaskBehavior.random(random),
                new TaskSpec(TaskSpec.DEFAULT.options(), 4, false));
        probe.cancelExpected = true;
        return probe;
    }

    private void add(Task<?> task, TrackedTask probe) {
        tasks.add(task);
        probes.add(probe);
        if (random.oneIn(8)) {
            task.cancel();
        }
    }

    /** A scope inside this one: in its block, or in one of its tasks. */
    private void nest() {
        if (depth == DEEPEST) {
            return;
        }
        long number = recorder.countOperation("scope, nested");
        RandomSource inner = random.split();
        if (random.oneIn(2)) {
            new ScopeSession(recorder, inner, number, depth + 1, rig).play();
        } else {
            unknown();
            scope.submit(() -> {
                new ScopeSession(recorder, inner, number, depth + 1, rig).play();
                return number;
            });
        }
    }

    private void cancelSomething() {
        if (random.oneIn(3)) {
            scope.token().cancel();
        } else if (!tasks.isEmpty()) {
            Task<?> task = random.oneOf(tasks);
            if (random.oneIn(2)) {
                task.cancel();
            } else {
                task.toCompletableFuture().cancel(true);
            }
        } else {
            LockSupport.parkNanos(100_000);
        }
    }

    private void carryContext() {
        unknown();
        Context.put("op", op);
        try {
            scope.submit(() -> {
                checkContext(recorder, op, Context.get("op"));
                return op;
            });
        } finally {
            Context.remove("op");
        }
    }

    static void checkContext(Recorder recorder, long op, @Nullable Object found) {
        boolean fine = found instanceof Long seen && seen == op;
        recorder.check(Check.CONTEXT_CARRIED, fine, op, () -> "found " + found + " in the context");
    }
}
