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

import io.github.kobe.internal.fair.ReadyQueue;
import java.util.Collection;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Everything that happens only under a global limit: a task needs a permit of its group and one of the {@link GlobalLimiter}.
 *
 * <p><b>Queued tasks start through the ready queue only.</b> Whenever a step leaves a group with queued tasks and free permits, its thread
 * makes sure that READY_QUEUED is set, adds the group if it was the one to set the flag, and dispatches. A dispatching thread takes a global
 * permit and a count of a queued task, polls the ready queue, and starts one task of the group that is next.
 *
 * <p><b>No wake-up is lost.</b> A dispatching thread that took a permit and found no ready group puts the permit back, and then checks the
 * ready queue again. A thread that makes a group ready adds the group, and then tries to take a permit. One of the two sees the other.
 *
 * <p><b>A limit that is set later</b> takes over, in the step that sets GLOBALLY_LIMITED, the permits and the queued tasks that the state
 * of each group shows. From then on every step that moves one of them in a group moves it in the limiter too.
 */
final class GlobalScheduler {

    private final ReadyQueue readyQueue;
    private final Dispatcher dispatcher;
    private final @Nullable LeaseControl leases;
    private volatile int limit; // of this JVM; the limiter has less if fewer permits are leased
    private volatile int queueThreshold; // written under the monitor
    private volatile @Nullable GlobalLimiter limiter; // written under the monitor, once

    /** Whether a polled group had a task to start. */
    private enum Start {
        /** A task was started with the dispatching thread's permit. */
        STARTED,
        /** There was none: the thread keeps its permit and the count of the task that it looked for. */
        NONE,
        /** There was no thread for the task. The task has completed, and the permit is still the dispatching thread's. */
        FAILED
    }

    GlobalScheduler(ReadyQueue readyQueue, int limit, int queueThreshold, Dispatcher dispatcher) {
        this.readyQueue = readyQueue;
        this.queueThreshold = queueThreshold;
        this.dispatcher = dispatcher;
        this.leases = dispatcher.leases();
        this.limit = limit;
        // a ready queue that charges time sees every start, so it needs a limiter even if that never binds
        int effective = effectiveLimit();
        boolean limited = effective != Integer.MAX_VALUE || readyQueue.chargesTime();
        this.limiter = limited ? new GlobalLimiter(effective, queueThreshold) : null;
        readyQueue.onCapacity(this::dispatchAgain);
    }

    ReadyQueue readyQueue() {
        return readyQueue;
    }

    /** Whether the time for which permits are held is charged to groups. */
    boolean chargesTime() {
        return readyQueue.chargesTime();
    }

    /** Whether there is a global limit. */
    boolean isLimited() {
        return limiter != null;
    }

    /** Of a group that is GLOBALLY_LIMITED. */
    GlobalLimiter limiter() {
        return Objects.requireNonNull(limiter);
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
        GlobalLimiter g = limiter();
        boolean acquired = false;
        for (; ; ) {
            long s = group.state;
            boolean direct = !has(s, refusing) && freePermits(s) > 0 && queuedTasks(s) <= 0 && group.mayStart();
            if (!direct || !(acquired || g.tryAcquire())) {
                if (acquired) {
                    dispatch(true, dispatcher.now());
                }
                return false;
            }
            acquired = true;
            if (group.casState(s, (s & ~IDLE) - ONE_PERMIT)) {
                return startDirectly(group, task);
            }
        }
    }

    /**
     * With both permits in hand: starts a task that was not queued. If time is charged, the task starts now, unless the ready queue holds
     * the global permit back from the group; else it starts when its thread reads the clock.
     */
    private boolean startDirectly(Group group, KernelTask<?> task) {
        long now = 0;
        if (chargesTime()) {
            now = dispatcher.now();
            if (!readyQueue.startedDirectly(group, now)) {
                long before = returnGroupPermit(group, now);
                dispatch(true, now);
                group.returned(before);
                return false;
            }
        }
        limiter().started(now);
        group.countAdmitted(task);
        group.startOrRelease(task, now);
        return true;
    }

    // ---- a permit is released ------------------------------------------------------------------------------------

    void release(Group group, long start, long now) {
        if (chargesTime()) {
            readyQueue.completed(group, start, now);
        }
        if (start != 0) {
            limiter().ran(now - start);
        }
        long before = returnGroupPermit(group, now);
        dispatch(true, now);
        lendFor(group);
        group.returned(before);
    }

    /**
     * The caller dispatches next, with the global permit.
     *
     * @return the state of the group before
     */
    private long returnGroupPermit(Group group, long now) {
        long before = (long) HotFields.STATE.getAndAdd(group, ONE_PERMIT);
        joinReadyQueue(group, now);
        group.retireIfDone(before + ONE_PERMIT);
        group.signalSubmitters();
        return before;
    }

    /** A thread took a count and a permit of a group, found nothing linked, and has put both back in the group. */
    void putBack() {
        putBack(limiter());
        dispatch(false, dispatcher.now());
    }

    private void putBack(GlobalLimiter g) {
        long before = g.putBack();
        if (leases != null && GlobalLimiter.isOver(before)) {
            leases.releasedInTotal();
        }
    }

    // ---- lent and shared permits ---------------------------------------------------------------------------------

    /** The group may have a free permit: a wait that would lend a global permit to a task of it is told. */
    private void lendFor(Group group) {
        Lending lending = dispatcher.lendingOrNull();
        if (lending != null) {
            lending.permitFreed(group);
        }
    }

    /** A task that had a permit of its group, and a global one that belongs to another holder, is off its thread. */
    void releaseGroupPermit(Group group, long start, long time) {
        long now = time == 0 ? dispatcher.now() : time;
        if (chargesTime()) {
            readyQueue.completed(group, start == 0 ? now : start, now);
            readyQueue.sharedPermitsChanged(-1);
        }
        long before = returnGroupPermit(group, now);
        dispatch(false, now);
        lendFor(group);
        group.returned(before);
    }

    /** As {@link #releaseGroupPermit}, if nothing was started. */
    void returnGroupPermit(Group group) {
        long before = returnGroupPermit(group, dispatcher.now());
        dispatch(false, 0);
        lendFor(group);
        group.returned(before);
    }

    /** Takes a global permit whether one is free or not. */
    void takeGlobalByForce() {
        limiter().takeByForce();
    }

    /** Takes a global permit in place of one that is lent. So the borrower has that one for itself. */
    void replaceGlobalByForce() {
        takeGlobalByForce();
        sharedPermitsChanged(-1);
    }

    /** Undoes {@link #replaceGlobalByForce}. */
    void undoReplaceGlobal(long now) {
        sharedPermitsChanged(1);
        dispatch(true, now);
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

    /** A task of the group runs on a permit that the ready queue was not asked for. */
    void startedByForce(Group group, long now) {
        if (chargesTime()) {
            readyQueue.startedByForce(group, now);
        }
    }

    // ---- the ready queue -----------------------------------------------------------------------------------------

    /**
     * The group may have become ready. It may also have been in the ready queue all along, left there by cancelled tasks, with no thread
     * about to dispatch. So this dispatches in either case.
     *
     * @param readySince when the group may have become ready; 0 for now
     */
    void startQueued(Group group, long readySince) {
        if (isReady(group.state)) {
            joinReadyQueue(group, readySince == 0 ? dispatcher.now() : readySince);
            dispatch(false, 0);
            lendFor(group);
        }
    }

    /**
     * Adds the group to the ready queue if it is ready, its lease is valid, and it is not there. The caller dispatches next, see
     * {@link ReadyQueue#beginAdd}.
     */
    private void joinReadyQueue(Group group, long now) {
        for (; ; ) {
            long s = group.state;
            if (!isReady(s) || has(s, READY_QUEUED) || !group.mayStart()) {
                return;
            }
            boolean announced = readyQueue.beginAdd();
            try {
                if (group.casState(s, s | READY_QUEUED)) {
                    addToReadyQueue(group, now);
                    return;
                }
            } finally {
                if (announced) {
                    readyQueue.endAdd();
                }
            }
        }
    }

    /** If the group retired before it could be found there, a sweep removes it. */
    private void addToReadyQueue(Group group, long now) {
        readyQueue.add(group, now);
        if (has(group.state, RETIRED)) {
            dispatcher.pruneReadyQueueLater();
        }
    }

    /** With the group polled: takes it out of the ready queue and returns true, unless it is ready and its lease is valid. */
    private boolean leaveUnlessStartable(Group group, long now) {
        for (; ; ) {
            long s = group.state;
            if (!isReady(s)) {
                if (leaveIfNotReady(group)) {
                    return true;
                }
            } else if (group.mayStart()) {
                return false;
            } else {
                readyQueue.left(group, false);
                if (group.casState(s, s & ~READY_QUEUED)) {
                    joinReadyQueue(group, now); // a renewal that came while READY_QUEUED was set has not added it
                    return true;
                }
            }
        }
    }

    /** With the group polled: takes it out of the ready queue and returns true, unless it is ready. */
    private boolean leaveIfNotReady(Group group) {
        for (; ; ) {
            long s = group.state;
            if (isReady(s)) {
                return false;
            }
            readyQueue.left(group, queuedTasks(s) <= 0);
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
        if (limiter != null) {
            readyQueue.removeIf(group -> leaveIfNotReady((Group) group));
            dispatch(false, dispatcher.now()); // a permit may have become free while the groups were taken out
        }
    }

    // ---- dispatch ------------------------------------------------------------------------------------------------

    /**
     * Starts tasks of the groups that are next while there are global permits. Then signals blocked submitters, one of which may have
     * tried while this thread held a permit.
     *
     * @param permitInHand whether the caller brings a permit
     * @param now the time, not before any of the free permits was released; 0 to read the clock if there is one
     */
    private void dispatch(boolean permitInHand, long now) {
        startReadyGroups(limiter(), permitInHand, now);
        SubmitterQueue submitters = dispatcher.submitterQueue();
        if (submitters != null) {
            submitters.signalGlobal();
        }
    }

    /** The ready queue does not hold free permits back any longer. */
    private void dispatchAgain() {
        if (limiter != null) {
            dispatch(false, dispatcher.now());
        }
    }

    private void startReadyGroups(GlobalLimiter g, boolean permitInHand, long time) {
        boolean inHand = permitInHand;
        long now = time;
        while (inHand ? reuseOrRelease(g) : g.tryTakeQueued()) {
            now = now == 0 ? dispatcher.now() : now;
            Group next = (Group) readyQueue.poll(now); // only groups are ever added
            Start start = next == null ? Start.NONE : startPolled(next, now);
            inHand = start == Start.FAILED;
            if (next != null && start != Start.STARTED) {
                lendFor(next); // this thread had a permit of the group for a moment
            }
            if (start == Start.NONE) {
                putBack(g);
                if (next == null && readyQueue.isEmpty()) {
                    return; // a thread that adds a group from now on sees the permit that was put back
                }
            }
        }
    }

    /** Whether the permit in hand is for a queued task; if not, it is released. */
    private boolean reuseOrRelease(GlobalLimiter g) {
        long before = g.reuseOrRelease();
        boolean reused = GlobalLimiter.isReused(before);
        if (!reused && leases != null && (GlobalLimiter.isOver(before) || g.isIdle())) {
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

    /** With the group polled and a global permit in hand: starts one task of the group if it can. */
    private Start startNext(Group group, long now) {
        for (; ; ) {
            if (leaveUnlessStartable(group, now)) {
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
                if (!leaveUnlessStartable(group, now)) {
                    addToReadyQueue(group, now);
                }
                readyQueue.endPoll(); // before the start, which may take a while
                boolean started = group.start(task, now);
                group.wantIfShort(); // it may have left the ready queue because no permit is left
                if (started) {
                    return Start.STARTED;
                }
                if (chargesTime()) {
                    readyQueue.completed(group, now, now);
                }
                group.returned(returnGroupPermit(group, now));
                return Start.FAILED;
            }
        }
    }

    // ---- the limit -----------------------------------------------------------------------------------------------

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
        return limiter == null && effectiveLimit() == Integer.MAX_VALUE ? 0 : applyLimit(registered);
    }

    private int applyLimit(Supplier<Collection<Group>> registered) {
        int inUse = limitAllGroups(registered).resize(this::effectiveLimit);
        if (leases != null) {
            leases.reportFault();
        }
        dispatch(false, dispatcher.now());
        wakeSubmitters();
        return inUse;
    }

    private int effectiveLimit() {
        return leases == null ? limit : Math.min(limit, Math.max(0, leases.leasedInTotal()));
    }

    /** Whether a task would not have to wait for a global permit. */
    boolean hasFreePermits() {
        GlobalLimiter g = limiter;
        return g == null || !g.isExhausted();
    }

    /** Whether no global permit is free, and there would be one if more were leased. */
    boolean lacksLeased() {
        return !hasFreePermits() && leases != null && leases.leasedInTotal() < limit();
    }

    /** Changes how many tasks may be queued beyond the free permits. A limiter that is made later gets the same number. */
    void setQueueThreshold(int threshold) {
        synchronized (this) {
            queueThreshold = threshold;
            GlobalLimiter g = limiter;
            if (g != null) {
                g.setQueueThreshold(threshold);
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
    private synchronized GlobalLimiter limitAllGroups(Supplier<Collection<Group>> registered) {
        GlobalLimiter g = limiter;
        if (g == null) {
            g = GlobalLimiter.closed(queueThreshold);
            limiter = g; // groups created from now on see it when they settle; the others are registered
            for (Group group : registered.get()) {
                group.joinGlobalLimit(g);
            }
        }
        return g;
    }

    void takeOverIfLimited(Group group) {
        GlobalLimiter g = limiter;
        if (g != null) {
            group.joinGlobalLimit(g);
        }
    }

    /** The global limit as it is configured, here and over all JVMs; {@link Integer#MAX_VALUE} if there is none. */
    int limit() {
        GlobalLimiter g = limiter;
        return g == null || !g.isOpen()
                ? Integer.MAX_VALUE
                : leases == null ? limit : Math.min(limit, leases.totalLimit());
    }

    /** Queued tasks that count for the queue threshold; 0 if there is no limit. */
    int queuedBeyondFree() {
        GlobalLimiter g = limiter;
        return g == null ? 0 : g.queuedBeyondFree();
    }

    /** About how long a task that is queued now would wait for a global permit; 0 if that is not known. */
    long estimatedWaitNanos(long now) {
        GlobalLimiter g = limiter;
        return g == null ? 0 : g.estimatedWaitNanos(now);
    }

    /** Permits in use under the global limit; -1 if there is none. */
    int inFlight() {
        GlobalLimiter g = limiter;
        return g == null ? -1 : g.inFlight();
    }
}
