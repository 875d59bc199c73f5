package io.github.kobe.internal.group;

import io.github.kobe.ContextCarrier;
import io.github.kobe.ContextCarrier.Captured;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupLoad;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupTask;
import io.github.kobe.LiveSettings;
import io.github.kobe.LiveSharedLimit;
import io.github.kobe.Permit;
import io.github.kobe.PermitOptions;
import io.github.kobe.PermitResult;
import io.github.kobe.Registration;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RunningTask;
import io.github.kobe.SharedLimit;
import io.github.kobe.SharedLimitStats;
import io.github.kobe.ShutdownMode;
import io.github.kobe.ShutdownReport;
import io.github.kobe.TaskFunction;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskOptions;
import io.github.kobe.internal.fair.HierarchicalRoundRobin;
import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.fair.ServiceTimeQueue;
import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.group.LiveOverrides.GroupOverride;
import io.github.kobe.internal.group.SharedOverrides.SharedOverride;
import io.github.kobe.internal.jfr.FlightRecording;
import io.github.kobe.internal.kernel.AttemptLimits;
import io.github.kobe.internal.kernel.CallbackMonitor;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.DispatcherConfig;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.kernel.HeldPermits;
import io.github.kobe.internal.kernel.LeaseControl;
import io.github.kobe.internal.kernel.LeaseOwner;
import io.github.kobe.internal.kernel.Limit;
import io.github.kobe.internal.kernel.PermitLeases;
import io.github.kobe.internal.kernel.SharedKey;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code GroupExecutor}, {@code WorkerPool} and {@code IsolationExecutor} share: admission control, listeners, statistics, limits that
 * change at run time, permits and batches, on top of one {@link Dispatcher}. The public classes document what each method does.
 *
 * <p>All methods are safe for use by several threads.
 */
public final class GroupEngine {

    private final ExecutorName name;
    private final Dispatcher dispatcher;
    private final Timer timer;
    private final Faults faults;
    private final PolicyLimits limits;
    private final @Nullable TaskInterceptor interceptor;
    private final boolean hasCosts;
    private final StatsReader statsReader;
    private final RetiredGroups retiredGroups;
    private final AdmissionControl admission;
    private final ListenerRegistry listeners;
    private final ListenerNotifier notifier;
    private final PermitAcquirer permits;
    private final UnaskedRejections unaskedRejections;
    private final @Nullable RejectionHandler rejectionHandler;
    private final @Nullable ContextCarrier carrier;
    private final @Nullable Captured emptyContext;
    private final TaskSettings withoutOptions;
    private final Duration closeTimeout;

    /**
     * The last options that a task had. Most tasks have equal options, so they share one object. It is immutable: a thread may read any of
     * the values that were written.
     */
    private @Nullable ConvertedOptions lastOptions;

    /** Options, and the part of them that the kernel needs. */
    private record ConvertedOptions(TaskOptions options, AttemptLimits limits) {}

    /** An engine whose groups compete as the policy says, and share their limits with those of the fleet of the policy. */
    public GroupEngine(ExecutorName name, GroupPolicy policy, TaskRunner runner, Timer timer) {
        this(name, policy, runner, timer, leases(name, policy));
    }

    /** {@code null} without a fleet. */
    private static @Nullable PermitLeases leases(ExecutorName name, GroupPolicy policy) {
        return policy.fleet() instanceof LeaseOwner owner ? owner.join(name.name()) : null;
    }

    /**
     * As {@link #GroupEngine(ExecutorName, GroupPolicy, TaskRunner, Timer)}, with limits that are shared with other JVMs.
     *
     * @param leases the owner of the permits that are held of these limits; {@code null} if there is none
     */
    public GroupEngine(
            ExecutorName name, GroupPolicy policy, TaskRunner runner, Timer timer, @Nullable PermitLeases leases) {
        this(
                name,
                policy,
                false,
                readyQueue(policy, timer),
                runner,
                timer,
                faultsOf(name, timer),
                listeners(policy),
                null,
                leases);
    }

    /**
     * As {@link #GroupEngine(ExecutorName, GroupPolicy, TaskRunner, Timer)}, for an executor whose groups have no limits of their own.
     *
     * @param faults where faults are reported
     * @param listeners the listeners; the one of the policy is not used
     */
    public static GroupEngine withOneQueue(
            ExecutorName name,
            GroupPolicy policy,
            TaskRunner runner,
            Timer timer,
            Faults faults,
            ListenerRegistry listeners) {
        return new GroupEngine(
                name, policy, true, readyQueue(policy, timer), runner, timer, faults, listeners, null, null);
    }

    /**
     * An engine whose groups compete as {@code readyQueue} says, and which reports to {@code faults}.
     *
     * @param interceptor what the face adds to each task; {@code null} if nothing
     */
    public GroupEngine(
            ExecutorName name,
            GroupPolicy policy,
            ReadyQueue readyQueue,
            TaskRunner runner,
            Timer timer,
            Faults faults,
            @Nullable TaskInterceptor interceptor) {
        this(name, policy, false, readyQueue, runner, timer, faults, listeners(policy), interceptor, null);
    }

    private GroupEngine(
            ExecutorName name,
            GroupPolicy policy,
            boolean oneQueue,
            ReadyQueue readyQueue,
            TaskRunner runner,
            Timer timer,
            Faults faults,
            ListenerRegistry listeners,
            @Nullable TaskInterceptor interceptor,
            @Nullable PermitLeases leases) {
        this.name = name;
        this.timer = timer;
        this.faults = faults;
        this.interceptor = interceptor;
        this.hasCosts = interceptor == null && !oneQueue;
        carrier = policy.contextCarrier();
        emptyContext = carrier == null || !runner.reusesThreads() ? null : CarriedContext.empty(carrier, name, faults);
        limits = new PolicyLimits(policy, faults);
        LeaseControl leaseControl = leases == null ? null : new LeaseControl(leases, faults);
        dispatcher = new Dispatcher(limits, config(policy), readyQueue, runner, timer, leaseControl);
        dispatcher.onStuckGroup((key, waits) ->
                faults.warn("group is stuck, all its running tasks wait", new StuckGroup(key, waits), null));
        statsReader = new StatsReader(dispatcher);
        retiredGroups = new RetiredGroups(statsReader, dispatcher::spawn, faults);
        dispatcher.counters().onRetired(retiredGroups);
        rejectionHandler = policy.rejectionHandler();
        closeTimeout = policy.closeTimeout();
        this.listeners = listeners;
        notifier = new ListenerNotifier(listeners, new CallbackMonitor(timer, dispatcher::spawn, faults), faults);
        RejectionFactory rejections = new RejectionFactory(dispatcher, oneQueue, name.inMessages());
        admission = new AdmissionControl(
                name.toString(), dispatcher, rejections, policy, listeners, notifier, interceptor, timer);
        unaskedRejections = new UnaskedRejections(timer, faults);
        permits = new PermitAcquirer(this, admission, notifier, interceptor, timer);
        withoutOptions = TaskSettings.withoutOptions(this, listeners);
    }

    /** Where faults of an executor with this name are reported. */
    public static Faults faultsOf(ExecutorName name, Timer timer) {
        return new Faults(timer::nanoTime, name::toString);
    }

    private static ListenerRegistry listeners(GroupPolicy policy) {
        ListenerRegistry listeners = new ListenerRegistry();
        TaskLifecycleListener listener = policy.taskLifecycleListener();
        if (listener != null) {
            listeners.add(listener);
        }
        return listeners;
    }

    private record StuckGroup(String groupKey, String waits) implements Faults.Grouped {
        @Override
        public String toString() {
            return "group '" + groupKey + "': " + waits;
        }
    }

    private static ReadyQueue readyQueue(GroupPolicy policy, Timer timer) {
        return switch (policy.fairnessPolicy()) {
            case TASKS ->
                policy.sharedLimits().stream().anyMatch(SharedLimit::hasWeights)
                        ? new HierarchicalRoundRobin()
                        : new WeightedRoundRobin();
            case SERVICE_TIME -> new ServiceTimeQueue(timer::nanoTime);
        };
    }

    private static DispatcherConfig config(GroupPolicy policy) {
        Duration ageing = policy.priorityAgeing();
        return new DispatcherConfig(
                policy.globalMaxInFlight(),
                policy.globalQueueThreshold(),
                Durations.saturatedNanos(policy.idleGroupTtl()),
                policy.recordTimes(),
                AdmissionControl.blocks(policy),
                ageing == null ? DispatcherConfig.NO_AGEING : Durations.saturatedNanos(ageing),
                DispatcherConfig.DEFAULT_SWEEP_CAPACITY,
                policy.maxGroups());
    }

    /** The name of the executor. */
    public String name() {
        return name.name();
    }

    /** The kernel. */
    public Dispatcher dispatcher() {
        return dispatcher;
    }

    ListenerNotifier notifier() {
        return notifier;
    }

    Timer timer() {
        return timer;
    }

    Faults faults() {
        return faults;
    }

    @Nullable
    TaskInterceptor interceptor() {
        return interceptor;
    }

    UnaskedRejections unaskedRejections() {
        return unaskedRejections;
    }

    AdmissionControl admission() {
        return admission;
    }

    @Nullable
    RejectionHandler rejectionHandler() {
        return rejectionHandler;
    }

    /** Adds a listener. */
    public Registration addListener(TaskLifecycleListener listener) {
        return listeners.add(listener);
    }

    /** The carrier of the policy. */
    public @Nullable ContextCarrier carrier() {
        return carrier;
    }

    /** What the attempts of a task that carries nothing run inside; {@code null} if nothing. */
    @Nullable
    Captured emptyContext() {
        return emptyContext;
    }

    /** Runs a callback of a task that was rejected, inside the context of the task. */
    public void runInContext(TaskHandle<?> task, Runnable callback) {
        ((GroupTaskImpl<?>) task).runInContext(callback);
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    /** Submits a task without options. */
    public <T extends @Nullable Object> TaskHandle<T> submit(String groupKey, String taskId, Callable<T> task) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(task, "task");
        return submitOrThrow(groupKey, taskId, task, settings());
    }

    /** Submits a task with options. */
    public <T extends @Nullable Object> TaskHandle<T> submit(
            String groupKey, String taskId, Callable<T> task, TaskOptions options) {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(task, "task");
        TaskSettings settings = settings(options);
        return submitOrThrow(
                groupKey,
                taskId,
                task,
                task instanceof ScopeWork<?> work ? settings.ofScope(work.scopeId()) : settings);
    }

    /** Submits a task with options that is given its context. */
    public <T extends @Nullable Object> TaskHandle<T> submit(
            String groupKey, String taskId, TaskFunction<T> task, TaskOptions options) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(task, "task");
        Objects.requireNonNull(options, "options");
        // An object that is a callable as well is called as the function that it was submitted as.
        TaskFunction<T> function = task instanceof Callable<?> ? context -> task.apply(context) : task;
        return submitOrThrow(groupKey, taskId, function, settings(options));
    }

    /** Submits a task without options that returns nothing. */
    public TaskHandle<?> submit(String groupKey, String taskId, Runnable task) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(task, "task");
        return submitOrThrow(groupKey, taskId, work(task), settings());
    }

    /** Submits a task with options that returns nothing. */
    public TaskHandle<?> submit(String groupKey, String taskId, Runnable task, TaskOptions options) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(task, "task");
        Objects.requireNonNull(options, "options");
        return submitOrThrow(groupKey, taskId, work(task), settings(options));
    }

    /** An object that is a callable or a function as well is run as the runnable that it was submitted as. */
    private static Runnable work(Runnable task) {
        return task instanceof Callable<?> || task instanceof TaskFunction<?> ? () -> task.run() : task;
    }

    private <T extends @Nullable Object> TaskHandle<T> submitOrThrow(
            String groupKey, String taskId, Object work, TaskSettings settings) {
        GroupTaskImpl<T> task = new GroupTaskImpl<>(groupKey, taskId, work, settings);
        if (!admission.submit(task)) {
            admission.throwIfRejected(task);
        }
        return task;
    }

    /** A task of several: a rejection is one of the results, under each policy. */
    private <T extends @Nullable Object> GroupTaskImpl<T> submit(GroupTask<T> oneOfSeveral) {
        GroupTaskImpl<T> task = new GroupTaskImpl<>(
                oneOfSeveral.groupKey(), oneOfSeveral.taskId(), oneOfSeveral.task(), settings(oneOfSeveral.options()));
        admission.submit(task);
        return task;
    }

    /** A task of an executor service view; the view submits it. */
    GroupTaskImpl<Object> newViewTask(String groupKey, ViewFuture<?> work) {
        return new GroupTaskImpl<>(groupKey, GroupExecutorService.TASK_ID, work, settings());
    }

    /** Of a task without options. */
    private TaskSettings settings() {
        return interceptor == null ? withoutOptions : settings(TaskOptions.defaults());
    }

    private TaskSettings settings(TaskOptions own) {
        TaskOptions options = interceptor == null ? own : interceptor.optionsFor(own);
        ConvertedOptions last = lastOptions;
        if (last == null || !last.options.equals(options)) {
            if (options.equals(TaskOptions.defaults())) {
                return withoutOptions;
            }
            requireCost(options.cost());
            last = new ConvertedOptions(options, attemptLimits(options));
            lastOptions = last;
        }
        return withoutOptions.with(options, last.limits);
    }

    /** @throws IllegalArgumentException if tasks of this executor take one permit each, and {@code cost} is another number */
    void requireCost(int cost) {
        if (cost != 1 && !hasCosts) { // on the way of each permit: the message is made only if it is thrown
            Checks.check(false, "cost", "1 in " + name, cost);
        }
    }

    /** What the calling thread, which submits {@code task}, has to carry; {@code null} if nothing. */
    @Nullable
    Captured captureFor(TaskIdentity task) {
        return carrier == null ? null : CarriedContext.captureFor(task, carrier, faults);
    }

    private static AttemptLimits attemptLimits(TaskOptions options) {
        return new AttemptLimits(
                options.priority(),
                nanos(options.maxQueueTime()),
                nanos(options.timeout()),
                nanos(options.attemptTimeout()),
                options.retry().keepsPermit(),
                false,
                options.cost());
    }

    private static long nanos(@Nullable Duration time) {
        return time == null ? AttemptLimits.NONE : Durations.saturatedNanos(time);
    }

    /** Submits all tasks and waits for all of them. */
    public <T extends @Nullable Object> List<GroupResult<T>> executeAll(List<GroupTask<T>> tasks) {
        BatchSubmitter.requireTasks(tasks);
        admission.requireOpen("a list of tasks");
        return BatchSubmitter.run(tasks, this::submit);
    }

    /** Returns the results in the order of completion. */
    public <T extends @Nullable Object> Stream<GroupResult<T>> completions(Stream<GroupTask<T>> tasks, int window) {
        return completions(tasks, window, WindowedSource.NO_LIMIT);
    }

    /** As {@link #completions(Stream, int)}, with a window for each group. */
    public <T extends @Nullable Object> Stream<GroupResult<T>> completions(
            Stream<GroupTask<T>> tasks, int window, int windowPerGroup) {
        requireWindows(tasks, window, windowPerGroup);
        return CompletionStream.stream(tasks, window, windowPerGroup, this::submit);
    }

    /** Submits all tasks, with a window for each group. */
    public <T extends @Nullable Object> long feed(
            Stream<GroupTask<T>> tasks, int window, int windowPerGroup, Consumer<? super TaskHandle<T>> onSubmitted)
            throws InterruptedException {
        Objects.requireNonNull(onSubmitted, "onSubmitted");
        requireWindows(tasks, window, windowPerGroup);
        return TaskFeeder.feed(tasks, window, windowPerGroup, this::submit, onSubmitted);
    }

    private void requireWindows(Stream<?> tasks, int window, int windowPerGroup) {
        Objects.requireNonNull(tasks, "tasks");
        Checks.atLeast(1, "window", window);
        Checks.atLeast(1, "windowPerGroup", windowPerGroup);
        admission.requireOpen("a stream of tasks");
    }

    /** As {@link #completions(Stream, int)}, of a copy of {@code tasks}. */
    public <T extends @Nullable Object> Stream<GroupResult<T>> completions(List<GroupTask<T>> tasks, int window) {
        BatchSubmitter.requireTasks(tasks);
        return completions(List.copyOf(tasks).stream(), window);
    }

    /** Returns a view of one group. */
    public ExecutorService asExecutorService(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        return new GroupExecutorService(groupKey, this);
    }

    // ---- permits -------------------------------------------------------------------------------------------------

    /** Waits for a permit for the calling thread. */
    public Permit acquire(String groupKey, PermitOptions options) throws InterruptedException {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(options, "options");
        return permits.acquire(groupKey, options);
    }

    /** As {@link #acquire}, with a timeout, and returns a rejection. */
    public PermitResult tryAcquire(String groupKey, Duration timeout) throws InterruptedException {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(timeout, "timeout");
        Checks.notNegative("timeout", timeout);
        return permits.tryAcquire(groupKey, PermitOptions.defaults(), Durations.saturatedNanos(timeout));
    }

    /** As {@link #acquire}, and returns a rejection. Does not wait if there is no maximum wait. */
    public PermitResult tryAcquire(String groupKey, PermitOptions options) throws InterruptedException {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(options, "options");
        Duration maxWait = options.maxWait();
        return permits.tryAcquire(groupKey, options, maxWait == null ? 0 : Durations.saturatedNanos(maxWait));
    }

    /** As {@link #acquire}, without a waiting thread. */
    public CompletableFuture<Permit> acquireAsync(String groupKey, PermitOptions options) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(options, "options");
        return permits.acquireAsync(groupKey, options);
    }

    /** Whether the calling thread holds a permit of the group. */
    public boolean holds(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        return HeldPermits.holds(dispatcher, groupKey);
    }

    /** Runs {@code task} on the calling thread, with a permit. */
    public <T extends @Nullable Object> T call(String groupKey, Callable<T> task, PermitOptions options)
            throws Exception {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(task, "task");
        Objects.requireNonNull(options, "options");
        return permits.call(groupKey, task, options);
    }

    /** Runs {@code task} on the calling thread, with a permit. */
    public void call(String groupKey, Runnable task, PermitOptions options) throws InterruptedException {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(task, "task");
        Objects.requireNonNull(options, "options");
        permits.call(groupKey, task, options);
    }

    // ---- limits that change at run time --------------------------------------------------------------------------

    /** Overrides a group's concurrency limit. */
    public void setMaxConcurrency(String groupKey, int n) {
        Checks.atLeast(1, "maxConcurrency", n);
        override(groupKey, o -> o.withConcurrency(n));
    }

    /** Overrides a group's in-flight limit. */
    public void setMaxInFlight(String groupKey, int n) {
        Checks.atLeast(1, "maxInFlight", n);
        override(groupKey, o -> o.withInFlight(n));
    }

    /** Overrides a group's queue threshold. */
    public void setQueueThreshold(String groupKey, int n) {
        Checks.atLeast(0, "queueThreshold", n);
        override(groupKey, o -> o.withQueueThreshold(n));
    }

    /** Overrides a group's weight. */
    public void setWeight(String groupKey, int n) {
        Checks.atLeast(1, "weight", n);
        override(groupKey, o -> o.withWeight(n));
    }

    /** Pauses or resumes a group. */
    public void setPaused(String groupKey, boolean paused) {
        override(groupKey, o -> o.withPaused(paused));
    }

    private void override(String groupKey, UnaryOperator<GroupOverride> change) {
        Objects.requireNonNull(groupKey, "groupKey");
        dispatcher.requireNotResolving(groupKey);
        changeOverrides(groupKey, () -> limits.change(groupKey, change));
    }

    private void changeOverrides(String groupKey, Runnable change) {
        GroupOverride before = limits.overridesOf(groupKey);
        change.run();
        if (!applySettings(groupKey)) {
            FlightEvents.overridden(name.name(), groupKey, before, limits.overridesOf(groupKey));
        }
    }

    /**
     * The kernel applies the settings that hold when it changes the limits. So of two concurrent changes the later one holds.
     *
     * @return whether the group is registered
     */
    private boolean applySettings(String groupKey) {
        GroupLimits[] beforeAndAfter = new GroupLimits[2];
        dispatcher.changeLimits(groupKey, inForce -> {
            beforeAndAfter[0] = inForce;
            beforeAndAfter[1] = limits.inForce(groupKey, inForce);
            return beforeAndAfter[1];
        });
        if (beforeAndAfter[0] == null) {
            return false;
        }
        FlightEvents.limitsChanged(name.name(), groupKey, beforeAndAfter[0], beforeAndAfter[1]);
        return true;
    }

    /** Removes a group's overrides. */
    public void resetGroup(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        dispatcher.requireNotResolving(groupKey);
        changeOverrides(groupKey, () -> limits.reset(groupKey));
        dispatcher.reresolveLimits(groupKey);
    }

    /** The overrides of all groups. */
    public Map<String, LiveSettings> liveSettings() {
        return limits.liveSettings();
    }

    /** The overrides of all values of shared limits. */
    public List<LiveSharedLimit> liveSharedLimits() {
        return limits.liveSharedLimits();
    }

    /** Sets the concurrency limit of groups without a setting of their own. */
    public void setDefaultMaxConcurrency(int n) {
        int from = limits.defaultConcurrency();
        limits.setDefaultConcurrency(Checks.atLeast(1, "defaultMaxConcurrency", n));
        FlightRecording.limitChanged(name.name(), "", "defaultMaxConcurrency", from, n);
        applySettingsToAllGroups();
    }

    /** The concurrency limit of groups without a setting of their own. */
    public int defaultMaxConcurrency() {
        return limits.defaultConcurrency();
    }

    /** Sets the queue threshold of groups without a setting of their own. */
    public void setDefaultQueueThreshold(int n) {
        int from = limits.defaultQueueThreshold();
        limits.setDefaultQueueThreshold(Checks.atLeast(0, "defaultQueueThreshold", n));
        FlightRecording.limitChanged(name.name(), "", "defaultQueueThreshold", from, n);
        applySettingsToAllGroups();
    }

    /** The queue threshold of groups without a setting of their own. */
    public int defaultQueueThreshold() {
        return limits.defaultQueueThreshold();
    }

    /** A group that is registered after the setting was written reads it. The others are found here. */
    private void applySettingsToAllGroups() {
        dispatcher.groups().forEach(group -> applySettings(group.key()));
    }

    /** Sets the global queue threshold. */
    public void setGlobalQueueThreshold(int n) {
        int from = dispatcher.globalQueueThreshold();
        dispatcher.setGlobalQueueThreshold(Checks.atLeast(0, "globalQueueThreshold", n));
        FlightRecording.limitChanged(name.name(), "", "globalQueueThreshold", from, n);
    }

    /** The global queue threshold. */
    public int globalQueueThreshold() {
        return dispatcher.globalQueueThreshold();
    }

    /** Sets the global limit. */
    public void setGlobalMaxInFlight(int n) {
        int from = dispatcher.globalLimit();
        dispatcher.setGlobalLimit(Checks.atLeast(1, "globalMaxInFlight", n));
        FlightRecording.limitChanged(name.name(), "", "globalMaxInFlight", from, n);
    }

    /** Overrides a shared limit. */
    public void setSharedLimit(String limit, String value, int max) {
        SharedKey key = sharedKey(limit, value);
        Checks.atLeast(1, "max", max);
        overrideShared(key, o -> o.withMax(max));
    }

    /** Pauses or resumes a shared limit. */
    public void setSharedLimitPaused(String limit, String value, boolean paused) {
        overrideShared(sharedKey(limit, value), o -> o.withPaused(paused));
    }

    private static SharedKey sharedKey(String limit, String value) {
        return new SharedKey(Objects.requireNonNull(limit, "name"), Objects.requireNonNull(value, "value"));
    }

    private void overrideShared(SharedKey key, UnaryOperator<SharedOverride> change) {
        changeShared(key, () -> limits.changeShared(key, change), false);
    }

    /** Removes the overrides of a shared limit. */
    public void resetSharedLimit(String limit, String value) {
        SharedKey key = sharedKey(limit, value);
        changeShared(key, () -> limits.resetShared(key), true);
    }

    /** Asks the policy again for all values of a shared limit. */
    public void refreshSharedLimit(String limit) {
        limits.requireShared(Objects.requireNonNull(limit, "name"));
        for (Limit known : dispatcher.sharedLimits()) {
            SharedKey key = Objects.requireNonNull(known.key());
            if (key.name().equals(limit)) {
                changeShared(key, () -> {}, true);
            }
        }
    }

    private void changeShared(SharedKey key, Runnable change, boolean resolve) {
        int from = limits.sharedInForce(key, -1); // -1 if the policy applies, as in the events of groups
        change.run();
        if (resolve) {
            dispatcher.reresolveSharedLimit(key, limits.resolveShared(key));
        } else {
            dispatcher.sharedLimitChanged(key);
        }
        FlightRecording.limitChanged(name.name(), "", "sharedLimit " + key, from, limits.sharedInForce(key, -1));
    }

    // ---- shutdown ------------------------------------------------------------------------------------------------

    /** Stops the tasks of one group, including its rejected tasks whose rejection handler runs. */
    public void shutdownGroup(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        dispatcher.stopGroup(groupKey);
        dispatcher.stopDetached(task ->
                task instanceof TaskHandle<?> handle && handle.groupKey().equals(groupKey));
    }

    /** Forgets a group's limits; the next submit resolves them again. */
    public void evictGroup(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        dispatcher.evict(groupKey);
    }

    /** Stops all tasks now. */
    public void shutdown() {
        dispatcher.stop();
    }

    /** Lets running tasks finish for as long as the policy says, and stops the rest. */
    public void close() {
        if (closeTimeout.isZero()) {
            shutdown();
        } else {
            shutdown(closeTimeout, ShutdownMode.FINISH_RUNNING);
        }
    }

    /** Lets all tasks finish, and stops those that are left after {@code timeout}. */
    public boolean shutdown(Duration timeout) {
        return shutdown(timeout, ShutdownMode.DRAIN).completed();
    }

    /** Lets finish what {@code mode} says, and stops the rest after {@code timeout}. */
    public ShutdownReport shutdown(Duration timeout, ShutdownMode mode) {
        return shutdown(timeout, mode, new DispatcherLifecycle());
    }

    /** As {@link #shutdown(Duration, ShutdownMode)}, for a face that has more to close than this engine. */
    public ShutdownReport shutdown(Duration timeout, ShutdownMode mode, Lifecycle lifecycle) {
        Objects.requireNonNull(timeout, "timeout");
        Objects.requireNonNull(mode, "mode");
        Checks.notNegative("timeout", timeout);
        return new ShutdownProcedure(dispatcher, lifecycle).run(mode, Durations.saturatedNanos(timeout));
    }

    /** The steps of a shutdown. */
    public interface Lifecycle {

        /** Admits no more tasks. */
        void close();

        /** Returns whether no task is left after at most {@code nanos}. */
        boolean awaitTermination(long nanos) throws InterruptedException;

        /** Stops all tasks now, and returns when every outcome is published. */
        void stop();
    }

    private final class DispatcherLifecycle implements Lifecycle {
        @Override
        public void close() {
            dispatcher.close();
        }

        @Override
        public boolean awaitTermination(long nanos) throws InterruptedException {
            return dispatcher.awaitTermination(nanos);
        }

        @Override
        public void stop() {
            dispatcher.stop();
        }
    }

    // ---- statistics ----------------------------------------------------------------------------------------------

    /** A snapshot of one group; empty if it is not known. */
    public Optional<GroupStats> groupStats(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        Group group = dispatcher.counters().group(groupKey);
        return group == null ? Optional.empty() : Optional.ofNullable(statsReader.of(group));
    }

    /** A snapshot of each group. */
    public Stream<GroupStats> groups() {
        return dispatcher.counters().groups().stream().<GroupStats>mapMulti((group, groups) -> {
            GroupStats stats = statsReader.of(group);
            if (stats != null) {
                groups.accept(stats);
            }
        });
    }

    /** A snapshot of each value of each shared limit. */
    public List<SharedLimitStats> sharedLimits() {
        return stats(dispatcher.sharedLimits());
    }

    /** The names of the shared limits of the policy. */
    public List<String> sharedLimitNames() {
        return limits.sharedLimitNames();
    }

    /** A snapshot of one value of a shared limit; empty if no group belongs to it. */
    public Optional<SharedLimitStats> sharedLimitStats(String limit, String value) {
        Limit known = dispatcher.sharedLimit(sharedKey(limit, value));
        return known == null ? Optional.empty() : stats(List.of(known)).stream().findFirst();
    }

    /** A snapshot of each shared limit that a group belongs to. */
    public List<SharedLimitStats> sharedLimits(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        Group group = dispatcher.groupInUse(groupKey);
        return group == null ? List.of() : stats(group.sharedLimits());
    }

    /** The keys of the groups that wait for one value of a shared limit. */
    @SuppressWarnings("ReferenceEquality") // identity of limits
    public Set<String> groupsWaitingFor(String limit, String value) {
        Limit wanted = dispatcher.sharedLimit(sharedKey(limit, value));
        return wanted == null
                ? Set.of()
                : dispatcher.groups().stream()
                        .filter(group -> group.awaitedLimit() == wanted)
                        .map(Group::key)
                        .collect(Collectors.toUnmodifiableSet());
    }

    /** Asks the groups where they wait only if some may wait. */
    private List<SharedLimitStats> stats(Collection<Limit> sharedLimits) {
        boolean someMayWait = sharedLimits.stream().anyMatch(limit -> limit.waitingGroups() > 0);
        Map<Limit, Integer> waiting = new HashMap<>();
        if (someMayWait) {
            for (Group group : dispatcher.groups()) {
                Limit awaited = group.awaitedLimit();
                if (awaited != null) {
                    waiting.merge(awaited, 1, Integer::sum);
                }
            }
        }
        return sharedLimits.stream()
                .map(limit -> stats(limit, waiting.getOrDefault(limit, 0)))
                .toList();
    }

    private SharedLimitStats stats(Limit limit, int waitingGroups) {
        SharedKey key = Objects.requireNonNull(limit.key());
        return new SharedLimitStats(
                key.name(),
                key.value(),
                limit.groups(),
                limit.inFlight(),
                limit.max(),
                limits.isPaused(key),
                waitingGroups,
                limit.leasedPermits());
    }

    /** Has {@code consumer} called with the final statistics of groups that retire. */
    public Registration onGroupRetired(Consumer<? super GroupStats> consumer) {
        return retiredGroups.add(Objects.requireNonNull(consumer, "consumer"));
    }

    /** The tasks of a group that are on a thread, the oldest first. */
    public List<RunningTask> runningTasks(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        Group group = dispatcher.groupInUse(groupKey);
        return group == null ? List.of() : StatsReader.runningTasks(Stream.of(group));
    }

    /** As {@link #runningTasks(String)}, of all groups. */
    public List<RunningTask> runningTasks() {
        return StatsReader.runningTasks(dispatcher.groupsInUse().stream());
    }

    /** How many failures of callbacks were reported. */
    public long callbackFaults() {
        return faults.count();
    }

    /** A snapshot of all groups together. */
    public GroupExecutorStats stats() {
        return statsReader.ofAllGroups(null);
    }

    /** As {@link #stats()}, and passes the load of each group to {@code eachGroup}. */
    public GroupExecutorStats stats(Consumer<? super GroupLoad> eachGroup) {
        return statsReader.ofAllGroups(Objects.requireNonNull(eachGroup, "eachGroup"));
    }

    /** The keys of the groups that are known now. */
    public Set<String> activeGroupKeys() {
        return dispatcher.groups().stream().map(Group::key).collect(Collectors.toUnmodifiableSet());
    }

    /** The statistics as text, with a note if user code threw. */
    @Override
    public String toString() {
        return (dispatcher.isClosed() ? "shut down | " : "")
                + stats()
                + (faults.count() == 0 ? "" : " | " + faults.count() + " faults in callbacks");
    }
}
