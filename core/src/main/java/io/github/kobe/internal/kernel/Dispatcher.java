package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.time.PeriodicSweep;
import io.github.kobe.internal.time.Timer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The front of the kernel: the submit loop, creating and evicting groups, the idle sweep and shutdown.
 *
 * <p><b>Locks.</b> User code never runs under a lock: limits are resolved before a group is registered, and tasks are started, announced
 * and stopped outside every critical section. A task on its way meets only the monitors of a group and of a limiter, each around a
 * few lines of arithmetic and never nested, that of a ready queue that has one, and that of a {@link DeadlineMonitor}, around the timer's, if a sweep must come sooner. The
 * monitor of the {@link GroupRegistry} is taken when limits are resolved or evicted, and that of the {@link LimitScheduler} once, when a
 * global limit is set over groups that exist already.
 */
public final class Dispatcher {

    private static final String EXECUTOR_SHUT_DOWN = "executor shut down";

    /** How long a stop waits for tasks that have a permit and no thread yet, and for other threads that terminate tasks. */
    private static final long MAX_BEGIN_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** The same, if some of the permits may belong to callers' threads, which it does not wait for. */
    private static final long MAX_BEGIN_NANOS_WITH_PERMITS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How many groups are examined for one that can make room for another. A few microseconds' work: rejecting must stay cheap. */
    private static final int EXAMINED_FOR_ROOM = 32;

    private static final int SWEEPS_PER_TTL = 4;
    private static final long MIN_SWEEP_PERIOD = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_SWEEP_PERIOD = TimeUnit.SECONDS.toNanos(15);

    /** With a time to live of zero, groups retire by themselves, and only the ready queue has to be pruned now and then. */
    private static final long SWEEP_PERIOD_WITHOUT_TTL = TimeUnit.MILLISECONDS.toNanos(100);

    private final LimitSource limitSource;
    private final DispatcherConfig config;
    private final TaskRunner runner;
    private final Timer timer;
    private final @Nullable LeaseControl leases;
    private final LimitScheduler scheduler;
    private final SharedLimits sharedLimits;
    private final boolean recordsTimes;
    private final boolean hasSharedLimits;
    private final @Nullable SubmitterQueue submitterQueue;
    private final PeriodicSweep idleSweep;
    private final GroupRegistry registry;
    private final TaskHome.Owner groupOwner = new RegistryOwner();
    private final DispatcherCounters counters;

    /** The container of tasks that run without a permit. It has no limit and is not registered. */
    private final UncappedGroup detached;

    private final Set<Runnable> onClose = ConcurrentHashMap.newKeySet();

    /** The tasks that another thread has terminated, and whose listeners are being told: their groups may have retired. */
    private final Set<KernelTask<?>> notifying = ConcurrentHashMap.newKeySet();

    /** The groups that were registered when this was closed. Written under the monitor. */
    private @Nullable List<Group> closedGroups;

    /** Of the first call that dropped tasks. */
    private final AtomicReference<@Nullable TaskVisitor> dropVisitor = new AtomicReference<>();

    private final CountDownLatch terminated = new CountDownLatch(1);
    private volatile @Nullable BiConsumer<String, String> stuckReporter;
    private volatile @Nullable Lending lending; // created, under the monitor, when a permit is first shared or lent
    private volatile boolean pruneWanted;
    private volatile boolean closed;
    private volatile boolean stopped;

    /** Takes retired groups out of the registry, and keeps what they have counted. */
    private final class RegistryOwner implements TaskHome.Owner {
        @Override
        public void retired(TaskHome home, boolean inReadyQueue) {
            if (inReadyQueue) {
                pruneReadyQueueLater();
            }
            if (home instanceof Group group) {
                remove(group);
            } else {
                signalIfTerminated(); // the container of detached tasks
            }
        }

        @Override
        public void countedLate(TaskHome home) {
            if (home instanceof Group group) {
                counters.countedLate(group);
            }
        }
    }

    public Dispatcher(
            LimitSource limitSource, DispatcherConfig config, ReadyQueue readyQueue, TaskRunner runner, Timer timer) {
        this(limitSource, config, readyQueue, runner, timer, null);
    }

    /** @param leases {@code null} if no limit is shared with other JVMs */
    public Dispatcher(
            LimitSource limitSource,
            DispatcherConfig config,
            ReadyQueue readyQueue,
            TaskRunner runner,
            Timer timer,
            @Nullable LeaseControl leases) {
        this.limitSource = limitSource;
        this.leases = leases;
        this.config = config;
        this.registry = new GroupRegistry(config.maxGroups());
        this.runner = runner;
        this.timer = timer;
        this.recordsTimes = config.recordsTimes();
        this.submitterQueue = config.blocksSubmitters() ? new SubmitterQueue() : null;
        this.hasSharedLimits = limitSource.hasSharedLimits();
        this.sharedLimits = new SharedLimits(limitSource, readyQueue::another, leases);
        this.scheduler = new LimitScheduler(
                readyQueue, config.globalLimit(), config.globalQueueThreshold(), this, hasSharedLimits);
        this.idleSweep =
                new PeriodicSweep(timer, sweepPeriod(config.idleTtlNanos()), this::sweepIdle, this::sweepNeeded);
        this.detached = new UncappedGroup("detached", this, groupOwner);
        this.counters = new DispatcherCounters(registry, detached, recordsTimes);
        if (leases != null) {
            leases.attach(this);
        }
    }

    /** With no times recorded and no blocked submitters. */
    public Dispatcher(
            LimitSource limitSource,
            int globalLimit,
            int globalQueueThreshold,
            long idleTtlNanos,
            ReadyQueue readyQueue,
            TaskRunner runner,
            Timer timer) {
        this(
                limitSource,
                new DispatcherConfig(globalLimit, globalQueueThreshold, idleTtlNanos, false, false),
                readyQueue,
                runner,
                timer);
    }

    /** An idle group retires after its time to live plus at most one period. */
    private static long sweepPeriod(long ttl) {
        return ttl == 0
                ? SWEEP_PERIOD_WITHOUT_TTL
                : Math.clamp(ttl / SWEEPS_PER_TTL, MIN_SWEEP_PERIOD, MAX_SWEEP_PERIOD);
    }

    // ---- what groups and tasks ask for ---------------------------------------------------------------------------

    TaskRunner runner() {
        return runner;
    }

    Timer timer() {
        return timer;
    }

    long now() {
        return timer.nanoTime();
    }

    LimitScheduler scheduler() {
        return scheduler;
    }

    /** {@code null} if no limit is leased. */
    public @Nullable LeaseControl leases() {
        return leases;
    }

    Set<KernelTask<?>> notifying() {
        return notifying;
    }

    @Nullable
    SubmitterQueue submitterQueue() {
        return submitterQueue;
    }

    TaskHome.Owner groupOwner() {
        return groupOwner;
    }

    boolean recordsTimes() {
        return recordsTimes;
    }

    /** See {@link DispatcherConfig#sweepCapacity}. */
    int sweepCapacity() {
        return config.sweepCapacity();
    }

    long ageingNanos() {
        return config.ageingNanos();
    }

    /**
     * Has {@code reporter} called with the key of a group whose permits are all held by threads that wait for tasks, so that it makes no progress,
     * and with who waits for whom. Called once, before the first task.
     */
    public void onStuckGroup(BiConsumer<String, String> reporter) {
        stuckReporter = reporter;
    }

    Lending lending() {
        Lending known = lending;
        return known == null ? createLending() : known;
    }

    private synchronized Lending createLending() {
        Lending known = lending;
        if (known == null) {
            known = new Lending(timer, stuckReporter);
            lending = known;
        }
        return known;
    }

    /** {@code null} if no permit was shared or lent yet. */
    @Nullable
    Lending lendingOrNull() {
        return lending;
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    /**
     * Admits the task to the group {@code key}, or says why not.
     *
     * @throws IllegalStateException if the calling thread resolves the limits of this group
     */
    public Admission submit(String key, KernelTask<?> task) {
        while (!closed) {
            Group group = registry.get(key);
            Admission admission = group == null ? submitToNewGroup(key, task) : submitTo(group, task);
            if (!admission.isTemporary()) {
                return admission;
            }
        }
        return Admission.CLOSED;
    }

    private Admission submitTo(Group group, KernelTask<?> task) {
        // Read again: a close that begins after this goes through the registry with the group in it.
        if (closed) {
            return Admission.CLOSED;
        }
        Admission admission = group.admit(task);
        switch (admission) {
            case RETIRED -> remove(group);
            case UNSETTLED -> group.settle();
            case STALE -> {
                resolveAgain(group);
                return group.admitResolved(task);
            }
            default -> {}
        }
        return admission;
    }

    /**
     * Resolves the limits once, whatever happens to other groups meanwhile. If the limits of this group are evicted meanwhile, the task is
     * admitted nevertheless: its submit was before the eviction. The group is STALE then, so the next submit resolves them again.
     */
    private Admission submitToNewGroup(String key, KernelTask<?> task) {
        GroupRegistry.Resolution resolution = beginCreation(key);
        if (resolution == null) {
            task.bind(detached); // it is counted there
            return Admission.TOO_MANY_GROUPS;
        }
        @Nullable Group registered;
        try {
            Group created = newGroup(key, resolution);
            registered = registry.register(created, resolution);
            if (registered != created) {
                leaveSharedLimits(created);
            }
            if (registered == created) {
                if (closed) {
                    // A close that went through the registry before the group was in it has missed the group.
                    created.close();
                } else if (sweepNeeded()) {
                    idleSweep.schedule();
                }
                created.settle();
                if (leases != null && created.shares() != null) {
                    leases.openedShared(Objects.requireNonNull(created.shares()));
                }
                return created.admitResolved(task);
            }
        } finally {
            registry.end(resolution);
        }
        return registered == null ? Admission.NO_SLOT : submitTo(registered, task);
    }

    private Group newGroup(String key, GroupRegistry.Resolution resolution) {
        GroupLimits limits;
        List<SharedMembership> memberships;
        try {
            limits = limitSource.resolve(key);
            memberships = hasSharedLimits ? limitSource.sharedLimits(key) : List.of();
        } finally {
            resolution.resolved();
        }
        List<Limit> joined = memberships.isEmpty()
                ? List.of()
                : memberships.stream().map(sharedLimits::join).toList();
        Group group = new Group(key, limits, this, config.idleTtlNanos() == 0, memberships, joined);
        GroupShares shares = group.shares();
        if (shares != null && leases != null) {
            shares.joinLeased(group);
        }
        return group;
    }

    /** The group is not registered any more, or never was. */
    private void leaveSharedLimits(Group group) {
        GroupShares shares = group.shares();
        if (shares != null) {
            scheduler.readyQueue().forget(group.fairnessState());
            shares.forget();
            shares.leaveLeased(group);
            for (GroupShares.Share share : shares.all()) {
                sharedLimits.leave(share.limit);
            }
        }
    }

    /** If there are as many groups as there may be, idle ones make room. {@code null} if none was found. */
    private GroupRegistry.@Nullable Resolution beginCreation(String key) {
        GroupRegistry.Resolution resolution = registry.beginCreation(key);
        while (resolution == null && retireIdle(EXAMINED_FOR_ROOM, 1) > 0) {
            resolution = registry.beginCreation(key);
        }
        return resolution;
    }

    private GroupLimits resolve(GroupRegistry.Resolution resolution, String key) {
        try {
            return limitSource.resolve(key);
        } finally {
            resolution.resolved();
        }
    }

    /** Resolves the limits of a registered group. If they were evicted meanwhile, the answer is dropped, and the group is STALE. */
    private void resolveAgain(Group group) {
        GroupRegistry.Resolution resolution = registry.begin(group.key());
        try {
            GroupLimits resolved = resolve(resolution, group.key());
            group.setLimits(resolved, () -> !resolution.isOutdated());
        } finally {
            registry.end(resolution);
        }
    }

    /** Applies the settings that hold now to limits of {@code key}. */
    GroupLimits inForce(String key, GroupLimits limits) {
        return limitSource.inForce(key, limits);
    }

    /** As {@link #submit}; but if the queue is full, the oldest queued task of the group is rejected to make room. */
    public Admission submitDisplacing(String key, KernelTask<?> task) {
        Group emptied = null;
        boolean foundNone = false;
        for (; ; ) {
            Admission admission = submit(key, task);
            if (foundNone || !SubmitterQueue.isQueueFull(admission)) {
                if (emptied != null) {
                    emptied.retireIfDone();
                }
                return admission;
            }
            Group group = registry.get(key);
            foundNone = group == null || !group.displace(); // the last one may just have started: tries once more
            emptied = foundNone ? emptied : group;
        }
    }

    /**
     * Rejects the oldest queued task of a group.
     *
     * @return false if none is queued
     */
    public boolean displace(String key) {
        Group group = registry.get(key);
        if (group == null || !group.displace()) {
            return false;
        }
        group.retireIfDone();
        return true;
    }

    /**
     * As {@link #submit}; but if the queue is full, the calling thread waits for room, after earlier submitters. Only for a
     * dispatcher whose configuration says so.
     *
     * @return if there was no room for {@code nanos}, that the queue is full
     * @throws InterruptedException if the thread was interrupted while it waited; the task was not admitted
     */
    public Admission submitBlocking(String key, KernelTask<?> task, long nanos) throws InterruptedException {
        try {
            return Objects.requireNonNull(submitterQueue, "not configured to block submitters")
                    .submit(key, () -> submit(key, task), timer, nanos);
        } finally {
            if (!task.isBound()) {
                Group group = registry.get(key);
                task.bind(
                        group == null ? detached : group); // it never asked for admission, but is counted all the same
            }
        }
    }

    /**
     * If the calling thread has a permit of the group {@code key}, {@code request} shares it. Otherwise the request notes whether the thread has
     * a global permit, which it shares when it is submitted, see {@link PermitRequest#tryShareGlobal}.
     *
     * @return whether it is granted; if not, it is submitted as every other
     */
    public boolean tryShare(String key, PermitRequest request) {
        if (closed) {
            return false;
        }
        KernelTask<?> holder = HeldPermits.holderOf(this, key);
        PermitShare share = holder == null ? null : PermitShare.join(holder);
        if (holder == null || share == null) {
            request.noteGlobalHolder(scheduler.isLimited() ? HeldPermits.globalHolder(this) : null);
            return false;
        }
        request.bind(holder.home());
        request.grantShared(share);
        return true;
    }

    /** Runs the task on a thread of its own without a permit, under no limit. A shutdown stops it all the same. */
    public Admission submitDetached(KernelTask<?> task) {
        return detached.admit(task);
    }

    /** Shows every task of {@code key} that is queued or on a thread for the whole of the call, and maybe others. */
    public void forEachTask(String key, Consumer<KernelTask<?>> action) {
        Group group = registry.get(key);
        if (group != null) {
            group.forEachTask(action);
        }
    }

    /** Runs {@code work} on another thread, without a permit; on the calling one if there is no other. */
    public void spawn(Runnable work) {
        detached.spawn(work);
    }

    // ---- groups --------------------------------------------------------------------------------------------------

    /**
     * Checks that the caller is not a resolver that uses its own group.
     *
     * @throws IllegalStateException if the calling thread resolves the limits of {@code key}
     */
    public void requireNotResolving(String key) {
        registry.requireNotResolving(key);
    }

    /**
     * Forgets the limits of {@code key}, so that its next use resolves them again. Running and queued tasks are not disturbed.
     *
     * @throws IllegalStateException if the calling thread resolves these limits
     */
    public void evict(String key) {
        Group group = outdate(key);
        if (group != null) {
            group.forgetLimits();
        }
    }

    /**
     * Stops every running and queued task of {@code key}, and forgets its limits.
     *
     * @throws IllegalStateException if the calling thread resolves these limits
     */
    public void stopGroup(String key) {
        Group group = outdate(key);
        if (group != null) {
            List<KernelTask<?>> unpublished = group.stop("group shut down");
            group.forgetLimits();
            unpublished.forEach(KernelTask::awaitPublished);
        }
    }

    /** What is being resolved for {@code key} now is resolved again at the next submit. Returns the group if it is registered. */
    private @Nullable Group outdate(String key) {
        registry.outdate(key);
        return registry.get(key);
    }

    /** Cancels the tasks without a permit that {@code which} is true of. */
    public void stopDetached(Predicate<KernelTask<?>> which) {
        detached.running().forEach(task -> {
            if (which.test(task)) {
                task.cancel(true, "group shut down");
            }
        });
    }

    /**
     * Changes the limits of a group, after the change is known to {@link LimitSource#inForce}. Tasks that they have room for start at once.
     * If the group is not registered, it gets the limits when it is.
     */
    public void changeLimits(String key, UnaryOperator<GroupLimits> change) {
        Group group = registry.get(key);
        if (group != null) {
            group.changeLimits(change);
        }
    }

    /**
     * Resolves the limits of a group now, if it is registered. Tasks that they have room for start at once.
     *
     * @throws IllegalStateException if the calling thread resolves these limits
     */
    public void reresolveLimits(String key) {
        Group group = outdate(key);
        if (group != null) {
            resolveAgain(group);
        }
    }

    /**
     * Retires groups that are idle now, however short that time is. It continues a round over all groups where the last call has stopped, so
     * repeated calls find every group that stays idle.
     *
     * @param examined how many groups it looks at, at most
     * @param most how many it retires, at most
     * @return how many it has retired
     */
    public int retireIdle(int examined, int most) {
        int retired = 0;
        for (Group group : registry.nextInRound(examined)) {
            if (retired < most && group.retireIfIdle()) {
                remove(group); // the thread that retired it may not have done so yet
                retired++;
            }
        }
        return retired;
    }

    /**
     * A retired group is in the ready queue: has it removed soon. The caller may have permits in hand, so it does not throw. If the timer has no thread, the group stays there until it is
     * polled, or until the next group is created, which schedules the sweep again.
     */
    void pruneReadyQueueLater() {
        pruneWanted = true;
        try {
            idleSweep.schedule();
        } catch (Throwable noTimer) {
            return; // the flag says what is left to do
        }
    }

    private void remove(Group group) {
        if (counters.remove(group)) {
            leaveSharedLimits(group);
            if (leases != null) {
                leases.retired(group);
            }
        }
        signalIfTerminated();
    }

    private boolean sweepNeeded() {
        long ttl = config.idleTtlNanos();
        return pruneWanted || (ttl > 0 && ttl != Long.MAX_VALUE && !registry.isEmpty());
    }

    private void sweepIdle() {
        long now = now();
        registry.groups().forEach(group -> group.sweep(now, config.idleTtlNanos()));
        if (pruneWanted) {
            pruneWanted = false;
            scheduler.pruneReadyQueue();
        }
    }

    /** Changes the global limit, or sets one where there was none. At no instant more tasks run than before or than {@code limit}. */
    public void setGlobalLimit(int limit) {
        scheduler.setLimit(limit, registry::groups);
    }

    /** The settings of a value of a shared limit have changed, and are known to {@link LimitSource#sharedInForce}. */
    public void sharedLimitChanged(SharedKey key) {
        Limit limit = sharedLimits.get(key);
        if (limit != null) {
            applyShared(limit);
        }
    }

    private void applyShared(Limit limit) {
        sharedLimits.apply(limit);
        scheduler.limitChanged(limit);
        if (leases != null) {
            leases.limitChanged(limit);
        }
    }

    /** See {@link LeaseControl#leasedChanged(SharedKey)}. */
    int sharedLeasedChanged(Limit limit) {
        int before = limit.limit();
        int inUse = sharedLimits.apply(limit);
        scheduler.sharedLeasedChanged(limit, limit.limit() != before);
        return inUse;
    }

    /** As {@link #sharedLimitChanged}, and the policy was asked again. */
    public void reresolveSharedLimit(SharedKey key, int max) {
        Limit limit = sharedLimits.get(key);
        if (limit != null) {
            limit.setResolved(max);
            applyShared(limit);
        }
    }

    /** The values of shared limits that groups belong to; none after {@link #stop}. */
    public Collection<Limit> sharedLimits() {
        return stopped ? List.of() : sharedLimits.all();
    }

    /** As {@link #sharedLimits()}, also after {@link #stop}. */
    Collection<Limit> allSharedLimits() {
        return sharedLimits.all();
    }

    boolean hasSharedLimits() {
        return hasSharedLimits;
    }

    /** A limit has changed: a group whose next task cost more than that limit is in no ready queue, and looks again. */
    void startCostly() {
        for (Group group : registry.groups()) {
            if (group.isCostly()) {
                group.limitChanged();
            }
        }
    }

    /** A task of {@code group} costs more than one permit. */
    void limitForCosts(Group group) {
        scheduler.limitForCosts(registry::groups);
        scheduler.takeOverIfLimited(group);
    }

    /** The value {@code key} of a shared limit, if a group belongs to it. */
    public @Nullable Limit sharedLimit(SharedKey key) {
        return stopped ? null : sharedLimits.get(key);
    }

    /** As {@link #sharedLimit}, and after {@link #stop} while groups of it are registered. */
    @Nullable
    Limit sharedLimitInUse(SharedKey key) {
        return sharedLimits.get(key);
    }

    /** Changes how many tasks may be queued beyond the free global permits. Tasks that are queued stay queued. */
    public void setGlobalQueueThreshold(int threshold) {
        scheduler.setQueueThreshold(threshold);
    }

    /** How many tasks may be queued beyond the free global permits. */
    public int globalQueueThreshold() {
        return scheduler.queueThreshold();
    }

    /** The global limit; {@link Integer#MAX_VALUE} if there is none. If it is shared with other JVMs, fewer permits may be held here. */
    public int globalLimit() {
        return scheduler.limit();
    }

    /** How many global permits are held of a limit that is shared with other JVMs; {@link GroupLimits#NOT_LEASED} if there is no such limit. */
    public int globalLeased() {
        return leases == null ? GroupLimits.NOT_LEASED : Math.max(0, leases.leasedInTotal());
    }

    /** See {@link LeaseControl#totalLeasedChanged}. */
    int totalLeasedChanged() {
        return scheduler.leasedChanged(registry::groups);
    }

    /** Permits in use under the global limit; -1 if there is no such limit. */
    public int globalInFlight() {
        int inFlight = scheduler.inFlight();
        return stopped ? Math.min(0, inFlight) : inFlight;
    }

    /** Queued tasks of all groups that count for the global queue threshold; 0 if there is no global limit. */
    public int globalQueued() {
        return scheduler.queuedBeyondFree();
    }

    /** About how long a task that is queued now would wait for the global limit; 0 if that is not known. */
    public long globalEstimatedWaitNanos() {
        return scheduler.estimatedWaitNanos(now());
    }

    // ---- shutdown ------------------------------------------------------------------------------------------------

    /** Admits no more tasks. Those admitted before continue. */
    public void close() {
        closeHomes();
        if (submitterQueue != null) {
            submitterQueue.wakeAll();
        }
        if (leases != null) {
            leases.wakeAwaiting();
        }
        onClose.forEach(Runnable::run);
        signalIfTerminated();
    }

    /**
     * Admits no more tasks.
     *
     * @return the containers that may have tasks, also those that have retired since the first close: their tasks may not be published yet
     */
    private List<TaskHome> closeHomes() {
        List<TaskHome> homes = new ArrayList<>();
        synchronized (this) {
            if (closedGroups == null) {
                closed = true;
                closedGroups = counters.keepGroups();
            }
            homes.addAll(closedGroups);
        }
        registry.groups().forEach(Group::close);
        detached.close();
        homes.add(detached);
        return homes;
    }

    /** Runs {@code action} at {@link #close}, or now if that was before. The action must be short and may run twice. */
    public void addOnClose(Runnable action) {
        onClose.add(action);
        if (closed) {
            action.run();
        }
    }

    /** Forgets an action that {@link #addOnClose} was given. */
    public void removeOnClose(Runnable action) {
        onClose.remove(action);
    }

    /**
     * Admits no more tasks, and cancels every task. When this returns, each has completed, and no submitter is blocked; unless listeners take
     * longer than they may, or another thread makes no progress for that long.
     *
     * <p>After {@link #awaitTermination} was true it cancels nothing. A task that is not published by then has done its work and released its
     * permit, and its own thread is about to publish the outcome.
     */
    public void stop() {
        close();
        stopped = true;
        List<TaskHome> homes = closeHomes();
        if (terminated.getCount() > 0) {
            homes.forEach(home -> home.beginDropping(EXECUTOR_SHUT_DOWN));
            homes.forEach(home -> home.stop(EXECUTOR_SHUT_DOWN));
        }
        long start = System.nanoTime(); // it waits for real threads, whatever the timer is
        homes.forEach(home -> home.awaitBegun(start, MAX_BEGIN_NANOS, MAX_BEGIN_NANOS_WITH_PERMITS));
        awaitPublished(homes, start);
        if (submitterQueue != null) { // they were woken by the close
            TaskHome.parkWhile(() -> submitterQueue.blocked() > 0 && System.nanoTime() - start < MAX_BEGIN_NANOS);
        }
        counters.handOverKept(start, MAX_BEGIN_NANOS);
    }

    /** Waits until all outcomes are published. */
    private void awaitPublished(List<TaskHome> homes, long start) {
        List<KernelTask<?>> unpublished = new ArrayList<>();
        homes.forEach(home -> home.addUnpublishedTo(unpublished, start, MAX_BEGIN_NANOS));
        unpublished.addAll(notifying); // read last: a termination adds its task before it is over
        unpublished.forEach(KernelTask::awaitPublished);
        forgetHomes();
    }

    /** Nothing is left that a later call would have to find. */
    private synchronized void forgetHomes() {
        if (terminated.getCount() == 0) {
            closedGroups = List.of();
        }
    }

    /** Is passed tasks with their groups, and how long they have waited or run. */
    @FunctionalInterface
    public interface TaskVisitor {
        /**
         * Visits one task.
         *
         * @param nanos 0 if that is not known
         */
        void visit(String groupKey, KernelTask<?> task, long nanos);
    }

    /**
     * Admits no more tasks, and cancels those that are queued or await a retry. Tasks on a thread continue; an attempt that fails is the
     * last one.
     *
     * @param dropped is passed the tasks that are cancelled by this call, or later because of it, on any thread; unused if there was a call
     *     before
     */
    public void dropQueued(TaskVisitor dropped) {
        close();
        List<TaskHome> homes = closeHomes();
        dropVisitor.compareAndSet(null, dropped);
        homes.forEach(
                home -> home.beginDropping(EXECUTOR_SHUT_DOWN)); // all first: a permit may pass from group to group
        homes.forEach(TaskHome::dropQueued);
    }

    void dropped(String key, KernelTask<?> task, long waitedNanos) {
        TaskVisitor visitor = dropVisitor.get();
        if (visitor != null) {
            visitor.visit(key, task, waitedNanos);
        }
    }

    /**
     * After a close: what is on a thread now.
     *
     * @param permits is passed groups, with the number of permits that are held by callers
     */
    public void forEachRunning(TaskVisitor tasks, ObjIntConsumer<String> permits) {
        closeHomes().forEach(home -> home.forEachRunning(tasks, permits));
    }

    /** Waits until no task is queued or on a thread. Only ever true after {@link #close}. */
    public boolean awaitTermination(long nanos) throws InterruptedException {
        return terminated.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** Whether tasks are rejected because of {@link #close}. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Called after every removal. The map counts its entries a moment after it has changed them. A count that is still too high is corrected
     * by a thread that then comes here itself; one that is too low is found out by iterating.
     */
    private void signalIfTerminated() {
        if (closed
                && detached.isRetired()
                && registry.isEmpty()
                && !registry.groups().iterator().hasNext()) {
            terminated.countDown();
            idleSweep.cancel();
            if (leases != null) {
                leases.terminated();
            }
            Lending known = lending;
            if (known != null) {
                known.terminated();
            }
        }
    }

    // ---- statistics ----------------------------------------------------------------------------------------------

    /** The registered groups; none after {@link #stop}. */
    public Collection<Group> groups() {
        return stopped ? List.of() : registry.groups();
    }

    /** How many groups are registered. */
    public int groupCount() {
        return stopped ? 0 : registry.size();
    }

    /** How many groups are registered, or are being created under {@link #maxGroups}. */
    public int groupSlotsTaken() {
        return registry.slotsTaken();
    }

    /** How many groups may be registered. */
    public int maxGroups() {
        return config.maxGroups();
    }

    /** The group {@code key} if it is registered. */
    public @Nullable Group group(String key) {
        return stopped ? null : registry.get(key);
    }

    /** As {@link #groups}, and after {@link #stop} those whose tasks have not left their threads. */
    public Collection<Group> groupsInUse() {
        return registry.groups();
    }

    /** As {@link #group}, and after {@link #stop} if its tasks have not left their threads. */
    public @Nullable Group groupInUse(String key) {
        return registry.get(key);
    }

    /** How many submitters are blocked on a full queue. */
    public int blockedSubmitters() {
        return submitterQueue == null ? 0 : submitterQueue.blocked();
    }

    /** How many submitters of {@code key} are blocked on a full queue. */
    public int blockedSubmitters(String key) {
        return submitterQueue == null ? 0 : submitterQueue.blocked(key);
    }

    /** The outcomes of the tasks of all groups, also after {@link #stop}. */
    public DispatcherCounters counters() {
        return counters;
    }
}
