package io.github.kobe.soak;

import io.github.kobe.FairnessPolicy;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupStats;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A group executor under test, with its checkers and counts. */
final class GroupFixture implements ExecutionMonitor {

    /** Groups that the admin thread resizes, resets and shuts down. */
    static final List<String> DISRUPTED =
            IntStream.range(0, 5).mapToObj(i -> "g" + i).toList();

    /** A group that is never shut down by itself. */
    static final String STABLE = "stable";

    /** Prefix of the groups with one permit and one submitting thread each. */
    static final String FIFO = "fifo-";

    /** A group whose limit comes from the resolver, or from the default if the resolver throws. */
    static final String RESOLVED = "resolved";

    /** Prefix of many groups. Most of them are retired before their next use. */
    static final String TRANSIENT = "transient-";

    static final int DEFAULT_LIMIT = 2;
    private static final int STABLE_LIMIT = 3;

    /** Message of the soak's own rejection handler. */
    static final String HANDLER_MESSAGE = "rejected by the handler, 12 of 12";

    final String name;
    final CheckRecorder recorder;
    final Watchdog watchdog;
    final TaskTracker tracker = new TaskTracker();
    final GroupExecutor executor;
    final RejectionPolicy rejectionPolicy;
    final boolean hasRejectionHandler;
    final boolean hasGlobalLimit;
    final FairnessPolicy fairness;
    final LongAdder submitted = new LongAdder();
    final LongAdder possiblySubmitted = new LongAdder();

    /** Dependent stages of futures that have not run. */
    final AtomicInteger pendingStages = new AtomicInteger();

    /** Dependent stages of tasks in executor service views. By contract, a shutdown of the executor may leave these incomplete. */
    final AtomicInteger pendingViewStages = new AtomicInteger();

    final LimitChecker globalLimit;
    private final @Nullable FaultyListener listener;
    private final Map<String, LimitChecker> groupLimits = new ConcurrentHashMap<>();
    private final Map<String, OrderChecker> orders = new ConcurrentHashMap<>();

    /**
     * @param hasGlobalLimit whether there is a global limit from the start
     * @param variant selects the policies; consecutive numbers cover all of them
     */
    GroupFixture(
            String name,
            boolean hasGlobalLimit,
            int variant,
            RandomSource random,
            CheckRecorder recorder,
            Watchdog watchdog) {
        this.name = name;
        this.recorder = recorder;
        this.watchdog = watchdog;
        this.hasGlobalLimit = hasGlobalLimit;
        List<RejectionPolicy> rejectionPolicies = FaceWorkload.REJECTION_POLICIES;
        FairnessPolicy[] fairnessPolicies = FairnessPolicy.values();
        this.hasRejectionHandler = Math.floorMod(variant, rejectionPolicies.size() + 1) == rejectionPolicies.size();
        this.rejectionPolicy = rejectionPolicies.get(Math.floorMod(variant, rejectionPolicies.size()));
        this.fairness = fairnessPolicies[Math.floorMod(variant, fairnessPolicies.length)];
        this.listener = random.oneIn(4) ? null : new FaultyListener(recorder, watchdog);
        int limit = hasGlobalLimit ? random.between(2, 8) : Integer.MAX_VALUE;
        this.globalLimit = new LimitChecker(Check.GLOBAL_LIMIT, recorder, name, limit);
        this.executor = GroupExecutor.newVirtualThreadExecutor(policy(limit, random));
        if (listener != null) {
            listener.setConcurrentWork(this::useExecutor);
        }
    }

    private GroupPolicy policy(int limit, RandomSource random) {
        Map<String, Integer> limits = new HashMap<>();
        DISRUPTED.forEach(group -> limits.put(group, DEFAULT_LIMIT));
        limits.put(STABLE, STABLE_LIMIT);
        limits.put(FIFO + "0", 1);
        limits.put(FIFO + "1", 1);
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .perGroupMaxConcurrency(limits)
                .concurrencyResolver(GroupFixture::resolveLimit)
                .defaultMaxConcurrencyPerGroup(DEFAULT_LIMIT)
                .defaultQueueThresholdPerGroup(random.oneOf(0, 5, 50, Integer.MAX_VALUE))
                .globalQueueThreshold(random.oneOf(500, Integer.MAX_VALUE))
                .rejectionPolicy(rejectionPolicy)
                .maxBlockTime(random.micros(100, 20_000))
                .fairnessPolicy(fairness)
                .recordTimes(random.oneIn(2))
                .idleGroupTtl(Duration.ofMillis(random.oneOf(0, 1, 20)));
        if (limit != Integer.MAX_VALUE) {
            policy.globalMaxInFlight(limit);
        }
        if (listener != null) {
            policy.taskLifecycleListener(listener);
        }
        if (hasRejectionHandler) {
            policy.rejectionHandler(new FaultyHandler());
        }
        return policy.build();
    }

    private static int resolveLimit(String group) {
        if (group.equals(RESOLVED) && Thread.currentThread().threadId() % 3 == 0) {
            throw new InjectedException("a resolver");
        }
        return group.equals(RESOLVED) ? 1 : DEFAULT_LIMIT;
    }

    /** A handler that runs some tasks, rejects some, and for the others returns null or throws. */
    private static final class FaultyHandler implements RejectionHandler {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        @SuppressWarnings("NullAway") // returns null on purpose
        public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
            return switch (calls.incrementAndGet() % 5) {
                case 0 -> null;
                case 1 -> throw new RejectedTaskException(groupKey, taskId, HANDLER_MESSAGE);
                case 2 -> throw new InjectedException("a handler");
                case 3 -> GroupResult.rejected(groupKey, taskId);
                default -> run(groupKey, taskId, task);
            };
        }

        private static <T> GroupResult<T> run(String groupKey, String taskId, Callable<T> task) {
            long start = System.nanoTime();
            try {
                return GroupResult.success(groupKey, taskId, PermitFreeThread.call(task), start, System.nanoTime());
            } catch (Throwable thrown) {
                return GroupResult.failed(groupKey, taskId, thrown, start, System.nanoTime());
            }
        }
    }

    /** Uses the executor on another thread, while a callback waits. */
    private void useExecutor(String group) {
        executor.stats();
        executor.groupStats(group);
        executor.activeGroupKeys();
        executor.evictGroup(group);
    }

    /** Returns whether code passed to {@code call}, or submitted by a scope, always runs with a permit. */
    boolean callersHoldPermits() {
        return hasRejectionHandler || rejectionPolicy != RejectionPolicy.CALLER_RUNS;
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    /** Only the stable group and the FIFO groups are never cancelled as a whole. */
    private static boolean mayBeCancelled(String group) {
        return !group.equals(STABLE) && !group.startsWith(FIFO);
    }

    /** Creates a task that is to be submitted. Registers it with the tracker and the listener. */
    TrackedTask newTask(long opId, String group, TaskBehavior behavior, TaskSpec spec) {
        TrackedTask task = new TrackedTask(tracker, opId, name, group, behavior, spec);
        task.cancelExpected = mayBeCancelled(group);
        if (listener != null) {
            listener.register(task);
        }
        tracker.add(task);
        return task;
    }

    Callable<Object> bodyOf(TrackedTask task) {
        return new TaskCode(task, this, recorder);
    }

    TaskHandle<Object> submit(TrackedTask task) throws Exception {
        return submit(task, () -> executor.submit(task.group, task.taskId(), bodyOf(task), task.spec.options()));
    }

    /** Runs {@code submission}, which submits the task, and stores the handle in the task. */
    TaskHandle<Object> submit(TrackedTask task, Callable<TaskHandle<Object>> submission) throws Exception {
        try {
            TaskHandle<Object> handle = PermitFreeThread.call(submission);
            task.handle = handle;
            submitted.increment();
            return handle;
        } catch (Throwable thrown) {
            possiblySubmitted.increment();
            task.submitFailed = true;
            unregister(task);
            throw thrown;
        }
    }

    void verify(TrackedTask task) {
        task.verify(recorder, listener != null);
        unregister(task);
    }

    private void unregister(TrackedTask task) {
        if (listener != null) {
            listener.unregister(task);
        }
    }

    // ---- checks on the threads of tasks --------------------------------------------------------------------------

    LimitChecker groupLimit(String group) {
        return groupLimits.computeIfAbsent(
                group.startsWith(TRANSIENT) ? TRANSIENT : group,
                key -> new LimitChecker(Check.GROUP_LIMIT, recorder, name + " group '" + key + "'", initialLimit(key)));
    }

    /** All transient groups share one checker, which has no limit. */
    private static int initialLimit(String group) {
        if (group.equals(TRANSIENT)) {
            return Integer.MAX_VALUE;
        }
        return group.startsWith(FIFO) ? 1 : group.equals(STABLE) ? STABLE_LIMIT : DEFAULT_LIMIT;
    }

    private OrderChecker order(String group) {
        return orders.computeIfAbsent(group, key -> new OrderChecker(recorder, name + " group '" + key + "'"));
    }

    /** Called when code that holds a permit of the group starts. */
    void enterLimits(String group, long opId) {
        globalLimit.enter(opId);
        groupLimit(group).enter(opId);
    }

    /** Called when code that holds a permit of the group ends. */
    void exitLimits(String group) {
        groupLimit(group).exit();
        globalLimit.exit();
    }

    @Override
    public void enter(TrackedTask task) {
        enterLimits(task.group, task.opId);
        if (task.group.startsWith(FIFO) && task.attempts.get() == 1) {
            order(task.group).taskStarted(task.spec.options().priority(), task.opId);
        }
    }

    @Override
    public void exit(TrackedTask task) {
        exitLimits(task.group);
    }

    @Override
    public void runningAfterOutcome(TrackedTask task) {
        int active =
                executor.groupStats(task.group).map(GroupStats::activeCount).orElse(0);
        int used = executor.stats().globalInFlightUsed();
        recorder.check(
                Check.PERMIT_WHILE_RUNNING,
                active > 0 && used > 0 || tracker.isBulkCancelling(),
                task.opId,
                () -> active + " permits in use in its group, " + used + " in total, but it runs: " + task);
    }

    @Override
    public boolean usesFreshThreads() {
        return true;
    }

    int running() {
        return globalLimit.running();
    }
}
