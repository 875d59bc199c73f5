package io.github.kobe.scope;

import io.github.kobe.ContextCarrier;
import io.github.kobe.GroupExecutor;
import io.github.kobe.internal.group.CarriedContext;
import io.github.kobe.internal.group.CarrierPair;
import io.github.kobe.internal.kernel.BlockedWait;
import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.internal.kernel.StandaloneGroup;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.CacheLinePadding;
import io.github.kobe.internal.util.Faults;
import io.github.kobe.internal.util.SpinWait;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a scope: the kernel group that runs them, their counters, and the threads that wait for them. Created at the first
 * submission, when the scope's settings are final.
 */
final class ScopeTasks {

    /** Told when tasks get their permits and when they complete. */
    interface TaskListener {
        /** The outcome of {@code task} is published, or it has got its permit. Called on the thread that did it; short, does not throw. */
        void onChange(ScopeTaskImpl<?> task);
    }

    private static final TaskListener[] NO_LISTENERS = {};

    /** Shared by all scopes: scopes are many, and the same fault occurs in each. */
    static final Faults FAULTS = new Faults(System::nanoTime);

    private final ScopeState scope;
    private final Scheduler scheduler;
    private final StandaloneGroup group;
    private final Timer timer;
    private final ContextCarrier carrier;
    private final ContextCarrier carrierInGroups;
    private final ContextCarrier.@Nullable Captured emptyContext;
    private final boolean limited;
    private final boolean plain;
    private final boolean hasGroups;
    private final @Nullable HookNotifier hooks;
    private final Counters counters = new Counters();
    private final AtomicReference<TaskListener[]> listeners = new AtomicReference<>(NO_LISTENERS);

    private volatile @Nullable String failureTree;

    /** In no queue of the scope and on no thread yet. */
    private final Set<Handoff> pendingHandoffs;

    /** Waits for tasks of the scope by threads that hold permits, if tasks may run in groups. */
    private final Set<BlockedWait> blockedWaits;

    ScopeTasks(ScopeState scope, ScopeSettings settings) {
        this.scope = scope;
        this.scheduler = settings.scheduler;
        this.limited = settings.concurrencyLimit != Integer.MAX_VALUE;
        this.plain = !limited && hasFreshThreads() && settings.hook == null && settings.groups == null;
        this.group = new StandaloneGroup(scope.id(), settings.concurrencyLimit, scheduler.dispatcher());
        this.pendingHandoffs = hasFreshThreads() && settings.groups == null ? Set.of() : ConcurrentHashMap.newKeySet();
        this.blockedWaits = settings.groups == null ? Set.of() : ConcurrentHashMap.newKeySet();
        this.hasGroups = settings.groups != null;
        this.timer = scheduler.timer();
        this.carrier = settings.carrier;
        this.carrierInGroups = withGroups(carrier, settings.groups);
        this.emptyContext = hasFreshThreads() ? null : CarriedContext.empty(carrier, scopeId(), FAULTS);
        this.hooks = settings.hook == null ? null : new HookNotifier(settings.hook, scheduler.callbackMonitor());
    }

    /** Written by the threads of tasks. All counters share one cache line, and nothing else is in that line. */
    private static final class Counters extends CacheLinePadding {
        private static final VarHandle STARTED;
        private static final VarHandle PUBLISHED;
        private static final VarHandle TOTAL_NANOS;
        private static final VarHandle MAX_NANOS;

        static {
            try {
                MethodHandles.Lookup lookup = MethodHandles.lookup();
                STARTED = lookup.findVarHandle(Counters.class, "started", long.class);
                PUBLISHED = lookup.findVarHandle(Counters.class, "published", long.class);
                TOTAL_NANOS = lookup.findVarHandle(Counters.class, "totalNanos", long.class);
                MAX_NANOS = lookup.findVarHandle(Counters.class, "maxNanos", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private volatile long started;
        private volatile long published;
        private volatile long totalNanos;
        private volatile long maxNanos;
    }

    ScopeState scope() {
        return scope;
    }

    String scopeId() {
        return scope.id();
    }

    String schedulerName() {
        return scheduler.name();
    }

    /** Keeps the tree of the first failure that cancels other tasks. If two are found at the same moment, either may be kept. */
    void recordFailureTree(Supplier<String> tree) {
        if (failureTree == null) {
            failureTree = tree.get();
        }
    }

    @Nullable
    String failureTree() {
        return failureTree;
    }

    /** Whether each thread is made for one task and terminates with it. */
    boolean hasFreshThreads() {
        return scheduler.isVirtualThreadMode();
    }

    boolean isLimited() {
        return limited;
    }

    /** Whether it has fresh threads and no limit, hook or groups: no thread waits for permits, and no user code is called. */
    boolean isPlain() {
        return plain;
    }

    @Nullable
    HookNotifier hooks() {
        return hooks;
    }

    Faults faults() {
        return FAULTS;
    }

    Timer timer() {
        return timer;
    }

    long now() {
        return timer.nanoTime();
    }

    /** Runs {@code work}, which is not a task, off the calling thread. */
    void spawn(Runnable work) {
        scheduler.dispatcher().spawn(work);
    }

    // ---- submission and progress ---------------------------------------------------------------------------------

    /** Starts or queues {@code task}. False after {@link #shutdown}. */
    boolean submit(ScopeTaskImpl<?> task) {
        return group.submit(task);
    }

    /** The task has got its permit. Only called in a scope with a limit. */
    void permitGranted(ScopeTaskImpl<?> task) {
        notifyListeners(task);
    }

    /** The work of a task starts for the first time. */
    void countStart() {
        Counters.STARTED.getAndAdd(counters, 1L);
    }

    /** Adds {@code total}, negative if an outcome was too late, to the total duration; {@code longest} may be the new maximum. */
    void countDuration(long total, long longest) {
        Counters.TOTAL_NANOS.getAndAdd(counters, total);
        for (long max = counters.maxNanos; longest > max; max = counters.maxNanos) {
            Counters.MAX_NANOS.compareAndSet(counters, max, longest);
        }
    }

    /** A canceller of the scope may have missed it, so this checks afterwards whether the scope is cancelled. */
    void handoffStarted(Handoff handoff) {
        pendingHandoffs.add(handoff);
        scope.cancelIfCancelled(handoff.task());
    }

    /** A thread has taken it, or none will. */
    void handoffOver(Handoff handoff) {
        pendingHandoffs.remove(handoff);
    }

    /** The task's outcome is published. It is counted first, because the threads that are woken read the count. */
    void completed(ScopeTaskImpl<?> task) {
        if (!plain || !task.hasSucceeded()) {
            Counters.PUBLISHED.getAndAdd(counters, 1L);
        }
        notifyListeners(task);
    }

    private void notifyListeners(ScopeTaskImpl<?> task) {
        for (TaskListener listener : listeners.get()) {
            listener.onChange(task);
        }
    }

    /** {@code listener} is told from now on. It has to check itself what happened before. */
    void addListener(TaskListener listener) {
        listeners.updateAndGet(known -> {
            TaskListener[] more = Arrays.copyOf(known, known.length + 1);
            more[known.length] = listener;
            return more;
        });
    }

    void removeListener(TaskListener listener) {
        listeners.updateAndGet(known -> {
            List<TaskListener> rest = new ArrayList<>(Arrays.asList(known));
            rest.remove(listener);
            return rest.toArray(NO_LISTENERS);
        });
    }

    // ---- waits of threads that hold permits ----------------------------------------------------------------------

    /**
     * The calling thread is about to wait for {@code awaited}. While it is blocked, it lends its permits: those of groups to any task of the scope,
     * because a task that is not awaited may have the scope's permit that an awaited one needs; that of the scope to the awaited tasks.
     *
     * @return the wait, for {@link #endWait}; {@code null} if the thread has no permit to lend
     */
    @Nullable
    BlockedWait beginWait(Collection<? extends ScopeTaskImpl<?>> awaited) {
        BlockedWait wait = plain ? null : BlockedWait.begin(false);
        if (wait == null) {
            return null;
        }
        awaited.forEach(task -> addTo(wait, task));
        if (hasGroups) {
            blockedWaits.add(wait); // a group task that is submitted from now on is offered to it
            pendingHandoffs.forEach(handoff -> handoff.task().offerGroupTaskTo(wait));
        }
        return wait;
    }

    /** {@code wait} is for {@code task} too. */
    void addTo(@Nullable BlockedWait wait, ScopeTaskImpl<?> task) {
        if (wait != null && limited) {
            wait.add(task);
        }
    }

    /** @param inTime false if the wait timed out or was interrupted */
    void endWait(@Nullable BlockedWait wait, boolean inTime) {
        if (wait != null) {
            if (hasGroups) {
                blockedWaits.remove(wait);
            }
            wait.end(inTime ? Long.MAX_VALUE : 0);
        }
    }

    /** A task of the scope was submitted to its group. */
    void groupTaskSubmitted(KernelTask<?> groupTask) {
        blockedWaits.forEach(wait -> wait.add(groupTask));
    }

    // ---- context -------------------------------------------------------------------------------------------------

    /** The carriers of a task in a group: those of the scope, and those of the groups that the scope does not have. */
    private static ContextCarrier withGroups(ContextCarrier carrier, @Nullable GroupExecutor groups) {
        ContextCarrier ofGroups = groups == null ? null : groups.contextCarrier();
        ContextCarrier missing = ofGroups == null ? null : CarrierPair.missing(carrier, ofGroups);
        return missing == null ? carrier : carrier.andThen(missing);
    }

    /** Captures the context of the calling thread. */
    ContextCarrier.@Nullable Captured capture() {
        return CarriedContext.capture(carrier, scopeId(), FAULTS);
    }

    /** As {@link #capture}, for a task in a group. */
    ContextCarrier.@Nullable Captured captureForGroup() {
        return CarriedContext.capture(carrierInGroups, scopeId(), FAULTS);
    }

    /** What a task that carries nothing runs inside, if its threads have other work before and after; {@code null} if nothing. */
    ContextCarrier.@Nullable Captured emptyContext() {
        return emptyContext;
    }

    <R extends @Nullable Object> R callInContext(
            ContextCarrier.Captured context, ScopeTaskImpl<?> task, Supplier<R> code) {
        return CarriedContext.call(context, task, FAULTS, code);
    }

    // ---- cancellation and termination ----------------------------------------------------------------------------

    /** Cancels all tasks that were submitted before. */
    void cancelAll(String reason) {
        group.stopAll(reason);
        pendingHandoffs.forEach(handoff -> handoff.task().cancelFor(reason));
    }

    /** Rejects further tasks. */
    void shutdown() {
        group.shut();
    }

    /**
     * Waits until no task is left and all outcomes are published, to hooks too. Only returns true after {@link #shutdown}.
     *
     * @return false if {@code nanos} passed before
     */
    boolean awaitTermination(long nanos) throws InterruptedException {
        long deadline = now() + nanos;
        if (nanos > 0 && SpinWait.until(() -> group.isTerminated() && areAllPublished())) {
            return true;
        }
        return group.awaitTermination(deadline - now())
                && (areAllPublished() || CompletionWaiter.of(this).await(this::areAllPublished, deadline));
    }

    /**
     * Only for a thread that has seen the group terminated. In a plain scope a task publishes its success on its own thread before it
     * releases its permit, so successes are not counted a second time in {@code published}. A success that came too late is subtracted
     * by the same thread, also before it releases the permit.
     */
    private boolean areAllPublished() {
        return unpublished() <= 0;
    }

    private long unpublished() {
        long published = counters.published + (plain ? group.home().commonOutcomeCount() : 0);
        return group.home().admittedCount() - published;
    }

    // ---- snapshots -----------------------------------------------------------------------------------------------

    /** The queued and running tasks; also completed ones whose threads have not noticed. */
    List<ScopeTaskImpl<?>> unfinishedTasks() {
        Set<ScopeTaskImpl<?>> found = new LinkedHashSet<>();
        group.forEach(task -> found.add((ScopeTaskImpl<?>) task));
        pendingHandoffs.forEach(handoff -> found.add(handoff.task()));
        found.removeIf(task -> task.completionOrNull() != null
                && task.currentThread() == null); // withdrawn, but still linked in the queue
        return List.copyOf(found);
    }

    /** The number of tasks that have not released their permits, or whose outcomes are not published; approximate. */
    long unfinishedCount() {
        return Math.max(group.taskCount(), unpublished());
    }

    /** Whether a task has failed, or is about to publish a failure. */
    boolean hasFailures() {
        return group.home().count(ScopeTaskImpl.FAILED) != 0;
    }

    /** Whether no task has, or is about to publish, another outcome than success. */
    boolean hasOnlySuccesses() {
        return !hasFailures() && group.home().count(ScopeTaskImpl.CANCELLED) == 0;
    }

    ScopeMetricsSnapshot metrics() {
        long[] outcomes = outcomeCounts();
        return new ScopeMetricsSnapshot(
                counters.started,
                outcomes[ScopeTaskImpl.SUCCEEDED],
                outcomes[ScopeTaskImpl.FAILED],
                outcomes[ScopeTaskImpl.CANCELLED],
                Duration.ofNanos(counters.totalNanos),
                Duration.ofNanos(counters.maxNanos));
    }

    /**
     * A thread that completes a task counts the outcome first, and subtracts it if another outcome was faster. If all tasks have
     * completed, this waits until that is done, so that the sum is the number of admitted tasks.
     */
    private long[] outcomeCounts() {
        long[] outcomes = group.home().counts();
        while (group.isTerminated()
                && areAllPublished()
                && sum(outcomes) > group.home().admittedCount()) {
            Thread.onSpinWait();
            outcomes = group.home().counts();
        }
        return outcomes;
    }

    private static long sum(long[] outcomes) {
        return outcomes[ScopeTaskImpl.SUCCEEDED] + outcomes[ScopeTaskImpl.FAILED] + outcomes[ScopeTaskImpl.CANCELLED];
    }
}
