package io.github.kobe.internal.kernel;

import static io.github.kobe.internal.kernel.GroupState.CLOSED;
import static io.github.kobe.internal.kernel.GroupState.GLOBALLY_LIMITED;
import static io.github.kobe.internal.kernel.GroupState.IDLE;
import static io.github.kobe.internal.kernel.GroupState.NOT_ADMITTING;
import static io.github.kobe.internal.kernel.GroupState.ONE_PERMIT;
import static io.github.kobe.internal.kernel.GroupState.ONE_QUEUED;
import static io.github.kobe.internal.kernel.GroupState.READY_QUEUED;
import static io.github.kobe.internal.kernel.GroupState.RETIRED;
import static io.github.kobe.internal.kernel.GroupState.STALE;
import static io.github.kobe.internal.kernel.GroupState.UNSETTLED;
import static io.github.kobe.internal.kernel.GroupState.freePermits;
import static io.github.kobe.internal.kernel.GroupState.has;
import static io.github.kobe.internal.kernel.GroupState.isReady;
import static io.github.kobe.internal.kernel.GroupState.queuedTasks;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.FairnessState;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One group: its permits, its queue, its limits, and how it retires.
 *
 * <p>Everything that decides is in one word, {@link GroupState}. "Take a permit, or queue" and "pass my permit on, or free it" are each a
 * single compare-and-set, so no wake-up can fall between the two.
 *
 * <p><b>Counting and linking.</b> A submitter counts its task as queued first, which is where the task may be rejected, and links it
 * second. A thread that starts queued tasks takes a count and a permit first and polls second. So the state shows every task that is
 * queued or about to be linked, or it shows the permit of the thread that is after it: a group that looks idle is idle. If the poll finds
 * nothing linked yet, the thread puts back what it took, and then checks the queue again. The submitter reads the state after it has
 * linked. One of the two sees the other.
 *
 * <p><b>Withdrawing.</b> A cancelled task stays linked until a poll meets it. Its canceller takes it off the count. If a polling thread has
 * that count in hand, the count is -1 for a moment, which every reader takes for "none".
 *
 * <p>What is different under a global limit is in {@link LimitScheduler}.
 *
 * <p>Limits change, a global limit takes over, and a group retires, under the object's monitor: there the limit belongs to the state that
 * it is compared with. No task takes the monitor on its way through.
 */
public final class Group extends TaskHome implements Competitor {

    /** Some microseconds: several empty tasks, and less than it takes to wake a thread. */
    private static final int BACK_OFF_SPINS = 200;

    /** Of so many slots of running tasks the ages are read for an estimate. About half of the slots are in use. */
    private static final int SAMPLED_SLOTS = 64;

    private final FairnessState fairnessState;
    private final @Nullable GroupShares shares; // null if it has no shared limits
    private final boolean retiresAtOnce;

    private volatile GroupLimits limits; // written under the monitor
    volatile @Nullable TaskQueue queue; // created, under the monitor, when the first task is queued
    private long idleSince; // for the idle sweep alone
    private volatile boolean costly; // whether a task of a cost above 1 was ever queued

    /**
     * A group for the registry of {@code dispatcher}.
     *
     * @param retiresAtOnce whether it retires as soon as it is idle
     * @param settled false if {@link #settle} must be called before it admits a task
     */
    Group(String key, GroupLimits limits, Dispatcher dispatcher, boolean retiresAtOnce, boolean settled) {
        this(key, limits, dispatcher, dispatcher.groupOwner(), retiresAtOnce, settled, false, List.of(), List.of());
    }

    /**
     * As {@link #Group(String, GroupLimits, Dispatcher, boolean, boolean)}, not settled, with shared limits.
     *
     * @param memberships the shared limits that it belongs to
     * @param sharedLimits the same, which it has joined
     */
    Group(
            String key,
            GroupLimits limits,
            Dispatcher dispatcher,
            boolean retiresAtOnce,
            List<SharedMembership> memberships,
            List<Limit> sharedLimits) {
        this(key, limits, dispatcher, dispatcher.groupOwner(), retiresAtOnce, false, false, memberships, sharedLimits);
    }

    /** A group outside the registry, which retires when it is closed. */
    Group(String key, GroupLimits limits, Dispatcher dispatcher, Owner owner) {
        this(key, limits, dispatcher, owner, false, true, limits.limit() == Integer.MAX_VALUE, List.of(), List.of());
    }

    private Group(
            String key,
            GroupLimits limits,
            Dispatcher dispatcher,
            Owner owner,
            boolean retiresAtOnce,
            boolean settled,
            boolean manyAtOnce,
            List<SharedMembership> memberships,
            List<Limit> sharedLimits) {
        super(key, dispatcher, owner, limits.limit(), manyAtOnce);
        this.retiresAtOnce = retiresAtOnce;
        this.limits = settled || dispatcher.leases() == null
                ? limits
                : limits.withLeased(PermitLeases.UNKNOWN, limits.shared());
        this.fairnessState = dispatcher.scheduler().readyQueue().newState(GroupShares.levels(memberships, null));
        this.shares = sharedLimits.isEmpty() ? null : new GroupShares(this, memberships, sharedLimits);
        setWeight(limits.weight());
        this.state = GroupState.of(this.limits.effectiveLimit(), settled ? 0 : UNSETTLED);
    }

    private void setWeight(int own) {
        fairnessState.setWeight(own);
        if (shares != null) {
            shares.setWeight(own);
        }
    }

    /** Its shared limits; {@code null} if it has none. */
    @Nullable
    GroupShares shares() {
        return shares;
    }

    /** The limits over several groups that it is under. */
    List<Limit> limitsOverGroups() {
        return isGloballyLimited() ? dispatcher.scheduler().limitsOf(this) : List.of();
    }

    // ---- the state word ------------------------------------------------------------------------------------------

    /** Not for use under a monitor, see {@link #backOff}. */
    boolean casState(long from, long to) {
        return STATE.compareAndSet(this, from, to) || backOff();
    }

    /**
     * Another thread has changed the state. Workers that go from task to task would meet there again and again, and moving the word between
     * their cores would take longer than all the rest. So the second one spins while the first does some tasks. Threads that are made for
     * one task each come at different times and gain nothing.
     */
    private boolean backOff() {
        if (reusesThreads()) {
            for (int i = 0; i < BACK_OFF_SPINS; i++) {
                Thread.onSpinWait();
            }
        }
        return false;
    }

    // ---- admission -----------------------------------------------------------------------------------------------

    @Override
    Admission admit(KernelTask<?> task) {
        return admit(task, NOT_ADMITTING);
    }

    /** As {@link #admit}, after the submitter has resolved the limits. An eviction since then concerns later submitters only. */
    Admission admitResolved(KernelTask<?> task) {
        return admit(task, NOT_ADMITTING & ~STALE);
    }

    /** @param refusing the flags with which the task is not admitted */
    private Admission admit(KernelTask<?> task, long refusing) {
        task.bind(this);
        if (task.cost() > 1 && !prepareCostly(task.cost(), refusing)) {
            return rejected(Admission.TOO_COSTLY);
        }
        for (; ; ) {
            long s = state;
            if (has(s, refusing | GLOBALLY_LIMITED)) {
                return has(s, refusing) ? refusal(s) : admitGloballyLimited(task, refusing);
            }
            if (freePermits(s) <= 0 || queuedTasks(s) > 0) {
                return enqueue(task, refusing);
            }
            if (!mayLaunch(task)) {
                return enqueue(task, refusing);
            }
            if (casState(s, (s & ~IDLE) - ONE_PERMIT)) {
                launch(task, 0);
                return Admission.ADMITTED;
            }
        }
    }

    /** A costly task starts only after the group has come under the scheduler of limits over several groups, see {@link #prepareCostly}, and it stays there. */
    @Override
    boolean hasCosts() {
        return isGloballyLimited();
    }

    /**
     * Costs are known to the scheduler of limits over several groups only, so a first costly task puts all groups under it.
     *
     * @return false if the task could never start
     */
    private boolean prepareCostly(int cost, long refusing) {
        if (!has(state, refusing) && tooSmallFor(cost, true) != null) {
            return false;
        }
        if (!has(state, GLOBALLY_LIMITED)) {
            dispatcher.limitForCosts(this);
        }
        return true;
    }

    /** The limit that is too small for a task of {@code cost}: this group, or a {@link Limit}; {@code null} if there is none. */
    public @Nullable Object tooSmallFor(int cost) {
        return tooSmallFor(cost, true);
    }

    /** @param own whether its own limit is considered */
    private @Nullable Object tooSmallFor(int cost, boolean own) {
        if (own && cost > limits.limit()) {
            return this;
        }
        if (shares != null) {
            for (GroupShares.Share share : shares.all()) {
                if (cost > maxOf(share.limit.limit())) {
                    return share.limit;
                }
            }
        }
        return cost > dispatcher.scheduler().limit() ? dispatcher.scheduler() : null;
    }

    /** A paused limit has room when it is resumed. */
    private static int maxOf(int limit) {
        return limit == 0 ? Integer.MAX_VALUE : limit;
    }

    private Admission admitGloballyLimited(KernelTask<?> task, long refusing) {
        if (task.tryShareGlobal(this, refusing) || dispatcher.scheduler().tryStart(this, task, refusing)) {
            return Admission.ADMITTED;
        }
        long s = state;
        return has(s, refusing) ? refusal(s) : enqueue(task, refusing);
    }

    private static Admission refusal(long s) {
        return has(s, RETIRED)
                ? Admission.RETIRED
                : has(s, CLOSED) ? Admission.CLOSED : has(s, UNSETTLED) ? Admission.UNSETTLED : Admission.STALE;
    }

    /**
     * With its permits in hand: starts a task that was not queued.
     *
     * @param now 0 if its thread reads the clock
     */
    void launch(KernelTask<?> task, long now) {
        long number = countAdmitted(task);
        if (now == 0 && isLeased() && task.checksLease()) {
            task.launched(number);
        }
        startOrRelease(task, now);
    }

    /** Counts the task as admitted, and returns its number. Before the task can complete, and the group retire. */
    long countAdmitted(KernelTask<?> task) {
        long number = (long) ADMITTED.getAndAdd(this, 1L) + 1;
        task.admitted(number);
        return number;
    }

    /** If there is a free permit, the task starts from the queue. */
    @Override
    void readmit(KernelTask<?> task) {
        enqueueAgain(task, 0);
    }

    // ---- the queue -----------------------------------------------------------------------------------------------

    private Admission enqueue(KernelTask<?> task, long refusing) {
        return enqueue(task, false, refusing, 0);
    }

    /**
     * It was admitted before, and is queued whatever the queue's limits are.
     *
     * @param returned as in {@link #enqueue(KernelTask, boolean, long, long)}
     */
    private void enqueueAgain(KernelTask<?> task, long returned) {
        enqueue(task, true, 0, returned);
    }

    /**
     * @param again whether it was admitted before, so that it is queued whatever the queue's limits are
     * @param refusing the flags with which the task is not admitted
     * @param returned if it had a permit and did not start: its number, see {@link TaskQueue#addReturned}; otherwise 0, and it is queued after all others of its priority
     */
    private Admission enqueue(KernelTask<?> task, boolean again, long refusing, long returned) {
        long now = now(); // before the count: between count and link, it would delay threads that look for the task
        if (task.cost() > 1) {
            costly = true; // before the count: a thread that finds the task knows
        }
        Limiter counted = null;
        for (; ; ) {
            long s = state;
            if (!again && (has(s, refusing) || isQueueFull(s))) {
                if (counted != null) {
                    counted.dequeue();
                    signalSubmitters(); // the count may have been in the way of a submitter that tried meanwhile
                }
                return rejected(has(s, refusing) ? refusal(s) : Admission.GROUP_QUEUE_FULL);
            }
            if (has(s, GLOBALLY_LIMITED) && counted == null) {
                counted = dispatcher.scheduler().limiter();
                if (!counted.tryEnqueue(again, now)) {
                    return rejected(isQueueFull(state) ? Admission.GROUP_QUEUE_FULL : Admission.GLOBAL_QUEUE_FULL);
                }
            } else if (casState(s, (s & ~IDLE) + ONE_QUEUED)) {
                break;
            }
        }
        if (!again) {
            countAdmitted(task);
        }
        long since = returned == 0 ? now : task.returnedSince(now);
        try {
            task.enqueued(since);
        } catch (Throwable fault) {
            enqueueFailed(task, fault);
            return Admission.ADMITTED;
        }
        if (returned == 0) {
            queue().add(task);
        } else {
            queue().addReturned(task, returned, since);
        }
        startQueued(now);
        wantIfShort();
        if (retiresAtOnce) {
            retireIfDone(); // the thread that terminated the task meanwhile may have found its slot still taken
        }
        task.checkStopped();
        task.checkDropped();
        if (again) {
            task.checkDecided();
            offerToWaits(task);
        }
        if (returned != 0) {
            task.checkExpired();
        }
        return Admission.ADMITTED;
    }

    /** The timer did not take the task's time limit: no thread could be started for it. The task is counted and not linked. */
    private void enqueueFailed(KernelTask<?> task, Throwable fault) {
        if (task.claim()) { // otherwise a thread that found it among the running tasks has withdrawn it
            uncountQueued();
            task.startFailed(fault);
            retireIfDone();
            signalSubmitters();
        }
    }

    /** A group that was created for a task that it then rejected is retired by no other step. */
    private Admission rejected(Admission why) {
        LeaseControl leases = dispatcher.leases();
        if (leases != null) {
            leases.rejected(this, why);
        }
        retireIfDone();
        return why;
    }

    /** Tasks that wait only for the global limit do not count, see {@link #queuedForOwnLimit}. */
    private boolean isQueueFull(long s) {
        return queuedTasks(s)
                >= Math.min(GroupState.MAX_QUEUED, (long) limits.queueThreshold() + Math.max(0, freePermits(s)));
    }

    TaskQueue queue() {
        TaskQueue known = queue;
        return known == null ? createQueue() : known;
    }

    private synchronized TaskQueue createQueue() {
        TaskQueue known = queue;
        if (known == null) {
            known = new TaskQueue(dispatcher.ageingNanos());
            queue = known;
        }
        return known;
    }

    /** With a count and a permit in hand: the next task, or {@code null} if the task that was counted is not linked yet. */
    @Nullable
    KernelTask<?> pollQueue() {
        KernelTask<?> task = queue().poll();
        if (task != null) {
            signalSubmitters();
        }
        return task;
    }

    /**
     * With the group polled, and {@code task} the first of its queue: takes the task, its count and its permits.
     *
     * @return false if the task was withdrawn, or there are too few permits; then nothing has changed
     */
    boolean tryTakeQueued(KernelTask<?> task, int cost) {
        for (; ; ) {
            long s = state;
            if (queuedTasks(s) <= 0 || freePermits(s) < cost) {
                return false;
            }
            if (casState(s, s - cost * ONE_PERMIT - ONE_QUEUED)) {
                break;
            }
        }
        if (!task.claim()) {
            returned((long) STATE.getAndAdd(this, cost * ONE_PERMIT + ONE_QUEUED));
            return false;
        }
        queue().remove(task);
        signalSubmitters();
        return true;
    }

    /** Whether a queued task could start as far as the permits of the group, its lease, and the size of its limits go. */
    boolean canStart(long s) {
        return isReady(s) && mayStart() && (!costly || fits(s));
    }

    private boolean fits(long s) {
        int cost = firstCost();
        return cost <= freePermits(s) && tooSmallFor(cost, false) == null;
    }

    /** Whether tasks of a cost above 1 may be queued. */
    boolean isCostly() {
        return costly;
    }

    /** What the next queued task costs; 1 if none is linked. */
    int firstCost() {
        KernelTask<?> first = queue().peek();
        return first == null ? 1 : first.cost();
    }

    /**
     * A task that has a permit does not start: its thread has found the lease invalid, or a thread that knew of no costly tasks has polled one, with a single permit, which
     * happens only to the first costly task of a group. It is returned to the queue, before the tasks of its priority that were submitted later, and the caller releases the permit.
     */
    void requeue(KernelTask<?> task) {
        enqueueAgain(task, task.takeNumber());
    }

    /** A task was taken from anywhere in the queue. If costs differ, another first task may fit. */
    private void startIfCostly() {
        if (costly) {
            startQueued();
        }
    }

    /** A submitter that is blocked on a full queue may have a chance now. */
    void signalSubmitters() {
        SubmitterQueue submitters = dispatcher.submitterQueue();
        if (submitters != null) {
            submitters.signal(key);
        }
    }

    /** Starts queued tasks while there are free permits. */
    private void startQueued() {
        startQueued(0);
    }

    /**
     * @param readySince when the group may have become ready; 0 for now. This is not when a task starts: the permit that it starts with may
     *     have become free later
     */
    private void startQueued(long readySince) {
        for (; ; ) {
            long s = state;
            if (has(s, GLOBALLY_LIMITED)) {
                dispatcher.scheduler().startQueued(this, readySince);
                return;
            }
            if (!isReady(s) || !mayStart()) {
                retireIfDone(); // a start that failed may have been the last step
                return;
            }
            if (casState(s, s - ONE_PERMIT - ONE_QUEUED)) {
                KernelTask<?> task = pollQueue();
                if (task == null) {
                    putBack();
                    if (queue().isEmpty()) {
                        retireIfDone(); // the count may have been that of a cancelled task
                        return; // a submitter that links a task from now on sees what was put back
                    }
                } else if (task.cost() > 1) {
                    requeue(task); // first: the group does not look idle in between
                    release(1, 0, 0);
                } else {
                    startOrRelease(task, now());
                }
            }
        }
    }

    /** Undoes taking a count and a permit, if nothing was linked. A global limit that took over meanwhile gets them back too. */
    private void putBack() {
        long before = (long) STATE.getAndAdd(this, ONE_PERMIT + ONE_QUEUED);
        if (has(before, GLOBALLY_LIMITED)) {
            dispatcher.scheduler().putBack();
        }
        returned(before);
    }

    @Override
    void release(int cost, long start, long now) {
        for (; ; ) {
            long s = state;
            if (has(s, GLOBALLY_LIMITED)) {
                dispatcher.scheduler().release(this, cost, start, now == 0 ? now() : now);
                return;
            }
            boolean next = queuedTasks(s) > 0 && freePermits(s) >= 0;
            if (next && mayStart()) { // reads the clock: user code may have run since now
                if (casState(s, s - ONE_QUEUED)) {
                    KernelTask<?> task = pollQueue();
                    if (task == null) {
                        putBack();
                        startQueued(); // checks the queue again
                        return;
                    }
                    if (task.cost() > 1) {
                        requeue(task);
                    } else if (start(task, now == 0 ? now() : now)) {
                        return;
                    }
                }
            } else if (casState(s, s + ONE_PERMIT)) {
                if (next) {
                    startQueued(); // a renewal that came while this thread had the permit has not found it
                }
                retireIfDone(s + ONE_PERMIT);
                signalSubmitters();
                returned(s);
                return;
            }
        }
    }

    @Override
    void ran(long nanos) {
        TYPICAL_RUN.setOpaque(this, RunTimes.next((long) TYPICAL_RUN.getOpaque(this), nanos));
    }

    @Override
    void withdrawn() {
        uncountQueued();
        queue().withdrawn(queuedTasks(state));
        startIfCostly();
        retireIfDone();
        signalSubmitters();
    }

    private void uncountQueued() {
        long before = (long) STATE.getAndAdd(this, -ONE_QUEUED);
        if (has(before, GLOBALLY_LIMITED)) {
            dispatcher.scheduler().limiter().dequeue();
        }
    }

    /**
     * Rejects the oldest queued task of the lowest priority. If that was the last task, the caller retires the group, after it has queued
     * another if it wants to: a group that is created anew would lose its position in the ready queue.
     *
     * @return false if none is queued
     */
    boolean displace() {
        KernelTask<?> task = queue().pollLowest();
        if (task == null) {
            return false;
        }
        task.displaced(this::uncountQueued);
        startIfCostly();
        signalSubmitters();
        return true;
    }

    @Override
    void forEachQueued(Consumer<KernelTask<?>> action) {
        TaskQueue tasks = queue;
        if (tasks != null) {
            tasks.forEach(action);
        }
    }

    // ---- lending -------------------------------------------------------------------------------------------------

    /** It is linked again. A wait for it was registered before, and is found here, or finds it queued. */
    private void offerToWaits(KernelTask<?> task) {
        Lending lending = dispatcher.lendingOrNull();
        if (lending != null) {
            lending.queuedAgain(task);
        }
    }

    /**
     * Starts a queued task on a permit that was lent.
     *
     * @param lender the group of the lent permits. If it is another one, only permits of limits that both have are lent, and the others are taken
     * @return false if that was not possible, or the task has completed without a start; then the lent permit is the caller's
     */
    @SuppressWarnings("ReferenceEquality") // identity of groups
    boolean startBorrowed(KernelTask<?> task, PermitSource source, Group lender) {
        int cost = task.cost();
        boolean partly = lender != this;
        if (partly && !tryTakePermits(lender, cost)) {
            return false;
        }
        if (!task.claimForLoan()) {
            if (partly) {
                dispatcher.scheduler().returnGroupPermit(this, lender, cost);
            }
            return false;
        }
        dispatcher.lending().setSource(task, source);
        // It stays linked, as a cancelled task does. If it is queued again for a retry, a poll may find it there.
        withdrawn();
        long now = now();
        if (partly) {
            dispatcher.scheduler().startedOnSharedPermit(this, now);
        }
        boolean started = start(task, now);
        if (partly) {
            wantIfShort(); // it has taken a permit that other queued tasks may have counted on
        }
        if (started) {
            return true;
        }
        dispatcher.lending().forget(task);
        if (partly) {
            dispatcher.scheduler().releaseGroupPermit(this, lender, cost, now, now);
        }
        return false;
    }

    /** How many shared limits it has in common with {@code other}. */
    int sharedLimitsInCommon(Group other) {
        int common = 0;
        if (shares != null && other.shares != null) {
            for (GroupShares.Share share : shares.all()) {
                common += other.shares.contains(share.limit) ? 1 : 0;
            }
        }
        return common;
    }

    /** This group, or a limit that {@code lender} does not have, if it has too few permits; {@code null} if there is none. */
    @Nullable
    Object fullFor(Group lender, int cost) {
        return freePermits(state) < cost ? this : dispatcher.scheduler().fullBeyond(this, lender, cost);
    }

    /** Takes permits of this group, and of its limits that {@code lender} does not have. */
    private boolean tryTakePermits(Group lender, int cost) {
        for (; ; ) {
            long s = state;
            if (freePermits(s) < cost) {
                return false;
            }
            if (casState(s, (s & ~IDLE) - cost * ONE_PERMIT)) {
                break;
            }
        }
        return tookBeyond(lender, cost);
    }

    private boolean tookBeyond(Group lender, int cost) {
        boolean took = dispatcher.scheduler().tryTakeBeyond(this, lender, cost);
        if (!took) {
            dispatcher.scheduler().returnGroupPermitAlone(this, cost);
        }
        return took;
    }

    /** Takes permits whether they are free or not. Nothing starts until that is paid off, as after the limit was lowered. */
    void takeByForce(int cost) {
        long before = (long) STATE.getAndAdd(this, -cost * ONE_PERMIT);
        if (has(before, GLOBALLY_LIMITED)) {
            dispatcher.scheduler().takeByForce(this, cost);
            dispatcher.scheduler().startedByForce(this, now());
        }
        wantIfShort(); // the queued tasks need one more
    }

    /** Starts or queues a request of a thread that has lent its permit. It was admitted before, so no limit of the queue applies. */
    void admitAgain(PermitRequest request) {
        request.bind(this);
        enqueueAgain(request, 0);
    }

    /**
     * Grants {@code request} a permit of this group together with those that its thread has of the global limit, and of shared limits that both groups have.
     *
     * @param lender the group of the permit that its thread has
     * @param refusing the flags with which it is not admitted
     * @return false if there is no free permit, or it is not admitted now
     */
    boolean tryGrantWithGlobal(PermitRequest request, PermitSource source, Group lender, long refusing) {
        int cost = request.cost();
        long s = state;
        while (!has(s, refusing) && freePermits(s) >= cost && mayStart()) {
            if (casState(s, (s & ~IDLE) - cost * ONE_PERMIT)) {
                if (!tookBeyond(lender, cost)) {
                    return false;
                }
                request.grantShared(source);
                dispatcher.scheduler().startedOnSharedPermit(this, now());
                wantIfShort(); // queued tasks may have counted on the permit
                return true;
            }
            s = state;
        }
        return false;
    }

    // ---- leases --------------------------------------------------------------------------------------------------

    @Override
    boolean mayStart() {
        LeaseControl leases = dispatcher.leases();
        return leases == null || leases.mayStart(this, now());
    }

    /**
     * As {@link #mayStart()}, for a task that was not queued. If it gets a thread of its own, that thread checks the lease right before it begins, see {@link #checkLease}.
     * So the submitter does not read the clock: with many short tasks, it is what all others wait for.
     */
    private boolean mayLaunch(KernelTask<?> task) {
        LeaseControl leases = dispatcher.leases();
        return leases == null || (task.checksLease() && !leases.isDoubtful()) || mayStart();
    }

    @Override
    boolean checkLease(KernelTask<?> task, long now) {
        LeaseControl leases = dispatcher.leases();
        if (leases == null || leases.mayStart(this, now)) {
            return true;
        }
        requeue(task); // first: the group does not look idle in between
        release(task.cost(), 0, 0);
        return false;
    }

    /** Whether the owner of leases has not answered yet for a shared limit of it. */
    boolean hasUnknownSharedLimit() {
        return shares != null && shares.hasUnknownLimit();
    }

    /**
     * How many permits of {@code limit}, a leased one of its shared limits, would be of use beyond those in use.
     *
     * @param totalLeased whether the global limit is leased too
     * @param room of other limits, less what other groups would use
     */
    int queuedFor(Limit limit, boolean totalLeased, Map<Limit, Integer> room) {
        GroupShares all = shares;
        long s = state;
        int queued = Math.max(0, queuedTasks(s));
        if (all == null || queued == 0) {
            return 0;
        }
        int cost = costly ? firstCost() : 1;
        if (limit.isUnknown()) {
            return (int) Math.min(limits.limit(), Math.max(queued, (long) cost)); // it is asked together with the group
        }
        if (!has(s, READY_QUEUED) || freePermits(s) < cost) {
            return 0;
        }
        return all.queuedFor(limit, Math.min(queued, freePermits(s)), cost, totalLeased, room);
    }

    /** Starts the tasks that are queued because the lease was not valid. */
    void leaseRenewed() {
        startQueued();
        wantIfShort();
    }

    /** Tasks may be queued because too few permits are leased. */
    void wantIfShort() {
        LeaseControl leases = dispatcher.leases();
        if (leases != null) {
            leases.wantIfShort(this);
        }
    }

    /** A permit was returned to {@code before}, and is not in the hand of this thread any more. */
    void returned(long before) {
        LeaseControl leases = dispatcher.leases();
        if (leases != null) {
            leases.released(this, before);
        }
    }

    /**
     * How many permits beyond those in use would be of use if they were leased; 0 if there is a free permit, or another limit is in the way.
     *
     * @param others how many wait for a permit that are not queued
     */
    int missingPermits(int others) {
        GroupLimits now = limits;
        long s = state;
        int first = costly ? firstCost() : 1;
        if (freePermits(s) >= first || !now.isShortOfLeased()) {
            return 0;
        }
        int inUse = now.effectiveLimit() - freePermits(s);
        long wanted = Math.max(queuedTasks(s) + (long) others, costly && queuedTasks(s) > 0 ? first : 0);
        return (int) Math.max(0, Math.min(wanted, (long) now.limit() - inUse));
    }

    /** What the next queued task costs, if the group has too few permits for it; otherwise 1. */
    int missingCost() {
        if (!costly || queuedTasks(state) <= 0) {
            return 1;
        }
        int first = firstCost();
        return freePermits(state) < first ? first : 1;
    }

    /** Whether no permit is in use when one was returned to {@code before}. */
    boolean isIdleAfterRelease(long before) {
        return isIdle(before + ONE_PERMIT);
    }

    /** See {@link LeaseControl#leasedChanged}. */
    int leasedChanged() {
        int inUse;
        synchronized (this) {
            replaceLimits(limits, ~0L);
            inUse = active();
        }
        startQueued();
        signalSubmitters();
        LeaseControl leases = dispatcher.leases();
        if (leases != null) {
            leases.reportFault();
            leases.wantInTotalIfShort(this); // what the group misses itself, the caller knows
        }
        return inUse;
    }

    /** How many permits are leased, as the state has it. */
    synchronized int leased() {
        return limits.leased();
    }

    private void reportLeaseFault() {
        LeaseControl leases = dispatcher.leases();
        if (leases != null) {
            leases.reportFault();
        }
    }

    // ---- limits --------------------------------------------------------------------------------------------------

    /**
     * The group is registered, so a change of its settings, of its leased permits or a new global limit finds it from now on. What was changed
     * before that is applied here. Then the group admits tasks. Any thread may do this, and more than once.
     */
    void settle() {
        synchronized (this) {
            replaceLimits(dispatcher.inForce(key, limits), ~0L);
        }
        reportLeaseFault();
        dispatcher.scheduler().takeOverIfLimited(this);
        STATE.getAndBitwiseAnd(this, ~UNSETTLED);
    }

    /** Has the limits resolved again by the next admission. */
    void setStale() {
        STATE.getAndBitwiseOr(this, STALE);
    }

    /**
     * Has the limits resolved again: by a new group object if this one can retire now, else by the next admission. The attempt to retire
     * takes the monitor, so a {@link #setLimits} that does not know of the eviction is over, and does not clear the flag that is set here.
     */
    void forgetLimits() {
        if (!retire(0)) {
            setStale();
        }
    }

    /** Sets the limits to {@code resolved} if that is still {@code valid}, and starts the tasks that they have room for. */
    void setLimits(GroupLimits resolved, BooleanSupplier valid) {
        GroupLimits before;
        synchronized (this) {
            if (!valid.getAsBoolean()) {
                return;
            }
            before = limits;
            replaceLimits(dispatcher.inForce(key, resolved), ~STALE);
        }
        limitsChanged(before);
    }

    /** Changes the limits, and starts the tasks that they have room for. */
    void changeLimits(UnaryOperator<GroupLimits> change) {
        GroupLimits before;
        synchronized (this) {
            before = limits;
            replaceLimits(change.apply(limits), ~0L);
        }
        limitsChanged(before);
    }

    /** A limit over several groups has changed. */
    void limitChanged() {
        startQueued();
    }

    private void limitsChanged(GroupLimits before) {
        startQueued();
        signalSubmitters();
        LeaseControl leases = dispatcher.leases();
        if (leases != null) {
            leases.reportFault();
            if (limits.concurrency() != before.concurrency()) {
                leases.limitChanged(this);
            }
            leases.wantIfShort(this);
        }
    }

    /**
     * Under the monitor, so without backing off. The leased permits are read here, whatever the change is about. So of two concurrent changes the
     * later one has both.
     */
    private void replaceLimits(GroupLimits change, long flagsKept) {
        LeaseControl leases = dispatcher.leases();
        GroupLimits replacement = leases == null
                ? change
                : change.withLeased(leases.leased(key), leases.limitInForce(key, change.concurrency()));
        long permits = (long) replacement.effectiveLimit() - limits.effectiveLimit();
        limits = replacement;
        setWeight(replacement.weight());
        for (; ; ) {
            long s = state;
            if (STATE.compareAndSet(this, s, (s & flagsKept) + permits * ONE_PERMIT)) {
                return;
            }
        }
    }

    /** Puts the group under {@code limiter}, which takes over the permits and the queued tasks that the state shows in that step. */
    synchronized void joinGlobalLimit(Limiter limiter) {
        for (; ; ) {
            long s = state;
            if (has(s, GLOBALLY_LIMITED | RETIRED)) {
                return;
            }
            if (STATE.compareAndSet(this, s, s | GLOBALLY_LIMITED)) {
                limiter.takeOver(limits.effectiveLimit() - freePermits(s), queuedTasks(s));
                return;
            }
        }
    }

    // ---- retiring ------------------------------------------------------------------------------------------------

    @Override
    void close() {
        STATE.getAndBitwiseOr(this, CLOSED);
        retireIfDone();
    }

    @Override
    void retireIfDone() {
        retireIfDone(state);
    }

    void retireIfDone(long s) {
        if (queuedTasks(s) <= 0 && (retiresAtOnce || has(s, CLOSED))) {
            retire(0);
        }
    }

    /**
     * Leaves the registry if no permit is in use, nothing is queued and {@code flags} are set. A task that comes too late gets RETIRED, and
     * the dispatcher submits it again.
     *
     * <p>A task that awaits a retry was counted as such before its permit came back, so the retries are read after the state. That read is
     * between two reads of a state that is marked IDLE. If a task came and began to wait since, its admission has cleared the mark, although
     * the rest of the state may be the same as before.
     */
    private boolean retire(long flags) {
        synchronized (this) {
            for (; ; ) {
                long s = state;
                if (has(s, RETIRED)) {
                    return true;
                }
                if ((s & flags) != flags || !isIdle(s) || awaitingRetryCount() != 0) {
                    return false;
                }
                if (!has(s, CLOSED) && !hasPublished()) {
                    return false; // a shutdown must find it; the publishing thread or a sweep comes here again
                }
                boolean marked = has(s, IDLE);
                if (STATE.compareAndSet(this, s, s | (marked ? RETIRED : IDLE)) && marked) {
                    break;
                }
            }
        }
        retired(has(state, READY_QUEUED));
        signalSubmitters();
        return true;
    }

    /** Retires, if it can now. The first check spares busy groups the monitor. */
    boolean retireIfIdle() {
        return isIdle(state) && retire(0);
    }

    /** One pass of the idle sweep: retires the group if every pass for {@code ttl} found it idle. */
    void sweep(long now, long ttl) {
        long s = state;
        if (!isIdle(s)) {
            return;
        }
        if (!has(s, IDLE)) {
            idleSince = now;
            casState(s, s | IDLE);
        } else if (now - idleSince >= ttl) {
            retire(IDLE); // an admission since the read above has cleared the mark
        }
    }

    private boolean isIdle(long s) {
        return queuedTasks(s) == 0 && freePermits(s) == limits.effectiveLimit();
    }

    @Override
    boolean isClosed() {
        return has(state, CLOSED);
    }

    @Override
    public boolean isRetired() {
        return has(state, RETIRED);
    }

    // ---- counters and statistics ------------------------------------------------------------------------------

    /** Moves every count to {@code other}. */
    void moveCountsTo(OutcomeCounters other) {
        outcomes.moveTo(other);
        other.add(OutcomeCounters.COMMON_OUTCOME, (long) COMMON_OUTCOMES.getAndSet(this, 0L));
        other.add(OutcomeCounters.ADMITTED, (long) ADMITTED.getAndSet(this, 0L));
    }

    /** The counts by tag, which begin at 0 again. */
    Map<String, Long> takeCountsByTag() {
        return outcomes.takeByTag();
    }

    @Override
    public String key() {
        return key;
    }

    /** The limits that hold now. */
    public GroupLimits limits() {
        return limits;
    }

    @Override
    public int active() {
        return Math.max(0, limits.effectiveLimit() - freePermits(state));
    }

    @Override
    synchronized int permitsInUse() {
        return active();
    }

    /** The fence separates leaving from reading the state: this thread finds the group idle, or the one that made it idle sees it left. */
    @Override
    void removePublished(int slot) {
        super.removePublished(slot);
        if (retiresAtOnce) {
            VarHandle.fullFence();
            retireIfDone();
        }
    }

    @Override
    public int queued() {
        return Math.max(0, queuedTasks(state));
    }

    /** How many queued tasks count for the queue threshold: those beyond the free permits. */
    public int queuedForOwnLimit() {
        long s = state;
        return Math.max(0, queuedTasks(s) - Math.max(0, freePermits(s)));
    }

    /** How many permits are held of a limit that is shared with other JVMs; {@link GroupLimits#NOT_LEASED} if it is not shared. */
    public int leasedPermits() {
        return Math.max(0, limits.leased());
    }

    /** Whether a queued task would have to wait until more permits are leased, or until their lease is valid. */
    public boolean waitsForLease() {
        return (!hasFreePermits() && limits.isShortOfLeased()) || !mayStart();
    }

    /** How many free permits of the group queued tasks would use, if the global limit had room. */
    int queuedForGlobalLimit() {
        long s = state;
        int waiting = has(s, GLOBALLY_LIMITED) ? Math.max(0, Math.min(queuedTasks(s), freePermits(s))) : 0;
        return waiting > 0 && costly ? Math.max(waiting, Math.min(firstCost(), freePermits(s))) : waiting;
    }

    /** Whether its permits also count under a global limit. */
    public boolean isGloballyLimited() {
        return has(state, GLOBALLY_LIMITED);
    }

    /** The first of its shared limits that has fewer than {@code cost} free permits; {@code null} if there is none. */
    public @Nullable Limit exhaustedSharedLimit(int cost) {
        return shares == null ? null : shares.exhausted(cost);
    }

    /** The first of its shared limits that is paused; {@code null} if none is. */
    public @Nullable Limit pausedSharedLimit() {
        return shares == null ? null : shares.paused();
    }

    /** The shared limits that it belongs to, in the order of the policy. */
    public List<Limit> sharedLimits() {
        return shares == null
                ? List.of()
                : Arrays.stream(shares.all()).map(share -> share.limit).toList();
    }

    /**
     * The limit over several groups that its first queued task waits for; {@code null} if there is none, and if it has no shared limits. A group whose tasks were
     * withdrawn stays in the ready queue until it is polled, and waits for nothing.
     */
    public @Nullable Limit awaitedLimit() {
        long s = state;
        return shares != null && has(s, READY_QUEUED) && isReady(s) ? shares.waitsAt() : null;
    }

    /** Whether a queued task would not have to wait for a permit of the group. */
    public boolean hasFreePermits() {
        return freePermits(state) > 0;
    }

    /** Whether {@code cost} permits of the group are free. */
    public boolean hasFreePermits(int cost) {
        return freePermits(state) >= cost;
    }

    /** About how long tasks hold their permits; 0 before one has completed. */
    public long typicalRunNanos() {
        return (long) TYPICAL_RUN.getOpaque(this);
    }

    /**
     * About how long a task that is queued now would wait for a permit of the group; 0 if that is not known. If the group or a shared limit of it is paused, as if it was
     * resumed now. Takes constant time: of many running tasks it reads some.
     */
    public long estimatedWaitNanos() {
        GroupLimits now = limits;
        Limit paused = pausedSharedLimit();
        int permits = paused != null ? Math.min(now.limit(), paused.max()) : now.paused() ? now.limit() : active();
        return RunTimes.wait(queued() + 1L, permits * releasesPerPermit());
    }

    /**
     * How many times in a nanosecond a permit becomes free. A running task is expected to hold its permit for as long as is typical, or for as
     * long as it has run, if that is longer.
     */
    private double releasesPerPermit() {
        long time = now();
        long typical = typicalRunNanos();
        double[] sums = new double[2]; // tasks, and their releases in a nanosecond
        running().forSome(SAMPLED_SLOTS, task -> {
            long age = task.runningNanos(time);
            if (age >= 0) {
                long held = Math.max(typical, age);
                sums[0]++;
                sums[1] += held == 0 ? 0 : 1.0 / held;
            }
        });
        return sums[0] > 0 ? sums[1] / sums[0] : typical == 0 ? 0 : 1.0 / typical;
    }

    /** How long the oldest queued task has waited; 0 if none is queued. */
    public long oldestWaitingNanos() {
        TaskQueue tasks = queue;
        if (tasks == null || queued() == 0) {
            return 0;
        }
        long now = now();
        return now - tasks.oldestQueuedAt(now);
    }

    @Override
    public FairnessState fairnessState() {
        return fairnessState;
    }
}
