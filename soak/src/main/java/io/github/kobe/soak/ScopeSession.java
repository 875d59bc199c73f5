package io.github.kobe.soak;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.scope.AggregateException;
import io.github.kobe.scope.CancelledException;
import io.github.kobe.scope.Channel;
import io.github.kobe.scope.Context;
import io.github.kobe.scope.FailurePolicy;
import io.github.kobe.scope.ScheduledTask;
import io.github.kobe.scope.Scheduler;
import io.github.kobe.scope.ScopeTimeoutException;
import io.github.kobe.scope.Task;
import io.github.kobe.scope.TaskExecutionException;
import io.github.kobe.scope.TaskPriority;
import io.github.kobe.scope.ThreadScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Opens one scope with random settings, performs random steps in it, closes it and verifies its tasks. */
final class ScopeSession {

    private static final int MAX_DEPTH = 2;

    private final CheckRecorder recorder;
    private final RandomSource random;
    private final long opId;
    private final int depth;
    private final GroupFixture fixture;
    private final ScopeChecker checker;
    private final ThreadScope scope;
    private final boolean hooked;
    private final List<Task<?>> tasks = new ArrayList<>();
    private final List<TrackedTask> tracked = new ArrayList<>(); // same order as tasks
    private final boolean canRunTwoTasks; // at the same time, so that one may wait for the other

    /** Whether the scope has, or may have, tasks that are not in {@link #tasks}. */
    private boolean hasOtherTasks;

    /** @param fixture the executor whose groups the scope uses */
    ScopeSession(CheckRecorder recorder, RandomSource random, long opId, int depth, GroupFixture fixture) {
        this.recorder = recorder;
        this.random = random;
        this.opId = opId;
        this.depth = depth;
        this.fixture = fixture;
        this.hooked = random.oneIn(2);
        int limit = random.oneOf(1, 2, 4, Integer.MAX_VALUE);
        boolean virtualThreads = !random.oneIn(4);
        this.canRunTwoTasks = virtualThreads && limit > 1;
        this.checker =
                new ScopeChecker(recorder, opId, limit, virtualThreads, fixture.callersHoldPermits() ? fixture : null);
        this.scope = configure(ThreadScope.open(), limit, virtualThreads);
    }

    private ThreadScope configure(ThreadScope opened, int limit, boolean virtualThreads) {
        opened.withFailurePolicy(random.oneOf(FailurePolicy.values())).withGroups(fixture.executor);
        if (limit != Integer.MAX_VALUE) {
            opened.withConcurrencyLimit(limit).withQueueing(random.oneIn(2));
        }
        if (!virtualThreads) {
            opened.withScheduler(
                    switch (random.below(3)) {
                        case 0 -> Scheduler.fixed(2);
                        case 1 -> Scheduler.priority(2);
                        default -> depth == 0 ? Scheduler.commonPool() : Scheduler.fixed(1);
                    });
        }
        if (random.oneIn(4)) {
            opened.withDeadline(random.micros(200, 5000));
        }
        if (random.oneIn(4)) {
            opened.withRetryPolicy(RetryPolicy.fixedDelay(3, random.micros(0, 500)));
        }
        if (hooked) {
            opened.withHook(checker);
        }
        if (random.oneIn(10)) {
            opened.withContextCarrier(() -> {
                throw new InjectedException("a carrier");
            });
        }
        return opened;
    }

    /** Called on the thread that opened the scope. */
    void run() {
        try {
            int steps = random.between(1, 6);
            for (int i = 0; i < steps; i++) {
                checkExceptions(this::step);
            }
        } finally {
            checkExceptions(scope::close);
            boolean interrupted = Thread.interrupted(); // an interrupt would disturb the checks below
            checker.checkClosed(tasks, scope.metrics(), hooked, hasOtherTasks);
            verifyValues();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void verifyValues() {
        for (int i = 0; i < tasks.size(); i++) {
            Task<?> task = tasks.get(i);
            if (task.state() == Task.State.SUCCESS) {
                tracked.get(i).verifyValue(recorder, task.toCompletableFuture().join());
            }
        }
    }

    /** Runs {@code action}. Exceptions that the contract names, and injected ones, are expected; all others are violations. */
    private void checkExceptions(Runnable action) {
        try {
            action.run();
        } catch (CancelledException
                | AggregateException
                | ScopeTimeoutException
                | TaskTimeoutException
                | TaskExecutionException
                | InjectedException
                | RejectedTaskException expected) {
            if (expected instanceof RejectedTaskException rejected) {
                TrackedTask.checkNumbers(recorder, opId, rejected);
            }
        } catch (AssertionError | StackOverflowError | IllegalStateException e) {
            boolean injected = InjectedException.isInjected(e);
            boolean shutDown = e instanceof IllegalStateException && fixture.tracker.isBulkCancelling();
            recorder.check(Check.NO_STRAY_EXCEPTION, injected || shutDown, opId, () -> WorkloadThread.stackTrace(e));
        }
    }

    private void step() {
        switch (random.below(14)) {
            case 0, 1, 2, 3 -> submit();
            case 4, 5 -> submitToGroup();
            case 6 -> scope.await(tasks);
            case 7 -> openNested();
            case 8 -> join();
            case 9 -> schedule();
            case 10 -> useChannel();
            case 11 -> scope.defer(checker.newCleanup());
            case 12 -> cancel();
            default -> carryContext();
        }
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    private Callable<Object> bodyOf(TrackedTask task) {
        return new TaskCode(task, checker, recorder);
    }

    private void submit() {
        TrackedTask task = newTask(recorder.countOperation("scope task"), "");
        boolean hasTimeout = random.oneIn(5);
        TaskPriority priority = random.oneOf(TaskPriority.values());
        @Nullable RetryPolicy retry = random.oneIn(4) ? TaskSpec.randomRetry(random) : null;
        @Nullable Duration timeout = hasTimeout ? random.micros(200, 3000) : null;
        add(submitVia(() -> scope.submit(null, bodyOf(task), priority, retry, timeout)), task);
    }

    private void submitToGroup() {
        TrackedTask task = newTask(recorder.countOperation("scope task in a group"), GroupOperations.anyGroup(random));
        fixture.possiblySubmitted.add(4); // each attempt may count as a submission
        add(submitVia(() -> PermitFreeThread.call(() -> scope.submit(task.group, task.taskId(), bodyOf(task)))), task);
        if (random.oneIn(20)) {
            fixture.executor.evictGroup(task.group);
        }
    }

    /** If {@code submission} throws, the scope may have counted the task all the same. */
    private Task<Object> submitVia(Callable<Task<Object>> submission) {
        boolean submitted = false;
        try {
            Task<Object> task = submission.call();
            submitted = true;
            return task;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            hasOtherTasks |= !submitted;
        }
    }

    /** Creates a task that may be cancelled at any time: by itself or with the scope. */
    private TrackedTask newTask(long taskOpId, String group) {
        TaskSpec spec = new TaskSpec(TaskSpec.DEFAULT.options(), 4, false);
        TrackedTask task =
                new TrackedTask(fixture.tracker, taskOpId, "scope", group, TaskBehavior.random(random), spec);
        task.cancelExpected = true;
        return task;
    }

    private void add(Task<?> task, TrackedTask trackedTask) {
        tasks.add(task);
        tracked.add(trackedTask);
        if (random.oneIn(8)) {
            task.cancel();
        }
    }

    private void cancel() {
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

    // ---- nested scopes and context -------------------------------------------------------------------------------

    /** Opens a scope inside this one: on this thread or in a task. */
    private void openNested() {
        if (depth == MAX_DEPTH) {
            return;
        }
        long nestedOpId = recorder.countOperation("scope, nested");
        RandomSource nestedRandom = random.split();
        if (random.oneIn(2)) {
            new ScopeSession(recorder, nestedRandom, nestedOpId, depth + 1, fixture).run();
        } else {
            hasOtherTasks = true;
            scope.submit(() -> {
                new ScopeSession(recorder, nestedRandom, nestedOpId, depth + 1, fixture).run();
                return nestedOpId;
            });
        }
    }

    private void carryContext() {
        hasOtherTasks = true;
        Context.put("op", opId);
        try {
            scope.submit(() -> {
                checkContext(recorder, opId, Context.get("op"));
                return opId;
            });
        } finally {
            Context.remove("op");
        }
    }

    static void checkContext(CheckRecorder recorder, long opId, @Nullable Object found) {
        boolean carried = found instanceof Long value && value == opId;
        recorder.check(Check.CONTEXT_CARRIED, carried, opId, () -> "found " + found + " in the context");
    }

    // ---- joiners, schedules, channels ----------------------------------------------------------------------------

    private void join() {
        hasOtherTasks = true;
        recorder.countOperation("scope joiner");
        Set<Object> returned = ConcurrentHashMap.newKeySet();
        List<Callable<Object>> alternatives = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            boolean fail = random.oneIn(3);
            Object value = new Object();
            alternatives.add(() -> {
                InjectedException.throwIf(fail, "a joined task");
                Thread.yield();
                returned.add(value);
                return value;
            });
        }
        Callable<Object> a = alternatives.get(0);
        Callable<Object> b = alternatives.get(1);
        Callable<Object> c = alternatives.get(2);
        Callable<Object> d = alternatives.get(3);
        switch (random.below(3)) {
            case 0 ->
                checkJoined(recorder, opId, 1, List.of(scope.joiner().<Object>firstSuccess(a, b, c, d)), returned);
            case 1 ->
                checkJoined(
                        recorder,
                        opId,
                        1,
                        List.of(scope.joiner().<Object>hedged(random.micros(1, 500), a, b, c)),
                        returned);
            default -> checkJoined(recorder, opId, 2, scope.joiner().<Object>quorum(2, a, b, c, d), returned);
        }
    }

    /** Checks that the joiner returned {@code count} different values that tasks returned. */
    static void checkJoined(CheckRecorder recorder, long opId, int count, List<Object> joined, Set<Object> returned) {
        boolean correct =
                joined.size() == count && new HashSet<>(joined).size() == count && returned.containsAll(joined);
        recorder.check(
                Check.JOINED_RESULT,
                correct,
                opId,
                () -> "the joiner returned " + joined + ", but the tasks returned " + returned);
    }

    private void schedule() {
        hasOtherTasks = true;
        recorder.countOperation("scope schedule");
        AtomicInteger concurrentRuns = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        int failingRun = random.between(1, 50);
        Runnable run = () -> {
            checkSingleRun(recorder, opId, concurrentRuns.incrementAndGet());
            try {
                checker.scheduledRun();
                InjectedException.throwIf(runs.incrementAndGet() == failingRun, "a run");
            } finally {
                concurrentRuns.decrementAndGet();
            }
        };
        Duration delay = random.micros(50, 1000);
        ScheduledTask scheduled = switch (random.below(3)) {
            case 0 -> scope.schedule(delay, run);
            case 1 -> scope.scheduleAtFixedRate(delay, delay, run);
            default -> scope.scheduleWithFixedDelay(delay, delay, run);
        };
        if (random.oneIn(3)) {
            scheduled.cancel();
        }
    }

    static void checkSingleRun(CheckRecorder recorder, long opId, int concurrentRuns) {
        recorder.check(
                Check.RUNS_DO_NOT_OVERLAP,
                concurrentRuns == 1,
                opId,
                () -> concurrentRuns + " runs of a scheduled task at the same time");
    }

    /**
     * One task sends and another receives. Either may be cancelled meanwhile. If both cannot run at the same time, the channel has room for
     * everything that is sent.
     */
    private void useChannel() {
        hasOtherTasks = true;
        recorder.countOperation("scope channel");
        int count = random.between(1, 30);
        Channel<Integer> channel = Channel.bounded(canRunTwoTasks ? random.between(1, 4) : count);
        List<Integer> received = new ArrayList<>(); // written by the receiver, read after it has completed
        Task<Integer> sender = scope.submit(() -> {
            try (channel) {
                for (int i = 0; i < count; i++) {
                    channel.send(i);
                }
            }
            return count;
        });
        Task<Integer> receiver = scope.submit(() -> {
            for (int value : channel) {
                received.add(value);
            }
            return received.size();
        });
        scope.await(sender, receiver);
        if (sender.state() == Task.State.SUCCESS && receiver.state() == Task.State.SUCCESS) {
            checkReceived(recorder, opId, count, received);
        }
    }

    /** Checks that the numbers from 0 to {@code sent - 1} were received in order. */
    static void checkReceived(CheckRecorder recorder, long opId, int sent, List<Integer> received) {
        boolean complete = received.size() == sent;
        for (int i = 0; complete && i < sent; i++) {
            complete = received.get(i) == i;
        }
        recorder.check(Check.CHANNEL_DELIVERS_ALL, complete, opId, () -> sent + " sent in order, received " + received);
    }
}
