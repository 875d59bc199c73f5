package io.github.kobe.isolation;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TimeStats;
import io.github.kobe.internal.group.GroupEngine;
import io.github.kobe.internal.group.StatsReader;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.TaskBody;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.SystemTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks of many keys - tenants, say - on one budget of concurrency, so that keys with quick tasks do not notice those with slow
 * ones, and the budget does not stand idle. Nobody sets limits for a key.
 *
 * <p>The executor learns how long tasks of a key take, counting the age of those that still run. Quick work goes first, and as many
 * places as it has needed lately are kept from all other work; if there is none, none are. {@link Lane}s say how it sees a
 * task. {@code docs/design/isolation.md} has the rules.
 *
 * <p>Safe for use by many threads. A task runs on a fresh virtual thread, and at no instant do more run than
 * {@link IsolationPolicy.Builder#maxConcurrency}. Within a key tasks start in the order of submission.
 *
 * <pre>{@code
 * IsolationPolicy policy = IsolationPolicy.builder().maxConcurrency(50).build();
 * try (IsolationExecutor executor = IsolationExecutor.create(policy)) {
 *     TaskHandle<String> handle = executor.submit("tenant-1", () -> "answer");
 *     System.out.println(handle.await().value());
 * }
 * }</pre>
 */
public final class IsolationExecutor implements AutoCloseable {

    private static final String TASK = "task";
    private static final int MAX_SUBMIT_ATTEMPTS = 3;
    private static final int WINDOWS_REMEMBERED = 10;
    private static final ThreadLocal<Lane> CURRENT = new ThreadLocal<>();

    private final IsolationPolicy policy;
    private final GroupEngine engine;
    private final Dispatcher kernel;
    private final IsolationQueue queue;
    private final DecisionLog decisions;
    private final LaneCounters lanes;
    private final LongestQueueFinder longestLine;
    private final LiveSettingsPoller dials;
    private final Faults faults = new Faults();
    private final @Nullable TaskOptions options;

    private IsolationExecutor(IsolationPolicy policy, TaskRunner runner, Timer timer) {
        int budget = policy.maxConcurrency();
        IsolationPolicy.check(budget >= 1, "maxConcurrency", "at least 1", budget);
        this.policy = policy;
        Thresholds standards = policy.standards();
        this.decisions = new DecisionLog(timer, policy.listener(), faults, this::spawn);
        this.queue = new IsolationQueue(standards, budget, timer, decisions);
        this.lanes = new LaneCounters(queue, standards.targetNanos());
        this.queue.setWhiteList(Set.copyOf(policy.whiteList()));
        this.executor = BACKSTAGE.open(groupPolicy(policy, budget), queue, runner, timer);
        this.kernel = BACKSTAGE.behind(executor);
        this.longestLine = new LongestQueueFinder(kernel, timer);
        this.dials = new LiveSettingsPoller(policy, budget, queue, kernel, timer, faults);
        this.options = options(policy.taskExpiry(), policy.taskTimeout());
    }

    /** Null if tasks have none. */
    private static @Nullable TaskOptions options(@Nullable Duration expiry, @Nullable Duration timeout) {
        if (expiry == null && timeout == null) {
            return null;
        }
        TaskOptions.Builder options = TaskOptions.builder();
        if (expiry != null) {
            options.maxQueueTime(expiry);
        }
        if (timeout != null) {
            options.timeout(timeout);
        }
        return options.build();
    }

    private static GroupPolicy groupPolicy(IsolationPolicy policy, int budget) {
        return GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(Integer.MAX_VALUE)
                .globalMaxInFlight(budget)
                .globalQueueThreshold(policy.queueCapacity())
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .idleGroupTtl(memory(policy.statsWindow()))
                .build();
    }

    /**
     * How long a key is known: one that calls now and then would be new each time, and stand behind all the others, if that were no longer
     * than what is looked at to see how much quick work there is.
     */
    private static Duration memory(Duration window) {
        return window.multipliedBy(WINDOWS_REMEMBERED);
    }

    /** An executor by that policy. */
    public static IsolationExecutor create(IsolationPolicy policy) {
        Objects.requireNonNull(policy, "policy");
        return create(policy, TaskRunner.freshVirtualThreads(), SystemTimer.shared());
    }

    /** On threads and time of the caller's choosing. */
    static IsolationExecutor create(IsolationPolicy policy, TaskRunner runner, Timer timer) {
        return new IsolationExecutor(policy, runner, timer);
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    /**
     * Hands in a task without an answer. What it throws is counted and logged. If it is given up later, because its time in line is up or
     * for the sake of keys that have less in line, that shows in {@link #stats} alone.
     *
     * @throws RejectedTaskException if there is no room for it in line
     * @throws IllegalStateException after a shutdown
     */
    public void execute(String key, Runnable task) {
        Rejection rejection = refusal(submit(key, reporting(key, task)));
        if (rejection != null) {
            throw new RejectedTaskException(key, TASK, rejection);
        }
    }

    /**
     * As {@link #execute(String, Runnable)}, with something to do if it is given up, at once or later.
     *
     * @throws IllegalStateException after a shutdown
     */
    public void execute(String key, Runnable task, Fallback fallback) {
        submit(key, reporting(key, task), fallback);
    }

    private Callable<Boolean> reporting(String key, Runnable task) {
        Objects.requireNonNull(task, "task");
        return () -> {
            try {
                task.run();
            } catch (Throwable fault) {
                faults.report("task", key, fault);
                throw fault;
            }
            return true;
        };
    }

    /**
     * Hands in a task. It starts at once if there is a place for it, else it waits; if it is given up, its result is
     * {@link io.github.kobe.TaskStatus#REJECTED}.
     *
     * @throws IllegalStateException after a shutdown
     */
    public <T> TaskHandle<T> submit(String key, Callable<T> task) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(task, "task");
        return handIn(key, task);
    }

    /**
     * As {@link #submit(String, Callable)}, with something to do if it is given up. A task that is cancelled, by its handle or by a
     * shutdown, is not given up.
     *
     * @throws IllegalStateException after a shutdown
     */
    @SuppressWarnings("FutureReturnValueIgnored") // what hangs on it has nothing to add
    public <T> TaskHandle<T> submit(String key, Callable<T> task, Fallback fallback) {
        Objects.requireNonNull(fallback, "fallback");
        TaskHandle<T> handle = submit(key, task);
        handle.toCompletableFuture().thenAccept(result -> discarded(key, result, fallback));
        return handle;
    }

    private <T> TaskHandle<T> handIn(String key, Callable<T> task) {
        dials.wake();
        forgetSurplus();
        Callable<T> work = new LaneTask<>(task);
        TaskHandle<T> handle = handIn(key, work, options);
        for (int tries = 1; tries < MAX_SUBMIT_ATTEMPTS && isQueueFull(handle) && longestLine.makeRoomFor(key); tries++) {
            handle = handIn(key, work, options);
        }
        return handle;
    }

    /** While there are too many keys, each task that comes takes away two of those that have nothing more to do. */
    private void forgetSurplus() {
        boolean tooMany = kernel.groups().size() > policy.maxTrackedKeys();
        queue.setCollectsIdleKeys(tooMany);
        for (int i = 0; i < 2 && tooMany; i++) {
            String key = queue.pollIdleKey();
            if (key == null) {
                return;
            }
            kernel.evict(key);
        }
    }

    private <T> TaskHandle<T> handIn(String key, Callable<T> work, @Nullable TaskOptions with) {
        return with == null ? engine.submit(key, TASK, work) : engine.submit(key, TASK, work, with);
    }

    private static boolean isQueueFull(TaskHandle<?> handle) {
        Rejection refusal = refusal(handle);
        return refusal != null && refusal.reason() == RejectionReason.GLOBAL_QUEUE_FULL;
    }

    /** Why it was not let in; {@code null} if it was. */
    private static @Nullable Rejection refusal(TaskHandle<?> handle) {
        return handle.isDone() ? handle.join().rejection() : null;
    }

    private void discarded(String key, GroupResult<?> result, Fallback fallback) {
        Rejection rejection = result.rejection();
        if (rejection != null) {
            boolean expired = rejection.reason() == RejectionReason.EXPIRED;
            spawn(() -> tell(key, expired ? DiscardReason.EXPIRED : DiscardReason.REJECTED, fallback));
        }
    }

    private void tell(String key, DiscardReason reason, Fallback fallback) {
        try {
            fallback.onDiscarded(key, reason);
        } catch (Throwable fault) {
            faults.report("fallback", key, fault);
        }
    }

    private void spawn(Runnable work) {
        kernel.spawn(work);
    }

    // ---- lanes ---------------------------------------------------------------------------------------------------

    /** The lane of the task that the calling thread runs; {@code null} on other threads. */
    public static @Nullable Lane currentLane() {
        return CURRENT.get();
    }

    /** A task, and the lane that it runs in. */
    private final class LaneTask<T> extends TaskBody<T> {
        private final Callable<T> task;

        LaneTask(Callable<T> task) {
            this.task = task;
        }

        @Override
        protected T call(Group group, long waitedNanos) throws Exception {
            Lane lane = lanes.enter(group.key(), (KeyState) group.fairnessState(), waitedNanos);
            CURRENT.set(lane);
            try {
                return task.call();
            } finally {
                CURRENT.remove();
                lanes.leave(lane);
            }
        }
    }

    // ---- figures -------------------------------------------------------------------------------------------------

    /** The executor as it is now, by lane and by key. Never throws. */
    public IsolationStats stats() {
        queue.processEvents();
        Map<Lane, LaneStats> byLane = new EnumMap<>(Lane.class);
        for (Lane lane : Lane.values()) {
            TimeStats waiting = (TimeStats) BACKSTAGE.times(lanes.queueTimes(lane));
            byLane.put(lane, new LaneStats(lanes.running(lane), waiting.count(), waiting));
        }
        Map<String, KeyStats> byKey = new HashMap<>();
        int queued = 0;
        for (Group group : kernel.groups()) {
            byKey.put(group.key(), queue.statsOf(group));
            queued += group.queued();
        }
        return new IsolationStats(
                queue.limits().budget(),
                kernel.globalInFlight(),
                queued,
                queue.reserve(),
                byLane,
                byKey,
                decisions.latest(),
                engine.stats().counts());
    }

    /** One key; empty if it is not remembered. */
    public Optional<KeyStats> stats(String key) {
        return Optional.ofNullable(kernel.group(Objects.requireNonNull(key, "key")))
                .map(queue::statsOf);
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /** Takes no more tasks, and cancels all that run and wait, as {@link GroupExecutor#shutdown()} does. */
    public void shutdown() {
        engine.shutdown();
    }

    /**
     * Takes no more tasks, lets those that are here finish, and cancels what is left when the time is up.
     *
     * @return whether all tasks finished
     * @throws IllegalArgumentException if {@code timeout} is negative
     */
    public boolean shutdown(Duration timeout) {
        return engine.shutdown(timeout);
    }

    /** The same as {@link #shutdown()}: stops now. */
    @Override
    public void close() {
        shutdown();
    }

    @Override
    public String toString() {
        return "IsolationExecutor[" + policy.name() + ": " + stats()
                + (faults.count() == 0 ? "" : " | " + faults.count() + " faults in callbacks") + "]";
    }
}
