package io.github.kobe.internal.kernel;

import static io.github.kobe.internal.kernel.GroupState.IDLE;
import static io.github.kobe.internal.kernel.GroupState.ONE_PERMIT;
import static io.github.kobe.internal.kernel.GroupState.ONE_QUEUED;
import static io.github.kobe.internal.kernel.GroupState.READY_QUEUED;
import static io.github.kobe.internal.kernel.GroupState.RETIRED;
import static io.github.kobe.internal.kernel.GroupState.freePermits;
import static io.github.kobe.internal.kernel.GroupState.has;
import static io.github.kobe.internal.kernel.GroupState.isReady;
import static io.github.kobe.internal.kernel.GroupState.queuedTasks;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.kernel.GroupShares.Share;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Everything that happens only under limits over several groups: a task needs permits of its group, of each shared limit of the group, and of the global limit. Each such
 * {@link Limit} has permits and a ready queue of the groups that wait for it.
 *
 * <p><b>Queued tasks start through a ready queue only.</b> Whenever a step leaves a group with queued tasks and free permits, its thread
 * makes sure that READY_QUEUED is set, adds the group to the ready queue of one of its limits if it was the one to set the flag, and dispatches that limit. A dispatching thread
 * takes a permit of the limit, polls the ready queue, and starts one task of the group that is next. If another limit of the group is full, it moves the group to the ready queue of that
 * limit, gives back what it took, and dispatches that limit too. So a group waits at one full limit, and holds nothing.
 *
 * <p><b>No wake-up is lost.</b> A dispatching thread that took a permit and found no use for it puts the permit back, and then checks the
 * ready queue again. A thread that adds a group to a ready queue then tries to take a permit of that limit. One of the two sees the other.
 *
 * <p><b>Bounded bypass.</b> A group that moves on keeps its turn where it was. It may also keep the permit of its turn, see {@link #PATIENCE} and {@link KeptPermits}.
 *
 * <p><b>A global limit that is set later</b> takes over, in the step that sets GLOBALLY_LIMITED, the permits and the queued tasks that the state
 * of each group shows. From then on every step that moves one of them in a group moves it in the limiter too. The page shared-limits.md of the design has the arguments.
 */
@SuppressWarnings("ReferenceEquality") // identity of limits
final class LimitScheduler {

    /** After so many turns in vain a group may keep the permits of the next one, if the limit that it waits for is not slower. */
    static final int PATIENCE = 8;

    /** If the limit that it waits for is so many times as fast, a group may keep permits at its first turn in vain: they are idle for a moment only. */
    private static final int MUCH_FASTER = 16;

    /** For how long a group keeps permits while it waits for another limit. */
    static final long MAX_KEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReadyQueue readyQueue; // of the global limit
    private final Dispatcher dispatcher;
    private final @Nullable LeaseControl leases;
    private volatile int limit; // of this JVM; the limiter has less if fewer permits are leased
    private volatile int queueThreshold; // written under the monitor
    private volatile @Nullable Limit global; // written under the monitor, once

    /** What became of the turn of a group. */
    private enum Start {
        /** A task was started with the dispatching thread's permits. */
        STARTED,
        /** There was none: the thread keeps its permits and the count of the task that it looked for. */
        NONE,
        /** There was no thread for the task. The task has completed, and the permits are still the dispatching thread's. */
        FAILED,
        /** As NONE, but the group keeps the permits. */
        KEPT
    }

    /** One turn of a group that has shared limits, or tasks of different cost. */
    private static final class Turn {
        final Limit at;
        final Group group;
        final long now;
        int held; // permits of the limit in hand

        Turn(Limit at, Group group, int held, long now) {
            this.at = at;
            this.group = group;
            this.held = held;
            this.now = now;
        }
    }

    /** The limits that a thread still has to dispatch before it returns. */
    private static final class Work {
        private @Nullable ArrayDeque<Limit> limits; // most threads have none

        void add(@Nullable Limit limit) {
            if (limit == null) {
                return;
            }
            if (limits == null) {
                limits = new ArrayDeque<>();
            }
            if (!limits.contains(limit)) {
                limits.add(limit);
            }
        }

        @Nullable
        Limit poll() {
            return limits == null ? null : limits.poll();
        }
    }

    LimitScheduler(ReadyQueue readyQueue, int limit, int queueThreshold, Dispatcher dispatcher, boolean shares) {
        this.readyQueue = readyQueue;
        this.queueThreshold = queueThreshold;
        this.dispatcher = dispatcher;
        this.leases = dispatcher.leases();
        this.limit = limit;
        // A ready queue that charges time sees every start, so it needs a limiter even if that never binds. So do
        // shared limits: every group is under the same kinds of limits from the start, so none is taken over later.
        int effective = effectiveLimit();
        boolean limited = effective != Integer.MAX_VALUE || readyQueue.chargesTime() || shares;
        this.global = limited ? globalLimit(new Limiter(effective, queueThreshold)) : null;
        readyQueue.onCapacity(this::dispatchAgain);
    }

    private Limit globalLimit(Limiter limiter) {
        return new Limit(readyQueue, limiter);
    }

    ReadyQueue readyQueue() {
        return readyQueue;
    }

    /** Whether the time for which permits are held is charged to groups. */
    boolean chargesTime() {
        return readyQueue.chargesTime();
    }

    /** Whether there is a global limit. It may be unlimited, if there are shared limits, costly tasks, or time is charged. */
    boolean isLimited() {
        return global != null;
    }

    private Limit global() {
        return Objects.requireNonNull(global);
    }

    /** Of a group that is GLOBALLY_LIMITED. */
    Limiter limiter() {
        return global().limiter;
    }

    /** The limits of a group that is GLOBALLY_LIMITED, by their numbers. */
    List<Limit> limitsOf(Group group) {
        List<Limit> limits = new ArrayList<>();
        GroupShares shares = group.shares();
        if (shares != null) {
            for (Share share : shares.all()) {
                limits.add(share.limit);
            }
        }
        limits.add(global());
        return limits;
    }

    private static Competitor at(Limit limit, Group group) {
        GroupShares shares = group.shares();
        return shares == null || limit.isGlobal() ? group : shares.at(limit);
    }

    private static Group groupOf(Competitor competitor) {
        return competitor instanceof Share share ? share.group : (Group) competitor; // only these are ever added
    }

    // ---- a task starts directly ----------------------------------------------------------------------------------

    /**
     * Starts the task if it is admitted and does not have to be queued.
     *
     * @param refusing the flags of the group with which the task is not admitted
     */
    boolean tryStart(Group group, KernelTask<?> task, long refusing) {
        if (!readyQueue.mayStartDirectly(group)) {
            return false;
        }
        int cost = task.cost();
        boolean acquired = false;
        for (; ; ) {
            long s = group.state;
            boolean direct = !has(s, refusing) && freePermits(s) >= cost && queuedTasks(s) <= 0 && group.mayStart();
            if (!direct || !(acquired || tryTakeAll(group, cost))) {
                if (acquired) {
                    releaseLimits(group, cost);
                    dispatchLimits(group, cost, dispatcher.now());
                }
                return false;
            }
            acquired = true;
            if (group.casState(s, (s & ~IDLE) - cost * ONE_PERMIT)) {
                return startDirectly(group, task, cost);
            }
        }
    }

    /** Takes permits of each limit of the group, or of none. */
    private boolean tryTakeAll(Group group, int cost) {
        GroupShares shares = group.shares();
        if (shares == null) {
            return global().tryTake(cost);
        }
        return tryTakeBeyond(shares, null, cost) && (global().tryTake(cost) || undoTakeBeyond(shares, null, cost));
    }

    /**
     * Takes permits of each shared limit that is not one of {@code lender}, or of none.
     *
     * @param lender {@code null} for all shared limits
     */
    private boolean tryTakeBeyond(GroupShares shares, @Nullable Group lender, int cost) {
        Share[] all = shares.all();
        for (int i = 0; i < all.length; i++) {
            if (!isOf(lender, all[i].limit) && !all[i].limit.tryTake(cost)) {
                putBackBefore(all, i, lender, cost);
                return false;
            }
        }
        return true;
    }

    private boolean undoTakeBeyond(GroupShares shares, @Nullable Group lender, int cost) {
        putBackBefore(shares.all(), shares.all().length, lender, cost);
        return false;
    }

    private void putBackBefore(Share[] shares, int end, @Nullable Group lender, int cost) {
        for (int i = 0; i < end; i++) {
            if (!isOf(lender, shares[i].limit)) {
                shares[i].limit.limiter.release(cost);
                dispatch(shares[i].limit, false, 0); // a group that came meanwhile has not found the permits
            }
        }
    }

    private static boolean isOf(@Nullable Group group, Limit limit) {
        GroupShares shares = group == null ? null : group.shares();
        return shares != null && shares.contains(limit);
    }

    /**
     * With all permits in hand: starts a task that was not queued. If time is charged, the task starts now, unless the ready queue holds
     * the global permit back from the group; else it starts when its thread reads the clock.
     */
    private boolean startDirectly(Group group, KernelTask<?> task, int cost) {
        long now = 0;
        if (chargesTime()) {
            now = dispatcher.now();
            if (!readyQueue.startedDirectly(group, now)) {
                releaseLimits(group, cost);
                long before = returnGroupPermit(group, cost, now, null);
                dispatchLimits(group, cost, now);
                group.returned(before);
                return false;
            }
            GroupShares shares = group.shares();
            if (shares != null) {
                for (Share share : shares.all()) {
                    share.limit.readyQueue.startedDirectly(share, now);
                }
            }
        }
        limiter().started(now);
        group.launch(task, now);
        return true;
    }

    // ---- a permit is released ------------------------------------------------------------------------------------

    void release(Group group, int cost, long start, long now) {
        if (chargesTime()) {
            completed(group, start, now);
        }
        if (start != 0) {
            limiter().ran(now - start);
        }
        if (passOn(group, cost, now)) {
            return;
        }
        releaseLimits(group, cost);
        long before = returnGroupPermit(group, cost, now, null);
        dispatchLimits(group, cost, now);
        lendFor(group);
        group.returned(before);
    }

    private void completed(Group group, long start, long now) {
        readyQueue.completed(group, start, now);
        GroupShares shares = group.shares();
        if (shares != null) {
            for (Share share : shares.all()) {
                share.limit.readyQueue.completed(share, start, now);
            }
        }
    }

    /**
     * With a permit of the group and of each of its limits in hand: starts the next task of the group with them, if no group waits for one of these limits. Then the permits need not be
     * returned and taken again. A group that comes to wait after the check is treated as if it had come after the start. Only for tasks of cost 1, and only without leases.
     */
    private boolean passOn(Group group, int cost, long now) {
        long s = group.state;
        Limit g = global();
        if (queuedTasks(s) <= 0
                || freePermits(s) < 0
                || cost != 1
                || has(s, READY_QUEUED)
                || !readyQueue.isUnused()
                || leases != null
                || g.saver() != null
                || g.limiter.isOver()
                || group.isCostly()
                || !mayPassOn(group.shares())
                || !group.casState(s, s - ONE_QUEUED)) {
            return false;
        }
        KernelTask<?> task = group.pollQueue();
        if (task == null) {
            HotFields.STATE.getAndAdd(group, ONE_QUEUED); // the caller dispatches, which checks the queue again
            return false;
        }
        g.limiter.dequeue();
        if (task.cost() > 1) {
            group.requeue(task); // a first costly task, which was queued after the check
            return false;
        }
        countReleases(group.shares());
        g.limiter.started(now);
        SubmitterQueue submitters = dispatcher.submitterQueue();
        if (submitters != null) {
            submitters.signalGlobal();
        }
        return group.start(task, now);
    }

    private static boolean mayPassOn(@Nullable GroupShares shares) {
        if (shares != null) {
            for (Share share : shares.all()) {
                if (!share.limit.mayPassOn()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** A permit of each limit of a group has passed from a task to the next one. */
    private void countReleases(@Nullable GroupShares shares) {
        if (shares != null) {
            for (Share share : shares.all()) {
                share.limit.limiter.countRelease();
            }
            limiter().countRelease();
        }
    }

    /** Releases the permits of the shared limits of a group. The caller returns those of the group if it has any, and then calls {@link #dispatchLimits}. */
    private static void releaseLimits(Group group, int cost) {
        GroupShares shares = group.shares();
        if (shares != null) {
            for (Share share : shares.all()) {
                share.limit.release(cost);
            }
        }
    }

    /** With global permits in hand, and after {@link #releaseLimits}: releases them, and starts what the limits of the group have room for. */
    private void dispatchLimits(Group group, int cost, long now) {
        Limit g = global();
        GroupShares shares = group.shares();
        if (shares != null) {
            g.limiter.countRelease();
        }
        if (cost > 1) {
            hintIfOver(g.limiter.release(cost));
        }
        dispatch(g, cost == 1, now);
        if (shares != null) {
            for (Share share : shares.all()) {
                if (share.limit.hasWaiting()) { // a group that comes from now on finds the permits
                    dispatch(share.limit, false, 0);
                }
                lendFor(share.limit);
            }
        }
    }

    /**
     * The caller dispatches the limits of the group next.
     *
     * @param work is given the limit at which the group waits now; {@code null} if the caller dispatches all of them
     * @return the state of the group before
     */
    private long returnGroupPermit(Group group, int cost, long now, @Nullable Work work) {
        long before = (long) HotFields.STATE.getAndAdd(group, cost * ONE_PERMIT);
        Limit joined = joinReadyQueue(group, now);
        if (work != null) {
            work.add(joined);
        }
        group.retireIfDone(before + cost * ONE_PERMIT);
        group.signalSubmitters();
        return before;
    }

    /** A thread took a count and a permit of a group, found nothing linked, and has put both back in the group. */
    void putBack() {
        putBack(limiter(), 1);
        dispatch(global(), false, dispatcher.now());
    }

    private void putBack(Limiter g, int n) {
        hintIfOver(g.putBack(n));
    }

    private void hintIfOver(long before) {
        if (leases != null && Limiter.isOver(before)) {
            leases.releasedInTotal();
        }
    }

    // ---- lent and shared permits ---------------------------------------------------------------------------------

    /** The group or the limit may have a free permit: a wait that would lend a permit of another limit to a task of it is told. */
    private void lendFor(Object groupOrLimit) {
        Lending lending = dispatcher.lendingOrNull();
        if (lending != null) {
            lending.permitFreed(groupOrLimit);
        }
    }

    /**
     * Takes permits of the limits of a group that are not limits of {@code lender}.
     *
     * @return false if one of them is full; then none was taken
     */
    boolean tryTakeBeyond(Group group, Group lender, int cost) {
        GroupShares shares = group.shares();
        return shares == null || tryTakeBeyond(shares, lender, cost);
    }

    /** The limit at which {@link #tryTakeBeyond} would fail now; {@code null} if it would succeed. */
    @Nullable
    Limit fullBeyond(Group group, Group lender, int cost) {
        GroupShares shares = group.shares();
        if (shares != null) {
            for (Share share : shares.all()) {
                if (!isOf(lender, share.limit) && !share.limit.hasRoom(cost)) {
                    return share.limit;
                }
            }
        }
        return null;
    }

    /**
     * A task that had permits of its group and of limits that are not those of {@code lender}, and the other ones of another holder, is off its
     * thread.
     */
    void releaseGroupPermit(Group group, Group lender, int cost, long start, long time) {
        long now = time == 0 ? dispatcher.now() : time;
        if (chargesTime()) {
            completed(group, start == 0 ? now : start, now);
            readyQueue.sharedPermitsChanged(-1);
        }
        returnGroupPermit(group, lender, cost, now);
    }

    /** As {@link #releaseGroupPermit}, if nothing was started. */
    void returnGroupPermit(Group group, Group lender, int cost) {
        returnGroupPermit(group, lender, cost, dispatcher.now());
    }

    private void returnGroupPermit(Group group, Group lender, int cost, long now) {
        GroupShares shares = group.shares();
        if (shares != null) {
            for (Share share : shares.all()) {
                if (!isOf(lender, share.limit)) {
                    share.limit.release(cost);
                }
            }
        }
        long before = returnGroupPermit(group, cost, now, null);
        dispatch(global(), false, now);
        if (shares != null) {
            for (Share share : shares.all()) {
                dispatch(share.limit, false, now);
                lendFor(share.limit);
            }
        }
        lendFor(group);
        group.returned(before);
    }

    /** As {@link #returnGroupPermit}, of the permit of the group alone. */
    void returnGroupPermitAlone(Group group, int cost) {
        returnGroupPermit(group, group, cost);
    }

    /** Takes global permits whether they are free or not. So the queued tasks need more. */
    private void takeGlobalByForce(int cost) {
        limiter().takeByForce(cost);
        if (leases != null && lacksLeased()) {
            leases.wantInTotal();
        }
    }

    /** Takes permits of each limit of a group, whether they are free or not. */
    void takeByForce(Group group, int cost) {
        takeGlobalByForce(cost);
        GroupShares shares = group.shares();
        if (shares != null) {
            for (Share share : shares.all()) {
                share.limit.limiter.takeByForce(cost);
            }
        }
    }

    /** Takes permits of the limits that both groups have, in place of those that are lent. So the borrower has those for itself. */
    void replaceByForce(Group lender, Group borrower, int cost) {
        takeGlobalByForce(cost);
        GroupShares shares = lender.shares();
        if (shares != null) {
            for (Share share : shares.all()) {
                if (isOf(borrower, share.limit)) {
                    share.limit.limiter.takeByForce(cost);
                }
            }
        }
        sharedPermitsChanged(-1);
    }

    /** Undoes {@link #replaceByForce}. */
    void undoReplace(Group lender, Group borrower, int cost, long now) {
        sharedPermitsChanged(1);
        GroupShares shares = lender.shares();
        if (shares != null) {
            for (Share share : shares.all()) {
                if (isOf(borrower, share.limit)) {
                    share.limit.limiter.release(cost);
                    dispatch(share.limit, false, now);
                }
            }
        }
        limiter().release(cost);
        dispatch(global(), false, now);
    }

    private void sharedPermitsChanged(int change) {
        if (chargesTime()) {
            readyQueue.sharedPermitsChanged(change);
        }
    }

    /** A task of the group runs on a global permit that belongs to another holder. */
    void startedOnSharedPermit(Group group, long now) {
        startedByForce(group, now);
        sharedPermitsChanged(1);
    }

    /** A task of the group runs on a permit that the ready queues were not asked for. */
    void startedByForce(Group group, long now) {
        if (chargesTime()) {
            readyQueue.startedByForce(group, now);
            GroupShares shares = group.shares();
            if (shares != null) {
                for (Share share : shares.all()) {
                    share.limit.readyQueue.startedByForce(share, now);
                }
            }
        }
    }

    // ---- the ready queues ----------------------------------------------------------------------------------------

    /**
     * The group may have become ready. It may also have been in a ready queue all along, left there by cancelled tasks, with no thread
     * about to dispatch. So this dispatches in either case.
     *
     * @param readySince when the group may have become ready; 0 for now
     */
    void startQueued(Group group, long readySince) {
        long s = group.state;
        if (isReady(s) || (group.isCostly() && has(s, READY_QUEUED))) { // a limit may save permits for it in vain
            Limit announced = joinReadyQueue(group, readySince == 0 ? dispatcher.now() : readySince);
            GroupShares shares = group.shares();
            Limit waitsAt = shares == null ? global() : shares.waitsAt();
            if (announced != null && announced != waitsAt) {
                dispatch(announced, false, 0);
            }
            dispatch(waitsAt == null ? global() : waitsAt, false, 0);
            lendFor(group);
        }
    }

    /**
     * Adds the group to the ready queue of one of its limits if it can start a task as far as its own permits go, its lease is valid, and it is in none. The caller dispatches that limit next, see
     * {@link ReadyQueue#beginAdd}. So the choice of the limit is not made again: threads that found the group announced there have left it to this one.
     *
     * @return that limit, also if the group was announced there and then not added; {@code null} if it was not announced
     */
    private @Nullable Limit joinReadyQueue(Group group, long now) {
        Limit where = null;
        for (; ; ) {
            long s = group.state;
            if (has(s, READY_QUEUED) || !group.canStart(s)) {
                return where;
            }
            if (where == null) {
                GroupShares shares = group.shares();
                where = shares == null ? global() : shares.firstFull(global(), 1);
            }
            boolean announced = where.readyQueue.beginAdd();
            try {
                if (group.casState(s, s | READY_QUEUED)) {
                    addToReadyQueue(where, group, now, false);
                    return where;
                }
            } finally {
                if (announced) {
                    where.readyQueue.endAdd();
                }
            }
        }
    }

    /** If the group retired before it could be found there, a sweep removes it. */
    private void addToReadyQueue(Limit where, Group group, long now, boolean first) {
        GroupShares shares = group.shares();
        if (shares != null) {
            shares.setWaitsAt(where);
        }
        if (!where.isGlobal()) {
            where.limiter.enqueue();
        }
        if (first) {
            where.readyQueue.addFirst(at(where, group), now);
        } else {
            where.readyQueue.add(at(where, group), now);
        }
        where.wantIfShort();
        if (has(group.state, RETIRED)) {
            dispatcher.pruneReadyQueueLater();
        }
    }

    /** With the group polled: takes it out of the ready queue and returns true, unless it can start a task as far as its own permits and its lease go. */
    private boolean leaveUnlessStartable(Limit where, Group group, long now, @Nullable Work work) {
        for (; ; ) {
            long s = group.state;
            if (!isReady(s)) {
                if (leaveIfNotReady(where, group)) {
                    return true;
                }
            } else if (group.canStart(s)) {
                return false;
            } else {
                where.readyQueue.left(at(where, group), false);
                if (group.casState(s, s & ~READY_QUEUED)) {
                    Limit joined = joinReadyQueue(
                            group, now); // a renewal, or a task, that came while READY_QUEUED was set has not added it
                    if (work != null) {
                        work.add(joined);
                    }
                    return true;
                }
            }
        }
    }

    /** With the group polled: takes it out of the ready queue and returns true, unless it is ready. */
    private boolean leaveIfNotReady(Limit where, Group group) {
        for (; ; ) {
            long s = group.state;
            if (isReady(s)) {
                return false;
            }
            where.readyQueue.left(at(where, group), queuedTasks(s) <= 0);
            if (group.casState(s, s & ~READY_QUEUED)) {
                group.retireIfDone(s & ~READY_QUEUED);
                return true;
            }
        }
    }

    /** With the group polled, a count and a permit of it in hand, and nothing linked: leaves, or it would be polled again and again. */
    private void putBackAndLeave(Group group, long now) {
        readyQueue.left(group, false);
        long s = group.state;
        while (!group.casState(s, (s + ONE_PERMIT + ONE_QUEUED) & ~READY_QUEUED)) {
            s = group.state;
        }
        if (group.queue().isEmpty()) {
            group.retireIfDone(); // a submitter that links a task from now on sees what was put back
        } else {
            joinReadyQueue(group, now);
        }
        group.returned(s);
    }

    /** Removes groups whose queued tasks were all cancelled: no other step would meet them. */
    void pruneReadyQueue() {
        Limit g = global;
        if (g != null) {
            prune(g);
            dispatcher.allSharedLimits().forEach(this::prune);
        }
    }

    private void prune(Limit where) {
        Work work = new Work();
        work.add(where); // a permit may have become free while the groups were taken out
        where.readyQueue.removeIf(competitor -> {
            Group group = groupOf(competitor);
            boolean leaves = leaveIfNotReady(where, group);
            if (leaves) {
                giveBackKept(group, work);
                if (!where.isGlobal()) {
                    where.limiter.dequeue();
                }
            }
            return leaves;
        });
        for (Limit next = work.poll(); next != null; next = work.poll()) {
            dispatch(next, false, dispatcher.now());
        }
    }

    // ---- dispatch ------------------------------------------------------------------------------------------------

    /**
     * Starts tasks of the groups that are next while there are permits of the limit. Then signals blocked submitters, one of which may have
     * tried while this thread held a permit.
     *
     * @param permitInHand whether the caller brings a permit; of the global limit
     * @param now the time, not before any of the free permits was released; 0 to read the clock if there is one
     */
    private void dispatch(Limit where, boolean permitInHand, long now) {
        Work work = dispatcher.hasSharedLimits() ? new Work() : null;
        startReadyGroups(where, permitInHand, now, work);
        if (work != null) {
            for (Limit next = work.poll(); next != null; next = work.poll()) {
                startReadyGroups(next, false, 0, work);
                lendFor(next); // this thread may have had permits of it for a moment
            }
        }
        SubmitterQueue submitters = dispatcher.submitterQueue();
        if (submitters != null) {
            submitters.signalGlobal();
        }
    }

    /** The ready queue does not hold free permits back any longer. */
    private void dispatchAgain() {
        Limit g = global;
        if (g != null) {
            dispatch(g, false, dispatcher.now());
        }
    }

    private void startReadyGroups(Limit where, boolean permitInHand, long time, @Nullable Work work) {
        boolean inHand = permitInHand;
        long now = time;
        for (; ; ) {
            Competitor saver = where.saver();
            if (saver != null) {
                if (inHand) {
                    where.limiter.release(1);
                    inHand = false;
                }
                now = now == 0 ? dispatcher.now() : now;
                if (!startSaver(where, saver, now, work)) {
                    return; // a thread that releases a permit from now on finds the group
                }
                continue;
            }
            if (!(inHand ? reuseOrRelease(where) : where.limiter.tryTakeQueued(1))) {
                return;
            }
            now = now == 0 ? dispatcher.now() : now;
            Competitor polled = where.readyQueue.poll(now);
            Group next = polled == null ? null : groupOf(polled);
            if (next != null && (next.shares() != null || next.isCostly())) {
                inHand = false;
                endTurn(new Turn(where, next, 1, now), work);
                continue;
            }
            Start start = next == null ? Start.NONE : startPolled(next, now);
            inHand = start == Start.FAILED;
            if (next != null && start != Start.STARTED) {
                lendFor(next); // this thread had a permit of the group for a moment
            }
            if (start == Start.NONE) {
                if (where.isGlobal()) {
                    putBack(where.limiter, 1);
                } else {
                    where.limiter.putBack(1);
                }
                if (next == null && where.readyQueue.isEmpty()) {
                    return; // a thread that adds a group from now on sees the permit that was put back
                }
            }
        }
    }

    /** Whether the permit in hand is for a queued task; if not, it is released. */
    private boolean reuseOrRelease(Limit where) {
        Limiter g = where.limiter;
        long before = g.reuseOrRelease();
        boolean reused = Limiter.isReused(before);
        if (!reused && leases != null && (Limiter.isOver(before) || g.isIdle())) {
            leases.releasedInTotal();
        }
        return reused;
    }

    /** Ends the poll in any case: the timer, which is told of retired groups, may throw. */
    private Start startPolled(Group group, long now) {
        try {
            return startNext(group, now);
        } finally {
            readyQueue.endPoll();
        }
    }

    /** With the group polled and a global permit in hand: starts one task of the group if it can. Of a group without shared limits and costly tasks. */
    private Start startNext(Group group, long now) {
        for (; ; ) {
            if (leaveUnlessStartable(global(), group, now, null)) {
                return Start.NONE;
            }
            long s = group.state;
            if (isReady(s) && group.casState(s, s - ONE_PERMIT - ONE_QUEUED)) { // else another look at the lease
                KernelTask<?> task = group.pollQueue();
                if (task == null) {
                    putBackAndLeave(group, now);
                    return Start.NONE;
                }
                readyQueue.started(group, now);
                limiter().started(now);
                if (!leaveUnlessStartable(global(), group, now, null)) {
                    addToReadyQueue(global(), group, now, false);
                }
                readyQueue.endPoll(); // before the start, which may take a while
                boolean started = task.cost() == 1 && group.start(task, now);
                group.wantIfShort(); // it may have left the ready queue because no permit is left
                if (started) {
                    return Start.STARTED;
                }
                if (chargesTime()) {
                    readyQueue.completed(group, now, now);
                }
                if (task.cost() > 1) {
                    group.requeue(task); // a first costly task, which was queued after the check
                }
                group.returned(returnGroupPermit(group, 1, now, null));
                return Start.FAILED;
            }
        }
    }

    // ---- the turn of a group with shared limits or costly tasks --------------------------------------------------

    /**
     * Tries to start the group that permits are saved for. False if there are too few; otherwise the caller looks at the limit again.
     *
     * <p>If the lease of that group ends, no thread comes here for that. Other groups then wait until permits are released here, or another group is added: they would have waited for that too if the
     * lease had not ended, because the permits that are missing are in use.
     */
    private boolean startSaver(Limit where, Competitor saver, long now, @Nullable Work work) {
        Group group = groupOf(saver);
        int cost = group.firstCost();
        if (!(where.isGlobal() ? where.limiter.tryTakeQueued(cost) : where.limiter.tryAcquire(cost))) {
            return !group.canStart(group.state) && endSaving(where, saver, work, now);
        }
        if (!where.tryEndSaving(saver)) {
            where.putBackForQueued(cost);
            return true;
        }
        endTurn(new Turn(where, group, cost, now), work);
        return true;
    }

    /** The group cannot start a task, whatever this limit has. */
    private boolean endSaving(Limit where, Competitor saver, @Nullable Work work, long now) {
        if (where.tryEndSaving(saver)) {
            Group group = groupOf(saver);
            giveBackKept(group, work);
            if (!leaveUnlessStartable(where, group, now, work)) {
                addToReadyQueue(where, group, now, false);
            }
        }
        return true;
    }

    private void endTurn(Turn turn, @Nullable Work work) {
        Start start;
        try {
            start = take(turn, work);
        } finally {
            turn.at.readyQueue.endPoll();
        }
        Limiter limiter = turn.at.limiter;
        switch (start) {
            case STARTED -> {
                return;
            }
            case FAILED -> hintIfOver(turn.at.isGlobal() ? limiter.release(turn.held) : release(turn));
            case NONE -> {
                if (turn.at.isGlobal()) {
                    putBack(limiter, turn.held);
                } else {
                    limiter.release(turn.held);
                }
            }
            case KEPT -> {
                if (turn.at.isGlobal()) {
                    limiter.enqueue(); // of the task, which is still queued
                }
            }
        }
        lendFor(turn.group); // this thread had permits for a moment
        lendFor(turn.at);
    }

    private static long release(Turn turn) {
        turn.at.limiter.release(turn.held);
        return 0;
    }

    /** With the group polled and permits of one limit in hand: takes the others, and starts the next task of the group. */
    private Start take(Turn turn, @Nullable Work work) {
        Group group = turn.group;
        GroupShares shares = group.shares();
        KeptPermits kept = shares == null ? null : shares.takeKept();
        if (kept != null && kept.has(Objects.requireNonNull(shares).indexOf(turn.at))) {
            endKept(kept, work); // it came here another way than it went
            kept = null;
        }
        for (; ; ) {
            if (leaveUnlessStartable(turn.at, group, turn.now, work)) {
                endKept(kept, work);
                return Start.NONE;
            }
            KernelTask<?> next = group.queue().peek();
            if (next == null) {
                leaveUnlinked(turn, work);
                endKept(kept, work);
                return Start.NONE;
            }
            int cost = next.cost();
            if (kept != null && kept.cost != cost) {
                endKept(kept, work);
                kept = null;
            }
            if (turn.held > cost) {
                turn.at.limiter.release(turn.held - cost);
                turn.held = cost;
            }
            if (turn.held < cost) {
                if (!turn.at.limiter.tryAcquire(cost - turn.held)) {
                    save(turn, kept);
                    return Start.NONE;
                }
                turn.held = cost;
            }
            Limit full = shares == null ? null : takeOthers(turn, shares, cost, kept, work);
            if (full != null) {
                return moveOn(turn, Objects.requireNonNull(shares), full, cost, kept, work);
            }
            if (!group.tryTakeQueued(next, cost)) {
                putBackOthers(
                        turn,
                        cost,
                        kept,
                        Integer.MAX_VALUE,
                        work); // it was withdrawn, or a permit of the group was taken meanwhile
                continue;
            }
            return start(turn, next, cost, kept, work);
        }
    }

    /** With all permits in hand, and the task claimed. */
    private Start start(Turn turn, KernelTask<?> task, int cost, @Nullable KeptPermits kept, @Nullable Work work) {
        Group group = turn.group;
        GroupShares shares = group.shares();
        long now = turn.now;
        turn.at.readyQueue.started(at(turn.at, group), cost, now);
        limiter().started(now);
        if (shares != null) {
            startedElsewhere(turn, shares, cost);
            shares.started();
            if (kept != null) {
                if (kept.has(shares.all().length)) {
                    limiter().dequeue(); // its count was left when the global permits were kept
                }
                kept.awaited().endAwait();
                end(kept, shares);
            }
        }
        if (!leaveUnlessStartable(turn.at, group, now, work)) {
            addToReadyQueue(turn.at, group, now, false);
        }
        turn.at.readyQueue.endPoll(); // before the start, which may take a while
        boolean started = group.start(task, now);
        group.wantIfShort();
        if (started) {
            return Start.STARTED;
        }
        if (chargesTime()) {
            completed(group, now, now);
        }
        if (shares != null) {
            for (int i = 0; i <= shares.all().length; i++) {
                Limit other = limit(shares, i);
                if (other != turn.at) {
                    other.limiter.release(cost);
                    addTo(work, other);
                }
            }
        }
        group.returned(returnGroupPermit(group, cost, now, work));
        return Start.FAILED;
    }

    private void startedElsewhere(Turn turn, GroupShares shares, int cost) {
        for (int i = 0; i <= shares.all().length; i++) {
            Limit other = limit(shares, i);
            if (other != turn.at) {
                if (chargesTime()) {
                    other.readyQueue.startedByForce(at(other, turn.group), turn.now);
                } else {
                    other.readyQueue.startedElsewhere(at(other, turn.group), cost);
                }
            }
        }
    }

    private Limit limit(GroupShares shares, int number) {
        return number < shares.all().length ? shares.all()[number].limit : global();
    }

    private static void addTo(@Nullable Work work, @Nullable Limit limit) {
        if (work != null) {
            work.add(limit);
        }
    }

    /** Takes permits of the other limits of the group, except those that it keeps. Returns the one that is full; then none was taken. */
    private @Nullable Limit takeOthers(
            Turn turn, GroupShares shares, int cost, @Nullable KeptPermits kept, @Nullable Work work) {
        for (int i = 0; i <= shares.all().length; i++) {
            Limit other = limit(shares, i);
            if (other != turn.at && !(kept != null && kept.has(i)) && !other.tryTakeForQueued(cost)) {
                putBackOthers(turn, cost, kept, i, work);
                return other;
            }
        }
        return null;
    }

    /** @param end before which limits were taken, by number */
    private void putBackOthers(Turn turn, int cost, @Nullable KeptPermits kept, int end, @Nullable Work work) {
        GroupShares shares = turn.group.shares();
        for (int i = 0; shares != null && i <= shares.all().length && i < end; i++) {
            Limit other = limit(shares, i);
            if (other != turn.at && !(kept != null && kept.has(i))) {
                other.putBackForQueued(cost);
                addTo(work, other); // a group that came meanwhile has not found the permits
            }
        }
    }

    /** The task that was counted is not linked yet: leaves, or it would be polled again and again. */
    private void leaveUnlinked(Turn turn, @Nullable Work work) {
        Group group = turn.group;
        turn.at.readyQueue.left(at(turn.at, group), false);
        HotFields.STATE.getAndBitwiseAnd(group, ~READY_QUEUED);
        if (group.queue().isEmpty()) {
            group.retireIfDone(); // a submitter that links a task from now on finds the group in no ready queue
        } else {
            addTo(work, joinReadyQueue(group, turn.now));
        }
    }

    /** The limit has too few permits for the next task of the group, whose turn it is: it saves them up. */
    private void save(Turn turn, @Nullable KeptPermits kept) {
        GroupShares shares = turn.group.shares();
        if (kept != null) {
            Objects.requireNonNull(shares).keep(kept);
        }
        Competitor competitor = at(turn.at, turn.group);
        turn.at.readyQueue.left(competitor, false);
        if (shares != null) {
            shares.setWaitsAt(turn.at);
        }
        if (turn.at.trySave(competitor)) {
            if (!turn.at.isGlobal()) {
                turn.at.wantIfShort();
            } else if (leases != null && lacksLeased()) {
                leases.wantInTotal();
            }
        } else {
            addToReadyQueue(turn.at, turn.group, turn.now, false);
        }
    }

    /** Another limit is full: the group waits there. It keeps its turn here, and the permits too if {@link #PATIENCE} or {@link #MUCH_FASTER} allows it. */
    private Start moveOn(
            Turn turn, GroupShares shares, Limit full, int cost, @Nullable KeptPermits inHand, @Nullable Work work) {
        turn.at.readyQueue.left(at(turn.at, turn.group), false);
        long pace = shares.turnInVain(turn.at, full, global());
        boolean keeps = false;
        KeptPermits kept = inHand;
        if (kept != null) {
            keeps = tryKeepMore(kept, turn, shares);
            if (!full.tryAwait(false)) {
                end(kept, shares);
                giveBack(kept, work);
                kept = null;
            } else {
                kept.setAwaited(full);
            }
        } else if (pace >= MUCH_FASTER || (pace >= 1 && shares.turnsInVain() > PATIENCE)) {
            kept = tryKeep(turn, shares, full, cost, pace < MUCH_FASTER);
            keeps = kept != null;
        }
        if (kept != null) {
            shares.keep(kept);
        }
        addToReadyQueue(full, turn.group, turn.now, kept != null);
        addTo(work, full);
        return keeps ? Start.KEPT : Start.NONE;
    }

    // ---- kept permits --------------------------------------------------------------------------------------------

    /** The group keeps the permits of its turn while it waits for the full limit. Returns nothing if it may not. */
    private @Nullable KeptPermits tryKeep(Turn turn, GroupShares shares, Limit full, int cost, boolean costly) {
        if (!turn.at.tryKeep(cost)) {
            return null;
        }
        if (!full.tryAwait(costly)) {
            turn.at.endKeep(cost);
            return null;
        }
        KeptPermits kept = new KeptPermits(turn.group, cost, full, this::keptTooLong);
        kept.add(shares.indexOf(turn.at));
        try {
            dispatcher.timer().start(kept, MAX_KEEP_NANOS);
        } catch (Throwable fault) { // there is no thread for the timer
            turn.at.endKeep(cost);
            full.endAwait();
            return null;
        }
        return kept;
    }

    /** A group that has waited here with permits of other limits keeps those of this one too, if no other group waits here in the same way. */
    private static boolean tryKeepMore(KeptPermits kept, Turn turn, GroupShares shares) {
        kept.awaited().endAwait();
        if (!turn.at.tryKeep(kept.cost)) {
            return false;
        }
        kept.add(shares.indexOf(turn.at));
        return true;
    }

    /** With the permits in hand: they are used, or given back by the caller. */
    private void end(KeptPermits kept, GroupShares shares) {
        kept.end();
        dispatcher.timer().cancel(kept);
        noLongerKept(kept, shares);
    }

    private void noLongerKept(KeptPermits kept, GroupShares shares) {
        for (int i = 0; i <= shares.all().length; i++) {
            if (kept.has(i)) {
                limit(shares, i).endKeep(kept.cost);
            }
        }
    }

    private void endKept(@Nullable KeptPermits kept, @Nullable Work work) {
        if (kept != null) {
            kept.awaited().endAwait();
            end(kept, Objects.requireNonNull(kept.group.shares()));
            giveBack(kept, work);
        }
    }

    private void giveBackKept(Group group, @Nullable Work work) {
        GroupShares shares = group.shares();
        endKept(shares == null ? null : shares.takeKept(), work);
    }

    /** The time is over, while the group waits. */
    private void keptTooLong(KeptPermits kept) {
        kept.awaited().endAwait();
        noLongerKept(kept, Objects.requireNonNull(kept.group.shares()));
        Work work = new Work();
        giveBack(kept, work);
        for (Limit limit = work.poll(); limit != null; limit = work.poll()) {
            dispatch(limit, false, 0);
            lendFor(limit);
        }
    }

    /** How many permits of the global limit are kept. */
    int keptGlobalPermits() {
        Limit g = global;
        return g == null ? 0 : g.keptPermits();
    }

    private void giveBack(KeptPermits kept, @Nullable Work work) {
        GroupShares shares = Objects.requireNonNull(kept.group.shares());
        for (int i = 0; i <= shares.all().length; i++) {
            if (kept.has(i)) {
                Limit limit = limit(shares, i);
                limit.limiter.release(kept.cost);
                addTo(work, limit);
            }
        }
    }

    // ---- the global limit ----------------------------------------------------------------------------------------

    /**
     * Changes the limit, or sets one where there was none: then a closed limiter takes over group after group, and opens when it has them
     * all, so that at no instant more tasks run than {@code limit} and those that ran before.
     */
    void setLimit(int newLimit, Supplier<Collection<Group>> registered) {
        limit = newLimit;
        applyLimit(registered);
        if (leases != null && lacksLeased()) {
            leases.wantInTotal();
        }
    }

    /**
     * Applies the number of leased permits, which is another bound on the limit.
     *
     * @return how many permits are in use, read after the change; 0 if there is no limit
     */
    int leasedChanged(Supplier<Collection<Group>> registered) {
        return global == null && effectiveLimit() == Integer.MAX_VALUE ? 0 : applyLimit(registered);
    }

    private int applyLimit(Supplier<Collection<Group>> registered) {
        Limit g = limitAllGroups(registered);
        int inUse = g.limiter.resize(this::effectiveLimit);
        if (leases != null) {
            leases.reportFault();
        }
        limitChanged(g);
        return inUse;
    }

    /** A limit has changed: starts what it has room for. */
    void limitChanged(Limit changed) {
        dispatch(changed, false, dispatcher.now());
        dispatcher.startCostly(); // a task that cost more than the limit is in no ready queue
        wakeSubmitters();
    }

    /**
     * The leased permits of a shared limit have changed, and are applied: starts what it has room for.
     *
     * @param resized whether the limit itself has changed too
     */
    void sharedLeasedChanged(Limit changed, boolean resized) {
        if (resized) {
            limitChanged(changed);
        } else {
            dispatch(changed, false, dispatcher.now());
            lendFor(changed);
        }
    }

    /** Puts every group under a global limit, if none is: from then on, tasks may cost more than one permit. */
    void limitForCosts(Supplier<Collection<Group>> registered) {
        Limit g = global;
        if (g == null || !g.limiter.isOpen()) {
            applyLimit(registered);
        }
    }

    private int effectiveLimit() {
        return leases == null ? limit : Math.min(limit, Math.max(0, leases.leasedInTotal()));
    }

    /** Whether a task would not have to wait for a global permit. */
    boolean hasFreePermits() {
        Limit g = global;
        return g == null || !g.limiter.isExhausted();
    }

    /** Whether no global permit is free, or too few for a task that they are saved for, and there would be more if more were leased. */
    boolean lacksLeased() {
        Limit g = global;
        return g != null
                && (g.limiter.isExhausted() || g.saver() != null)
                && leases != null
                && leases.leasedInTotal() < limit();
    }

    /** Changes how many tasks may be queued beyond the free permits. A limiter that is made later gets the same number. */
    void setQueueThreshold(int threshold) {
        synchronized (this) {
            queueThreshold = threshold;
            Limit g = global;
            if (g != null) {
                g.limiter.setQueueThreshold(threshold);
            }
        }
        wakeSubmitters();
    }

    int queueThreshold() {
        return queueThreshold;
    }

    private void wakeSubmitters() {
        SubmitterQueue submitters = dispatcher.submitterQueue();
        if (submitters != null) {
            submitters.wakeAll();
        }
        Lending lending = dispatcher.lendingOrNull();
        if (lending != null) {
            lending.lendAgain();
        }
    }

    /** Returns when every group is under the limiter. */
    private synchronized Limit limitAllGroups(Supplier<Collection<Group>> registered) {
        Limit g = global;
        if (g == null) {
            g = globalLimit(Limiter.closed(queueThreshold));
            global = g; // groups created from now on see it when they settle; the others are registered
            for (Group group : registered.get()) {
                group.joinGlobalLimit(g.limiter);
            }
        }
        return g;
    }

    void takeOverIfLimited(Group group) {
        Limit g = global;
        if (g != null) {
            group.joinGlobalLimit(g.limiter);
        }
    }

    /** The global limit as it is configured, here and over all JVMs; {@link Integer#MAX_VALUE} if there is none. */
    int limit() {
        Limit g = global;
        return g == null || !g.limiter.isOpen()
                ? Integer.MAX_VALUE
                : leases == null ? limit : Math.min(limit, leases.totalLimit());
    }

    /** Queued tasks that count for the queue threshold; 0 if there is no limit. */
    int queuedBeyondFree() {
        Limit g = global;
        return g == null ? 0 : g.limiter.queuedBeyondFree();
    }

    /** About how long a task that is queued now would wait for a global permit; 0 if that is not known. */
    long estimatedWaitNanos(long now) {
        Limit g = global;
        return g == null ? 0 : g.limiter.estimatedWaitNanos(now);
    }

    /** What the next task costs of the group that {@code limit} saves permits for; 1 if there is none. */
    int savedFor(Limit limit) {
        Competitor saver = limit.saver();
        return saver == null ? 1 : groupOf(saver).firstCost();
    }

    int savedForInTotal() {
        Limit g = global;
        return g == null ? 1 : savedFor(g);
    }

    /** Permits in use under the global limit, also while that changes; 0 if there is none. */
    int inUse() {
        Limit g = global;
        return g == null ? 0 : g.limiter.inUse();
    }

    /** Permits in use under the global limit; -1 if there is none. */
    int inFlight() {
        Limit g = global;
        return g == null ? -1 : g.limiter.inFlight();
    }
}
