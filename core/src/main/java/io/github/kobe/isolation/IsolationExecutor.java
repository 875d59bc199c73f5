package io.github.kobe.isolation;

import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TaskStatus;
import io.github.kobe.TimeStats;
import io.github.kobe.internal.group.GroupEngine;
import io.github.kobe.internal.group.StatsReader;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.TaskBody;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.PeriodicSweep;
import io.github.kobe.internal.time.SystemTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks of many keys, for example tenants, on one budget of permits. Keys with fast tasks are not delayed by keys with slow tasks, and
 * permits are not idle while tasks are queued, except for a small reserve. No limit has to be configured for a key.
 *
 * <p>The executor learns how long tasks of a key take, including the age of running tasks. Tasks of fast keys start first. As many permits as
 * fast keys needed recently are reserved for them; if there are no fast keys, nothing is reserved. A {@link Lane} tells how the executor
 * classified a task. {@code docs/design/isolation.md} describes the rules.
 *
 * <p>Thread-safe. A task runs on a fresh virtual thread. At most {@link IsolationPolicy.Builder#maxConcurrency} tasks run at any instant.
 * Within a key, tasks start in the order of submission.
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
    private static final long POLL_SETTINGS_PERIOD = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long FIND_LONGEST_PERIOD = TimeUnit.MILLISECONDS.toNanos(10);
    private static final ThreadLocal<Lane> CURRENT = new ThreadLocal<>();

    private final IsolationPolicy policy;
    private final GroupEngine engine;
    private final Dispatcher kernel;
    private final IsolationQueue queue;
    private final DecisionLog decisions;
    private final LaneCounters lanes;
    private final Timer timer;
    private final Faults faults;
    private final @Nullable TaskOptions options;

    // Live settings.
    private final PeriodicSweep settingsSweep;
    private final AtomicBoolean pollingSettings = new AtomicBoolean();
    private int budget; // used by the thread that polls the settings

    /** The key with the longest queue when it was last searched for. */
    private volatile String longestQueue = "";

    private volatile long findLongestAgainAt;

    private IsolationExecutor(IsolationPolicy policy, TaskRunner runner, Timer timer) {
        int budget = policy.maxConcurrency();
        IsolationPolicy.check(budget >= 1, "maxConcurrency", "at least 1", budget);
        this.policy = policy;
        this.budget = budget;
        this.timer = timer;
        this.faults = new Faults(timer::nanoTime);
        this.decisions = new DecisionLog(timer, policy.listener(), faults, this::spawn);
        this.queue = new IsolationQueue(policy, budget, timer, decisions);
        this.lanes = new LaneCounters(queue, policy.targetWait().toNanos());
        this.queue.setWhiteList(Set.copyOf(policy.whiteList()));
        this.engine = new GroupEngine(groupPolicy(policy, budget), queue, runner, timer, faults);
        this.kernel = engine.dispatcher();
        this.settingsSweep = new PeriodicSweep(timer, POLL_SETTINGS_PERIOD, this::startPollingSettings, this::hasKeys);
        this.findLongestAgainAt = timer.nanoTime();
        this.options = options(policy.taskExpiry(), policy.taskTimeout());
    }

    /** {@code null} if tasks have neither an expiry nor a timeout. */
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
     * How long an idle key is remembered. A key that submits only now and then would be new each time, and so start behind known keys, if this
     * were no longer than the window.
     */
    private static Duration memory(Duration window) {
        return window.multipliedBy(WINDOWS_REMEMBERED);
    }

    /** Creates an executor with the given policy. */
    public static IsolationExecutor create(IsolationPolicy policy) {
        Objects.requireNonNull(policy, "policy");
        return create(policy, TaskRunner.freshVirtualThreads(), SystemTimer.shared());
    }

    /** As {@link #create(IsolationPolicy)}, with the given threads and time. */
    static IsolationExecutor create(IsolationPolicy policy, TaskRunner runner, Timer timer) {
        return new IsolationExecutor(policy, runner, timer);
    }

    // ---- tasks ------------------------------------------------------------------------------------------------

    /**
     * Submits a task without a result. If the task fails, it is counted as failed and logged through {@link System.Logger}: for each key and
     * class of exception the first failure at once, then at most one line a minute with the number of failures that were not logged. If the task
     * is discarded later, because it expired or to make room for a key with fewer queued tasks, only {@link #stats} shows it.
     *
     * @throws RejectedTaskException if the queue is full
     * @throws IllegalStateException after a shutdown
     */
    public void execute(String key, Runnable task) {
        TaskHandle<?> handle = submit(key, callable(task));
        Rejection rejection = rejectionOf(handle);
        if (rejection != null) {
            throw new RejectedTaskException(key, TASK, rejection);
        }
        logFailureOf(handle);
    }

    /**
     * As {@link #execute(String, Runnable)}, with a fallback that is called if the task is discarded, now or later.
     *
     * @throws IllegalStateException after a shutdown
     */
    public void execute(String key, Runnable task, Fallback fallback) {
        logFailureOf(submit(key, callable(task), fallback));
    }

    private static Callable<Boolean> callable(Runnable task) {
        Objects.requireNonNull(task, "task");
        return () -> {
            task.run();
            return true;
        };
    }

    /** The outcome decides, not what the task throws: a task that timed out has failed while it runs, and a cancelled one has not failed. */
    @SuppressWarnings("FutureReturnValueIgnored") // the dependent stage has no result
    private void logFailureOf(TaskHandle<?> handle) {
        handle.toCompletableFuture().thenAccept(result -> {
            if (result.status() == TaskStatus.FAILED) {
                faults.warn("task failed", Faults.group(result.groupKey()), result.error());
            }
        });
    }

    /**
     * Submits a task. It starts at once if there is a permit for it; else it is queued. If the task is discarded, its status is
     * {@link io.github.kobe.TaskStatus#REJECTED}.
     *
     * @throws IllegalStateException after a shutdown
     */
    public <T> TaskHandle<T> submit(String key, Callable<T> task) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(task, "task");
        return submitToLane(key, task);
    }

    /**
     * As {@link #submit(String, Callable)}, with a fallback that is called if the task is discarded. The fallback is not called for a task that
     * is cancelled, by its handle or by a shutdown.
     *
     * @throws IllegalStateException after a shutdown
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the dependent stage has no result
    public <T> TaskHandle<T> submit(String key, Callable<T> task, Fallback fallback) {
        Objects.requireNonNull(fallback, "fallback");
        TaskHandle<T> handle = submit(key, task);
        handle.toCompletableFuture().thenAccept(result -> discarded(key, result, fallback));
        return handle;
    }

    private <T> TaskHandle<T> submitToLane(String key, Callable<T> task) {
        if (policy.isLive()) {
            settingsSweep.schedule();
        }
        forgetIdleKeys();
        Callable<T> work = new LaneTask<>(task);
        TaskHandle<T> handle = submitToExecutor(key, work);
        for (int attempt = 1; attempt < MAX_SUBMIT_ATTEMPTS && isQueueFull(handle) && makeRoomFor(key); attempt++) {
            handle = submitToExecutor(key, work);
        }
        return handle;
    }

    private <T> TaskHandle<T> submitToExecutor(String key, Callable<T> work) {
        return options == null ? engine.submit(key, TASK, work) : engine.submit(key, TASK, work, options);
    }

    /** While there are too many keys, each submission forgets two idle ones. */
    private void forgetIdleKeys() {
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

    private static boolean isQueueFull(TaskHandle<?> handle) {
        Rejection rejection = rejectionOf(handle);
        return rejection != null && rejection.reason() == RejectionReason.GLOBAL_QUEUE_FULL;
    }

    private static @Nullable Rejection rejectionOf(TaskHandle<?> handle) {
        return handle.isDone() ? handle.join().rejection() : null;
    }

    private void discarded(String key, GroupResult<?> result, Fallback fallback) {
        Rejection rejection = result.rejection();
        if (rejection != null) {
            boolean expired = rejection.reason() == RejectionReason.EXPIRED;
            spawn(() -> callFallback(key, expired ? DiscardReason.EXPIRED : DiscardReason.REJECTED, fallback));
        }
    }

    private void callFallback(String key, DiscardReason reason, Fallback fallback) {
        try {
            fallback.onDiscarded(key, reason);
        } catch (Throwable fault) {
            faults.report("fallback", Faults.group(key), fault);
        }
    }

    private void spawn(Runnable work) {
        kernel.spawn(work);
    }

    // ---- full queue -------------------------------------------------------------------------------------------

    /**
     * Removes a queued task of the key with the longest queue, so that one key that fills the queue does not keep others out. Finding that key
     * takes a pass over all keys, so the result is remembered and searched for again only now and then.
     *
     * @return false if no other queue is longer than that of {@code key} would be
     */
    private boolean makeRoomFor(String key) {
        int own = queued(kernel.group(key));
        Group longest = kernel.group(longestQueue);
        if (queued(longest) <= own + 1) {
            longest = findLongestQueue();
        }
        return longest != null && queued(longest) > own + 1 && kernel.displace(longest.key());
    }

    private @Nullable Group findLongestQueue() {
        long now = timer.nanoTime();
        if (now - findLongestAgainAt < 0) {
            return null;
        }
        findLongestAgainAt = now + FIND_LONGEST_PERIOD;
        Group longest = kernel.groups().stream()
                .max(Comparator.comparingInt(Group::queued))
                .orElse(null);
        if (longest != null) {
            longestQueue = longest.key();
        }
        return longest;
    }

    private static int queued(@Nullable Group group) {
        return group == null ? 0 : group.queued();
    }

    // ---- live settings ----------------------------------------------------------------------------------------

    private boolean hasKeys() {
        return !kernel.groups().isEmpty();
    }

    /** Suppliers are user code, so they are called on a thread of their own. */
    private void startPollingSettings() {
        if (pollingSettings.compareAndSet(false, true)) {
            kernel.spawn(this::pollSettings);
        }
    }

    private void pollSettings() {
        try {
            setBudget(policy.maxConcurrency());
            queue.setWhiteList(Set.copyOf(policy.whiteList()));
        } catch (Throwable fault) {
            faults.report("isolation policy", policy.name(), fault);
        } finally {
            pollingSettings.set(false);
        }
    }

    private void setBudget(int newBudget) {
        IsolationPolicy.check(newBudget >= 1, "maxConcurrency", "at least 1", newBudget);
        if (newBudget != budget) {
            budget = newBudget;
            queue.setBudget(newBudget);
            kernel.setGlobalLimit(newBudget);
        }
    }

    // ---- lanes ---------------------------------------------------------------------------------------------------

    /** The lane of the task that the calling thread runs; {@code null} on other threads. */
    public static @Nullable Lane currentLane() {
        return CURRENT.get();
    }

    /** Runs a task in a lane. */
    private final class LaneTask<T> extends TaskBody<T> {
        private final Callable<T> task;

        LaneTask(Callable<T> task) {
            this.task = task;
        }

        @Override
        protected T call(Group group, long queuedNanos) throws Exception {
            Lane lane = lanes.enter(group.key(), (KeyState) group.fairnessState(), queuedNanos);
            CURRENT.set(lane);
            try {
                return task.call();
            } finally {
                CURRENT.remove();
                lanes.leave(lane);
            }
        }
    }

    // ---- statistics -------------------------------------------------------------------------------------------

    /** A snapshot of the executor, by lane and by key. Never throws. */
    public IsolationStats stats() {
        queue.processEvents();
        Map<Lane, LaneStats> byLane = new EnumMap<>(Lane.class);
        for (Lane lane : Lane.values()) {
            TimeStats waiting = StatsReader.timeStats(lanes.queueTimes(lane));
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

    /** Statistics of one key; empty if the key is not remembered. */
    public Optional<KeyStats> stats(String key) {
        return Optional.ofNullable(kernel.group(Objects.requireNonNull(key, "key")))
                .map(queue::statsOf);
    }

    // ---- shutdown ---------------------------------------------------------------------------------------------

    /** Rejects new tasks and cancels all running and queued tasks, as {@link io.github.kobe.GroupExecutor#shutdown()} does. */
    public void shutdown() {
        engine.shutdown();
    }

    /**
     * Rejects new tasks and waits until the submitted tasks have finished. Cancels the tasks that are left after {@code timeout}.
     *
     * @return whether all tasks finished
     * @throws IllegalArgumentException if {@code timeout} is negative
     */
    public boolean shutdown(Duration timeout) {
        return engine.shutdown(timeout);
    }

    /** As {@link #shutdown()}: does not wait for tasks to finish. */
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
