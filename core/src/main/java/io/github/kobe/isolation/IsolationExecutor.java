package io.github.kobe.isolation;

import io.github.kobe.ContextCarrier;
import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.Permit;
import io.github.kobe.PermitOptions;
import io.github.kobe.PermitResult;
import io.github.kobe.Registration;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.RunningTask;
import io.github.kobe.ShutdownMode;
import io.github.kobe.ShutdownReport;
import io.github.kobe.TaskFunction;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskOptions;
import io.github.kobe.TaskStatus;
import io.github.kobe.TimeStats;
import io.github.kobe.internal.group.ExecutorName;
import io.github.kobe.internal.group.GroupEngine;
import io.github.kobe.internal.group.StatsReader;
import io.github.kobe.internal.group.TaskInterceptor;
import io.github.kobe.internal.jfr.FlightRecording;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.PeriodicSweep;
import io.github.kobe.internal.time.SystemTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Faults;
import io.github.kobe.internal.util.TaskNames;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
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
 *     System.out.println(handle.get());
 * }
 * }</pre>
 */
public final class IsolationExecutor implements AutoCloseable {

    private static final int WINDOWS_REMEMBERED = 10;

    /** How many keys a submission looks at while there are too many. */
    private static final int KEYS_EXAMINED = 8;

    private static final long POLL_SETTINGS_PERIOD = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long FIND_LONGEST_PERIOD = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int FIND_LONGEST_SHARE = 100;
    private static final ThreadLocal<Lane> CURRENT = new ThreadLocal<>();

    private final IsolationPolicy policy;
    private final GroupEngine engine;
    private final Dispatcher kernel;
    private final IsolationQueue queue;
    private final DecisionLog decisions;
    private final LaneCounters lanes;
    private final Timer timer;
    private final Faults faults;

    // Live settings.
    private final PeriodicSweep settingsSweep;
    private final AtomicBoolean pollingSettings = new AtomicBoolean();
    private final Object budgetLock = new Object();
    private int budget; // guarded by budgetLock
    private boolean budgetIsFixed; // guarded by budgetLock; whether a setter has replaced the policy's supplier

    /** The key with the longest queue when it was last searched for. */
    private volatile String longestQueue = "";

    private volatile long findLongestAgainAt;

    private IsolationExecutor(IsolationPolicy policy, ExecutorName name, TaskRunner runner, Timer timer) {
        int budget = policy.maxConcurrency();
        IsolationPolicy.check(budget >= 1, "maxConcurrency", "at least 1", budget);
        this.policy = policy;
        this.budget = budget;
        this.timer = timer;
        this.faults = GroupEngine.faultsOf(name, timer);
        this.decisions = new DecisionLog(name.name(), timer, policy.listener(), faults, this::spawn);
        this.queue = new IsolationQueue(policy, budget, timer, decisions);
        this.lanes = new LaneCounters(queue, policy.targetWait().toNanos());
        this.queue.setWhiteList(Set.copyOf(policy.whiteList()));
        this.engine =
                new GroupEngine(name, groupPolicy(policy, budget), queue, runner, timer, faults, new Interceptor());
        this.kernel = engine.dispatcher();
        this.settingsSweep = new PeriodicSweep(timer, POLL_SETTINGS_PERIOD, this::startPollingSettings, this::hasKeys);
        this.findLongestAgainAt = timer.nanoTime();
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
        GroupPolicy.Builder groups = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(Integer.MAX_VALUE)
                .globalMaxInFlight(budget)
                .globalQueueThreshold(policy.queueCapacity())
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .idleGroupTtl(memory(policy.statsWindow()))
                .closeTimeout(policy.closeTimeout());
        TaskLifecycleListener listener = policy.taskLifecycleListener();
        if (listener != null) {
            groups.taskLifecycleListener(listener);
        }
        ContextCarrier carrier = policy.contextCarrier();
        if (carrier != null) {
            groups.contextCarrier(carrier);
        }
        return groups.build();
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
        ExecutorName name = nameOf(policy);
        return new IsolationExecutor(
                policy, name, TaskRunner.freshVirtualThreads(name.threadPrefix()), SystemTimer.shared());
    }

    /** As {@link #create(IsolationPolicy)}, with the given threads and time. */
    static IsolationExecutor create(IsolationPolicy policy, TaskRunner runner, Timer timer) {
        return new IsolationExecutor(policy, nameOf(policy), runner, timer);
    }

    private static ExecutorName nameOf(IsolationPolicy policy) {
        return ExecutorName.of("isolation executor", "isolation", policy.name());
    }

    /**
     * Returns the {@link IsolationPolicy.Builder#name name} of this executor, for metrics and messages. If the policy has none, "isolation-" and a
     * number that no other isolation executor of this JVM without a name has.
     */
    public String name() {
        return engine.name();
    }

    // ---- tasks ------------------------------------------------------------------------------------------------

    /**
     * Submits a task without a result. If the task fails, it is counted as failed and logged through {@link System.Logger}: for each key and
     * class of exception the first failure at once, then at most one line a minute with the number of failures that were not logged. If the task
     * is discarded later, because it expired or to make room for a key with fewer queued tasks, only {@link #stats} shows it.
     *
     * @throws RejectedTaskException if the queue is full
     * @throws io.github.kobe.ExecutorShutdownException after a shutdown
     */
    public void execute(String key, Runnable task) {
        TaskHandle<?> handle = submit(key, task);
        Rejection rejection = rejectionOf(handle);
        if (rejection != null) {
            throw new RejectedTaskException(key, handle.taskId(), rejection);
        }
        logFailureOf(handle);
    }

    /**
     * As {@link #execute(String, Runnable)}, with a fallback that is called if the task is discarded, now or later.
     *
     * @throws io.github.kobe.ExecutorShutdownException after a shutdown
     */
    public void execute(String key, Runnable task, Fallback fallback) {
        Objects.requireNonNull(fallback, "fallback");
        TaskHandle<?> handle = submit(key, task);
        onDiscarded(handle, fallback);
        logFailureOf(handle);
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
     * {@link TaskStatus#REJECTED}. Its {@link TaskHandle#taskId task id} is the name of its class, or, for a lambda, "lambda in " and the class
     * that contains it.
     *
     * @throws io.github.kobe.ExecutorShutdownException after a shutdown
     */
    public <T extends @Nullable Object> TaskHandle<T> submit(String key, Callable<T> task) {
        Objects.requireNonNull(key, "key");
        return engine.submit(key, TaskNames.nameOf(task), task);
    }

    /** As {@link #submit(String, Callable)}, for a task that returns nothing. Its value is {@code null}. */
    public TaskHandle<?> submit(String key, Runnable task) {
        Objects.requireNonNull(key, "key");
        return engine.submit(key, TaskNames.nameOf(task), task);
    }

    /** As {@link #submit(String, String, Callable, TaskOptions)}, named as by {@link #submit(String, Callable)}. */
    public <T extends @Nullable Object> TaskHandle<T> submit(String key, Callable<T> task, TaskOptions options) {
        return submit(key, TaskNames.nameOf(task), task, options);
    }

    /** As {@link #submit(String, Callable, TaskOptions)}, for a task that returns nothing. Its value is {@code null}. */
    public TaskHandle<?> submit(String key, Runnable task, TaskOptions options) {
        return submit(key, TaskNames.nameOf(task), task, options);
    }

    /** As {@link #submit(String, String, TaskFunction, TaskOptions)}, named as by {@link #submit(String, Callable)}. */
    public <T extends @Nullable Object> TaskHandle<T> submit(String key, TaskFunction<T> task, TaskOptions options) {
        return submit(key, TaskNames.nameOf(task), task, options);
    }

    /**
     * As {@link #submit(String, Callable)}, with a name for the task.
     *
     * @param key the key, for example a tenant
     * @param taskId a name for the task; it need not be unique
     * @param task the code to run; if it throws, {@link Error}s included, the exception is in the result
     * @throws io.github.kobe.ExecutorShutdownException after a shutdown
     */
    public <T extends @Nullable Object> TaskHandle<T> submit(String key, String taskId, Callable<T> task) {
        Objects.requireNonNull(key, "key");
        return engine.submit(key, taskId, task);
    }

    /** As {@link #submit(String, String, Callable)}, for a task that returns nothing. Its value is {@code null}. */
    public TaskHandle<?> submit(String key, String taskId, Runnable task) {
        Objects.requireNonNull(key, "key");
        return engine.submit(key, taskId, task);
    }

    /**
     * As {@link #submit(String, String, Callable)}, with a priority, time limits, retries, callbacks or a tag. The priority counts among the
     * tasks of the key: it does not change which key is next. {@link TaskOptions#maxQueueTime} and {@link TaskOptions#timeout} replace
     * {@link IsolationPolicy.Builder#taskExpiry} and {@link IsolationPolicy.Builder#taskTimeout}. A task that awaits a retry has no
     * permit, unless its {@link io.github.kobe.RetryPolicy} keeps it.
     *
     * @throws io.github.kobe.ExecutorShutdownException after a shutdown
     */
    public <T extends @Nullable Object> TaskHandle<T> submit(
            String key, String taskId, Callable<T> task, TaskOptions options) {
        Objects.requireNonNull(key, "key");
        return engine.submit(key, taskId, task, options);
    }

    /** As {@link #submit(String, String, Callable, TaskOptions)}, for a task that returns nothing. Its value is {@code null}. */
    public TaskHandle<?> submit(String key, String taskId, Runnable task, TaskOptions options) {
        Objects.requireNonNull(key, "key");
        return engine.submit(key, taskId, task, options);
    }

    /** As {@link #submit(String, String, Callable, TaskOptions)}, for a task that uses its {@link io.github.kobe.TaskContext}. */
    public <T extends @Nullable Object> TaskHandle<T> submit(
            String key, String taskId, TaskFunction<T> task, TaskOptions options) {
        Objects.requireNonNull(key, "key");
        return engine.submit(key, taskId, task, options);
    }

    /**
     * As {@link #submit(String, Callable)}, with a fallback that is called if the task is discarded. The fallback is not called for a task that
     * is cancelled, by its handle or by a shutdown.
     *
     * @throws io.github.kobe.ExecutorShutdownException after a shutdown
     */
    public <T extends @Nullable Object> TaskHandle<T> submit(String key, Callable<T> task, Fallback fallback) {
        return submit(key, TaskNames.nameOf(task), task, TaskOptions.defaults(), fallback);
    }

    /**
     * As {@link #submit(String, String, Callable, TaskOptions)}, with a fallback as in {@link #submit(String, Callable, Fallback)}.
     *
     * @throws io.github.kobe.ExecutorShutdownException after a shutdown
     */
    public <T extends @Nullable Object> TaskHandle<T> submit(
            String key, String taskId, Callable<T> task, TaskOptions options, Fallback fallback) {
        Objects.requireNonNull(fallback, "fallback");
        TaskHandle<T> handle = submit(key, taskId, task, options);
        onDiscarded(handle, fallback);
        return handle;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the dependent stage has no result
    private void onDiscarded(TaskHandle<?> handle, Fallback fallback) {
        handle.toCompletableFuture().thenAccept(result -> discarded(handle, result, fallback));
    }

    /**
     * Returns a view of one key, for code that expects an {@link ExecutorService}. Its commands are tasks of the key: they have a lane, and
     * {@link IsolationPolicy.Builder#taskExpiry} and {@link IsolationPolicy.Builder#taskTimeout} apply. The future of a command that
     * expires, times out or is discarded later is cancelled. The view follows {@link io.github.kobe.GroupExecutor#asExecutorService}: its
     * shutdown ends only the view, and after a shutdown or if the queue is full it throws
     * {@link java.util.concurrent.RejectedExecutionException}.
     */
    public ExecutorService asExecutorService(String key) {
        Objects.requireNonNull(key, "key");
        return engine.asExecutorService(key);
    }

    // ---- permits for calling threads -----------------------------------------------------------------------------

    /**
     * Runs {@code task} on the calling thread with a permit of the key, for which it waits as {@link #acquire(String)} does. The task has a
     * {@linkplain #currentLane lane}.
     *
     * @return what the task returned
     * @throws Exception what the task threw
     * @throws RejectedTaskException as {@link #acquire(String)} does
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public <T extends @Nullable Object> T call(String key, Callable<T> task) throws Exception {
        return call(key, task, PermitOptions.defaults());
    }

    /**
     * As {@link #call(String, Callable)}, with options. They apply to the wait for the permit, not to the task: when the
     * {@link PermitOptions#maxWait} is over, the task does not run.
     *
     * @return what the task returned
     * @throws Exception what the task threw
     * @throws RejectedTaskException as {@link #acquire(String, PermitOptions)} does
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public <T extends @Nullable Object> T call(String key, Callable<T> task, PermitOptions options) throws Exception {
        Objects.requireNonNull(key, "key");
        return engine.call(key, task, withExpiry(options));
    }

    /**
     * As {@link #call(String, Callable)}, for a task without a result. What the task throws is rethrown.
     *
     * @throws RejectedTaskException as {@link #acquire(String)} does
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public void call(String key, Runnable task) throws InterruptedException {
        call(key, task, PermitOptions.defaults());
    }

    /**
     * As {@link #call(String, Callable, PermitOptions)}, for a task without a result. What the task throws is rethrown.
     *
     * @throws RejectedTaskException as {@link #acquire(String, PermitOptions)} does
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public void call(String key, Runnable task, PermitOptions options) throws InterruptedException {
        Objects.requireNonNull(key, "key");
        engine.call(key, task, withExpiry(options));
    }

    /**
     * Waits for a permit of the key, under which the calling thread does its own work: a request that a servlet thread handles needs no second
     * thread. The request is queued with the tasks of the key and competes as they do. Until the permit is closed, it counts as a running
     * task, so the executor measures how long the key holds it. It has a lane in the statistics, but {@link #currentLane} does not say it: any
     * thread may close the permit. The time in the queue is limited by {@link IsolationPolicy.Builder#taskExpiry};
     * {@link IsolationPolicy.Builder#taskTimeout} does not apply. Reentrant, as {@link io.github.kobe.GroupExecutor#acquire(String)}.
     *
     * @throws RejectedTaskException if the queue is full, and if the request has expired
     * @throws io.github.kobe.ExecutorShutdownException after a shutdown, and if one happens during the wait
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public Permit acquire(String key) throws InterruptedException {
        return acquire(key, PermitOptions.defaults());
    }

    /**
     * As {@link #acquire(String)}, with options. {@link PermitOptions#maxWait} replaces {@link IsolationPolicy.Builder#taskExpiry}.
     *
     * @throws RejectedTaskException also if there was no permit within the maximum wait, with {@link RejectionReason#EXPIRED}
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public Permit acquire(String key, PermitOptions options) throws InterruptedException {
        Objects.requireNonNull(key, "key");
        return engine.acquire(key, withExpiry(options));
    }

    /**
     * As {@link #acquire(String)}, but waits at most for {@code timeout}, and returns a rejection instead of throwing it. If {@code timeout}
     * is zero, this method takes a permit only if one is free now, and displaces no queued task.
     *
     * @return the permit, or why there is none. Close it, or close its permit
     * @throws IllegalArgumentException if {@code timeout} is negative
     * @throws io.github.kobe.ExecutorShutdownException after a shutdown, and if one happens during the wait
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public PermitResult tryAcquire(String key, Duration timeout) throws InterruptedException {
        Objects.requireNonNull(key, "key");
        return engine.tryAcquire(key, timeout);
    }

    /**
     * As {@link #tryAcquire(String, Duration)}, with options. If they have no {@link PermitOptions#maxWait}, this method does not wait.
     *
     * @return the permit, or why there is none
     * @throws io.github.kobe.ExecutorShutdownException after a shutdown, and if one happens during the wait
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public PermitResult tryAcquire(String key, PermitOptions options) throws InterruptedException {
        Objects.requireNonNull(key, "key");
        return engine.tryAcquire(key, options);
    }

    /**
     * Requests a permit as {@link #acquire(String)} does, without a thread that waits. If a permit is free, the future is complete when this
     * method returns. Otherwise it completes when the permit is granted, and its dependent stages run on a new virtual thread. Cancelling the
     * future withdraws the request, or releases a permit that is granted at that moment; see
     * {@link io.github.kobe.GroupExecutor#acquireAsync(String)}. This method never blocks. A request that is rejected or has expired
     * completes the future with a {@link RejectedTaskException}. A shutdown completes it with an {@link ExecutorShutdownException}.
     *
     * @throws ExecutorShutdownException after a shutdown
     */
    public CompletableFuture<Permit> acquireAsync(String key) {
        return acquireAsync(key, PermitOptions.defaults());
    }

    /**
     * As {@link #acquireAsync(String)}, with options. {@link PermitOptions#maxWait} replaces {@link IsolationPolicy.Builder#taskExpiry}.
     *
     * @throws ExecutorShutdownException after a shutdown
     */
    public CompletableFuture<Permit> acquireAsync(String key, PermitOptions options) {
        Objects.requireNonNull(key, "key");
        return engine.acquireAsync(key, withExpiry(options));
    }

    /** The expiry of the policy limits a wait that has no limit of its own. */
    private PermitOptions withExpiry(PermitOptions options) {
        Objects.requireNonNull(options, "options");
        Duration expiry = policy.taskExpiry();
        return expiry == null || options.maxWait() != null
                ? options
                : options.toBuilder().maxWait(expiry).build();
    }

    // ---- keys ------------------------------------------------------------------------------------------------------

    /**
     * While there are too many keys, each submission looks at a few, in turn, and forgets those that are idle. A round over {@code n} keys takes
     * {@code n / 8} submissions, each of which adds at most one key. So there are never more than 8/7 of the keys that have tasks.
     */
    private void forgetIdleKeys() {
        if (kernel.groupCount() > policy.maxTrackedKeys()) {
            kernel.retireIdle(KEYS_EXAMINED, KEYS_EXAMINED);
        }
    }

    private static @Nullable Rejection rejectionOf(TaskHandle<?> handle) {
        return handle.isDone() ? handle.join().rejection() : null;
    }

    private void discarded(TaskHandle<?> handle, GroupResult<?> result, Fallback fallback) {
        Rejection rejection = result.rejection();
        if (rejection != null) {
            boolean expired = rejection.reason() == RejectionReason.EXPIRED;
            DiscardReason reason = expired ? DiscardReason.EXPIRED : DiscardReason.REJECTED;
            spawn(() -> engine.runInContext(handle, () -> callFallback(result.groupKey(), reason, fallback)));
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
        long end = timer.nanoTime(); // with very many keys, all searches together take one percent of the time
        findLongestAgainAt = end + Math.max(FIND_LONGEST_PERIOD, (end - now) * FIND_LONGEST_SHARE);
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
            pollBudget();
            queue.setWhiteList(Set.copyOf(policy.whiteList()));
        } catch (Throwable fault) {
            faults.report("isolation policy", name(), fault);
        } finally {
            pollingSettings.set(false);
        }
    }

    private void pollBudget() {
        int polled = checkedBudget(policy.maxConcurrency());
        synchronized (budgetLock) {
            if (!budgetIsFixed) {
                changeBudget(polled);
            }
        }
    }

    private static int checkedBudget(int number) {
        IsolationPolicy.check(number >= 1, "maxConcurrency", "at least 1", number);
        return number;
    }

    /** The caller holds the lock. */
    private void changeBudget(int newBudget) {
        if (newBudget != budget) {
            int from = budget;
            budget = newBudget;
            queue.setBudget(newBudget);
            kernel.setGlobalLimit(newBudget);
            FlightRecording.limitChanged(name(), "", "maxConcurrency", from, newBudget);
        }
    }

    /**
     * Sets how many tasks run at a time, of all keys together, in place of {@link IsolationPolicy.Builder#maxConcurrency(int)}. A
     * {@linkplain IsolationPolicy.Builder#maxConcurrency(java.util.function.IntSupplier) supplier} has no effect any more. If the number is raised,
     * queued tasks start at once, except on permits that are reserved for fast keys. If it is lowered, running tasks continue, and nothing starts
     * until enough of them have completed.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public void setMaxConcurrency(int tasks) {
        checkedBudget(tasks);
        synchronized (budgetLock) {
            budgetIsFixed = true;
            changeBudget(tasks);
        }
    }

    /**
     * Sets how many tasks of all keys may be queued, in place of {@link IsolationPolicy.Builder#queueCapacity}. If the number is lowered, tasks
     * that are already queued stay queued.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public void setQueueCapacity(int tasks) {
        IsolationPolicy.check(tasks >= 0, "queueCapacity", "at least 0", tasks);
        int from = kernel.globalQueueThreshold();
        kernel.setGlobalQueueThreshold(tasks);
        FlightRecording.limitChanged(name(), "", "queueCapacity", from, tasks);
    }

    /** Returns the value of {@link #setQueueCapacity}; at first that of {@link IsolationPolicy#queueCapacity}. */
    public int queueCapacity() {
        return kernel.globalQueueThreshold();
    }

    // ---- lanes ---------------------------------------------------------------------------------------------------

    /** The lane of the task that the calling thread runs, also by {@link #call(String, Callable) call}; {@code null} on other threads. */
    public static @Nullable Lane currentLane() {
        return CURRENT.get();
    }

    /** Assigns tasks to lanes, and applies the settings of the policy to tasks that do not have their own. */
    private final class Interceptor implements TaskInterceptor {

        /** What the policy says about tasks; {@code null} if nothing. */
        private final @Nullable TaskOptions defaults = options(policy.taskExpiry(), policy.taskTimeout());

        /** The last options that differed from the defaults, and what they became. Any thread may read any value that was written. */
        private @Nullable CompletedOptions last;

        private record CompletedOptions(TaskOptions own, TaskOptions completed) {}

        @Override
        public void beforeSubmit() {
            if (policy.isLive()) {
                settingsSweep.schedule();
            }
            forgetIdleKeys();
        }

        @Override
        public TaskOptions optionsFor(TaskOptions own) {
            if (defaults == null) {
                return own;
            }
            if (own.equals(TaskOptions.defaults())) {
                return defaults;
            }
            CompletedOptions known = last;
            if (known == null || !known.own.equals(own)) {
                known = new CompletedOptions(own, completed(own, defaults));
                last = known;
            }
            return known.completed;
        }

        private static TaskOptions completed(TaskOptions own, TaskOptions defaults) {
            TaskOptions.Builder completed = own.toBuilder();
            Duration expiry = defaults.maxQueueTime();
            if (own.maxQueueTime() == null && expiry != null) {
                completed.maxQueueTime(expiry);
            }
            Duration timeout = defaults.timeout();
            if (own.timeout() == null && timeout != null) {
                completed.timeout(timeout);
            }
            return completed.build();
        }

        @Override
        public boolean makeRoomFor(String key) {
            return IsolationExecutor.this.makeRoomFor(key);
        }

        @Override
        public Lane enter(Group group, long queuedNanos) {
            Lane lane = lanes.enter(group.key(), (KeyState) group.fairnessState(), queuedNanos);
            CURRENT.set(lane);
            return lane;
        }

        @Override
        public PermitLane enterPermit(Group group, long queuedNanos, boolean onThisThread) {
            Lane lane = lanes.enter(group.key(), (KeyState) group.fairnessState(), queuedNanos);
            Lane outer = onThisThread ? CURRENT.get() : null;
            if (onThisThread) {
                CURRENT.set(lane);
            }
            return new PermitLane(lane, onThisThread, outer);
        }

        @Override
        public void leave(Object entered) {
            if (entered instanceof PermitLane permit) {
                if (permit.onThread) {
                    restore(permit.outer);
                }
                lanes.leave(permit.lane);
            } else {
                CURRENT.remove();
                lanes.leave((Lane) entered);
            }
        }

        private static void restore(@Nullable Lane outer) {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /**
     * The lane of the work under a permit.
     *
     * @param onThread whether the lane is the current one of the thread that acquired the permit
     * @param outer the lane that was current on that thread before
     */
    private record PermitLane(
            Lane lane, boolean onThread, @Nullable Lane outer) {}

    /**
     * Adds a listener. It hears of each event from now on, also of tasks that were submitted before; see {@link TaskLifecycleListener}. Listeners are
     * called in the order in which they were added, that of the policy first. If one throws or does not return, the others are called all the
     * same.
     *
     * @return removes the listener when it is closed; a call that another thread is about to make may still begin
     */
    public Registration addListener(TaskLifecycleListener listener) {
        return engine.addListener(listener);
    }

    // ---- statistics -------------------------------------------------------------------------------------------

    /**
     * A snapshot of the executor, by lane and by key. Never throws. Takes time in proportion to the number of keys that are remembered. After a
     * shutdown, the keys are those that were remembered when it began.
     */
    public IsolationStats stats() {
        queue.processEvents();
        Map<Lane, LaneStats> byLane = new EnumMap<>(Lane.class);
        for (Lane lane : Lane.values()) {
            TimeStats waiting = StatsReader.timeStats(lanes.queueTimes(lane));
            byLane.put(lane, new LaneStats(lanes.running(lane), waiting.count(), waiting));
        }
        Map<String, KeyStats> byKey = new HashMap<>();
        int queued = 0;
        for (Group group : kernel.counters().groups()) {
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

    /** Statistics of one key; empty if the key is not remembered, or, after a shutdown, was not when it began. */
    public Optional<KeyStats> stats(String key) {
        return Optional.ofNullable(kernel.counters().group(Objects.requireNonNull(key, "key")))
                .map(queue::statsOf);
    }

    /**
     * Returns the tasks of the key whose code is on a thread now, the one that has been running for longest first; empty if the key is not
     * remembered. As {@link io.github.kobe.GroupExecutor#runningTasks}.
     */
    public List<RunningTask> runningTasks(String key) {
        Objects.requireNonNull(key, "key");
        return engine.runningTasks(key);
    }

    /**
     * Returns how often user code other than tasks has failed: a listener, fallback, hook, supplier of a live setting, retry policy or context
     * carrier that threw, returned what it must not return, or did not return in time. Each is logged through {@link System.Logger} too, at a
     * limited rate. Failures of tasks are not counted here. Never falls.
     */
    public long callbackFaults() {
        return faults.count();
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

    /**
     * Accepts no more tasks, lets finish what {@code mode} says, and stops the rest when {@code timeout} is over or when the calling thread is
     * interrupted. After an interrupt, the flag is set again. When this method returns, every handle is completed, and no thread
     * waits for a permit. A permit that a thread holds counts as running; nothing interrupts its thread. Fallbacks are not called for dropped
     * tasks.
     *
     * <p>May be called again, by any thread, in any mode. Under {@link ShutdownMode#FINISH_RUNNING} and {@link ShutdownMode#STOP} a call also
     * cuts short another call that still waits in {@link ShutdownMode#DRAIN}. Dropped tasks are listed
     * once, in the report of the first call that drops any.
     *
     * @param timeout how long to wait at most; not negative
     * @throws IllegalArgumentException if {@code timeout} is negative
     */
    public ShutdownReport shutdown(Duration timeout, ShutdownMode mode) {
        return engine.shutdown(timeout, mode);
    }

    /**
     * Stops now, as {@link #shutdown()} does; unless the policy has a {@link IsolationPolicy.Builder#closeTimeout}. Then queued tasks are
     * cancelled and running tasks may finish, as with {@code shutdown(closeTimeout, ShutdownMode.FINISH_RUNNING)}.
     */
    @Override
    public void close() {
        engine.close();
    }

    @Override
    public String toString() {
        return "IsolationExecutor '" + name() + "'[" + stats()
                + (faults.count() == 0 ? "" : " | " + faults.count() + " faults in callbacks") + "]";
    }
}
