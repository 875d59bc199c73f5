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

/** A group executor with the watches that belong to it. */
final class GroupFixture implements ExecutionMonitor {

    /** Groups that anything is done to. */
    static final List<String> ROUGH =
            IntStream.range(0, 5).mapToObj(i -> "g" + i).toList();

    /** Nobody cancels all of it. */
    static final String CALM = "calm";

    /** Of one place, and each for one submitting thread. */
    static final String FIFO = "fifo-";

    /** Their limits are what a resolver says, or the default if it throws. */
    static final String RESOLVED = "resolved";

    /** So many that most are forgotten in between. */
    static final String PASSING = "passing-";

    static final int DEFAULT_LIMIT = 2;
    private static final int CALM_LIMIT = 3;

    /** Message of the soak's own rejection handler. */
    static final String HANDLER_MESSAGE = "rejected by the handler, 12 of 12";

    final String name;
    final Recorder recorder;
    final Watchdog patience;
    final TaskTracker troupe = new TaskTracker();
    final GroupExecutor executor;
    final RejectionPolicy rejection;
    final boolean handler;
    final boolean gated;
    final FairnessPolicy fairness;
    final LongAdder surelyHandedIn = new LongAdder();
    final LongAdder maybeHandedIn = new LongAdder();

    /** Stages of futures that have not come. */
    final AtomicInteger chains = new AtomicInteger();

    /** The same of views; a shutdown may leave these where they are, as the contract says. */
    final AtomicInteger viewChains = new AtomicInteger();

    final LimitChecker global;
    private final @Nullable FaultyListener audience;
    private final Map<String, LimitChecker> groups = new ConcurrentHashMap<>();
    private final Map<String, OrderChecker> orders = new ConcurrentHashMap<>();

    /**
     * @param gated whether there is a global limit from the start
     * @param variant which policies it has: one number after the other has them all
     */
    GroupFixture(String name, boolean gated, int variant, RandomSource random, Recorder recorder, Watchdog patience) {
        this.name = name;
        this.recorder = recorder;
        this.patience = patience;
        this.gated = gated;
        this.handler = Math.floorMod(variant, RejectionPolicy.values().length + 1) == RejectionPolicy.values().length;
        this.rejection = RejectionPolicy.values()[Math.floorMod(variant, RejectionPolicy.values().length)];
        this.fairness = FairnessPolicy.values()[Math.floorMod(variant, FairnessPolicy.values().length)];
        this.audience = random.oneIn(4) ? null : new FaultyListener(recorder, patience);
        int cap = gated ? random.between(2, 8) : Integer.MAX_VALUE;
        this.global = new LimitChecker(Check.GLOBAL_LIMIT, recorder, name, cap);
        this.executor = GroupExecutor.newVirtualThreadExecutor(policy(cap, random));
        if (audience != null) {
            audience.setConcurrentWork(this::lookAround);
        }
    }

    private GroupPolicy policy(int cap, RandomSource random) {
        Map<String, Integer> limits = new HashMap<>();
        ROUGH.forEach(key -> limits.put(key, DEFAULT_LIMIT));
        limits.put(CALM, CALM_LIMIT);
        limits.put(FIFO + "0", 1);
        limits.put(FIFO + "1", 1);
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .perGroupMaxConcurrency(limits)
                .concurrencyResolver(GroupFixture::resolve)
                .defaultMaxConcurrencyPerGroup(DEFAULT_LIMIT)
                .defaultQueueThresholdPerGroup(random.oneOf(0, 5, 50, Integer.MAX_VALUE))
                .globalQueueThreshold(random.oneOf(500, Integer.MAX_VALUE))
                .rejectionPolicy(rejection)
                .maxBlockTime(random.micros(100, 20_000))
                .fairnessPolicy(fairness)
                .recordTimes(random.oneIn(2))
                .idleGroupTtl(Duration.ofMillis(random.oneOf(0, 1, 20)));
        if (cap != Integer.MAX_VALUE) {
            policy.globalMaxInFlight(cap);
        }
        if (audience != null) {
            policy.taskLifecycleListener(audience);
        }
        if (handler) {
            policy.rejectionHandler(new Handler());
        }
        return policy.build();
    }

    private static int resolve(String key) {
        if (key.equals(RESOLVED) && Thread.currentThread().threadId() % 3 == 0) {
            throw new InjectedException("a resolver");
        }
        return key.equals(RESOLVED) ? 1 : DEFAULT_LIMIT;
    }

    /** Runs some, turns some away, returns nothing for some, throws for some. */
    private static final class Handler implements RejectionHandler {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        @SuppressWarnings("NullAway") // what it must not return is part of the soak
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
            long since = System.nanoTime();
            try {
                return GroupResult.success(groupKey, taskId, PermitFreeThread.call(task), since, System.nanoTime());
            } catch (Throwable fault) {
                return GroupResult.failed(groupKey, taskId, fault, since, System.nanoTime());
            }
        }
    }

    /** On another thread, while a callback waits for it. */
    private void lookAround(String group) {
        executor.stats();
        executor.groupStats(group);
        executor.activeGroupKeys();
        executor.evictGroup(group);
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    boolean isRough(String group) {
        return !group.equals(CALM) && !group.startsWith(FIFO);
    }

    /** A task that is to be handed in; everybody is told to expect it. */
    TrackedTask probe(long op, String group, TaskBehavior plot, TaskSpec terms) {
        TrackedTask probe = new TrackedTask(troupe, op, name, group, plot, terms);
        probe.cancelExpected = isRough(group);
        if (audience != null) {
            audience.register(probe);
        }
        troupe.add(probe);
        return probe;
    }

    Callable<Object> body(TrackedTask probe) {
        return new TaskBody(probe, this, recorder);
    }

    /** Hands it in. */
    TaskHandle<Object> submit(TrackedTask probe) throws Exception {
        try {
            TaskHandle<Object> handle = PermitFreeThread.call(
                    () -> executor.submit(probe.group, probe.taskId(), body(probe), probe.spec.options()));
            probe.handle = handle;
            surelyHandedIn.increment();
            return handle;
        } catch (Throwable refused) {
            maybeHandedIn.increment();
            drop(probe);
            throw refused;
        }
    }

    void drop(TrackedTask probe) {
        probe.submitFailed = true;
        if (audience != null) {
            audience.unregister(probe);
        }
    }

    void judge(TrackedTask probe) {
        probe.verify(recorder, audience != null);
        if (audience != null) {
            audience.unregister(probe);
        }
    }

    // ---- what bodies tell ----------------------------------------------------------------------------------------

    LimitChecker watch(String group) {
        return groups.computeIfAbsent(
                group.startsWith(PASSING) ? PASSING : group,
                key -> new LimitChecker(Check.GROUP_LIMIT, recorder, name + " group '" + key + "'", limitOf(key)));
    }

    /** Those of the passing ones share a watch that only counts. */
    private static int limitOf(String key) {
        if (key.equals(PASSING)) {
            return Integer.MAX_VALUE;
        }
        return key.startsWith(FIFO) ? 1 : key.equals(CALM) ? CALM_LIMIT : DEFAULT_LIMIT;
    }

    Map<String, LimitChecker> watches() {
        return groups;
    }

    OrderChecker order(String group) {
        return orders.computeIfAbsent(group, key -> new OrderChecker(recorder, name + " group '" + key + "'"));
    }

    @Override
    public void enter(TrackedTask probe) {
        global.enter(probe.opId);
        watch(probe.group).enter(probe.opId);
        if (probe.group.startsWith(FIFO) && probe.attempts.get() == 1) {
            order(probe.group).taskStarted(probe.spec.options().priority(), probe.opId);
        }
    }

    @Override
    public void exit(TrackedTask probe) {
        watch(probe.group).exit();
        global.exit();
    }

    @Override
    public void runningAfterOutcome(TrackedTask probe) {
        int active =
                executor.groupStats(probe.group).map(GroupStats::activeCount).orElse(0);
        int used = executor.stats().globalInFlightUsed();
        recorder.check(
                Check.PERMIT_WHILE_RUNNING,
                active > 0 && used > 0 || troupe.isBulkCancelling(),
                probe.opId,
                () -> active + " places in use in its group, " + used + " in all, but it runs: " + probe);
    }

    @Override
    public boolean usesFreshThreads() {
        return true;
    }

    int inside() {
        return global.running();
    }
}
