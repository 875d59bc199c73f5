package io.github.kobe.internal.kernel;

import static io.github.kobe.internal.kernel.GroupState.GLOBALLY_LIMITED;
import static io.github.kobe.internal.kernel.GroupState.IDLE;
import static io.github.kobe.internal.kernel.GroupState.NOT_ADMITTING;
import static io.github.kobe.internal.kernel.GroupState.ONE_PERMIT;
import static io.github.kobe.internal.kernel.GroupState.ONE_QUEUED;
import static io.github.kobe.internal.kernel.GroupState.READY_QUEUED;
import static io.github.kobe.internal.kernel.GroupState.RETIRED;
import static io.github.kobe.internal.kernel.GroupState.freePermits;
import static io.github.kobe.internal.kernel.GroupState.has;
import static io.github.kobe.internal.kernel.GroupState.isReady;
import static io.github.kobe.internal.kernel.GroupState.queuedTasks;

import java.util.Objects;

/**
 * The places of a group that is GATED: a ticket needs one from the global gate as well.
 *
 * <p>Places are only handed out through the ready queue: whenever a step leaves a group with {@code queued > 0} and {@code free > 0},
 * its thread sees to it that IN_RING is set, adds the group if it was the one to set it, and serves the gate. A gate that comes late
 * takes over, in the step that sets GATED, the places and tickets that the word shows then; from then on every step that moves one
 * moves it in the gate too.
 */
abstract class UnderGate extends Starting {

    UnderGate(String key, GroupLimits limits, Dispatcher dispatcher, TaskRunner runner, long flags) {
        super(key, limits, dispatcher, runner, flags);
    }

    /** Of one that is GATED. */
    final GlobalLimiter globalLimiter() {
        return Objects.requireNonNull(dispatcher.globalLimiter());
    }

    // ---- a ticket comes ------------------------------------------------------------------------------------------

    /** Starts the ticket if it is let in and need not wait. */
    final boolean tryStartGloballyLimited(KernelTask<?> ticket, GlobalLimiter g) {
        boolean held = false;
        for (; ; ) {
            long w = state;
            boolean direct = !has(w, NOT_ADMITTING) && freePermits(w) > 0 && queuedTasks(w) <= 0;
            if (!direct || !(held || g.tryAcquire())) {
                if (held) {
                    dispatcher.dispatch(g, true, now());
                }
                return false;
            }
            held = true;
            if (casState(w, (w & ~IDLE) - ONE_PERMIT)) {
                return startDirectly(ticket, g);
            }
        }
    }

    /**
     * With both places in hand: starts a ticket that did not wait. If time is charged, it starts now, unless the global place is held
     * back from the group; else when its thread looks at the clock.
     */
    private boolean startDirectly(KernelTask<?> ticket, GlobalLimiter g) {
        long now = 0;
        if (dispatcher.readyQueue().chargesTime()) {
            now = now();
            if (!dispatcher.readyQueue().startedDirectly(asGroup(), now)) {
                returnPermit(now);
                dispatcher.dispatch(g, true, now);
                return false;
            }
        }
        countAdmitted(ticket); // before it can end, and the group retire
        startOrRelease(ticket, now);
        return true;
    }

    // ---- a place comes free --------------------------------------------------------------------------------------

    final void releaseGloballyLimited(long start, long now) {
        if (dispatcher.readyQueue().chargesTime()) {
            dispatcher.readyQueue().completed(asGroup(), start, now);
        }
        returnPermit(now);
        dispatcher.dispatch(globalLimiter(), true, now);
    }

    /** Gives back the group's place; the caller serves the gate next. */
    private void returnPermit(long now) {
        long w = (long) STATE.getAndAdd(this, ONE_PERMIT) + ONE_PERMIT;
        joinReadyQueue(now);
        retireIfDone(w);
        signalSubmitters();
    }

    // ---- the ready queue -----------------------------------------------------------------------------------------

    /** What a group that was next in the ready queue had to offer. */
    enum Offer {
        /** A ticket was started on the server's place. */
        STARTED,
        /** Nothing: the server keeps its place and the ticket that it was to find. */
        NOTHING,
        /** A ticket that no thread could be had for; it is gone, and the place is still the server's. */
        SPENT
    }

    /** The server polled this group, which is in its hands now, and holds a global place: starts one ticket on it if it can. */
    Offer startNext(long now) {
        for (; ; ) {
            long w = state;
            if (!isReady(w)) {
                if (leaveReadyQueueIfNotReady()) {
                    return Offer.NOTHING;
                }
            } else if (casState(w, w - ONE_PERMIT - ONE_QUEUED)) {
                KernelTask<?> ticket = pollQueue();
                if (ticket == null) {
                    putBackAndLeaveReadyQueue(now);
                    return Offer.NOTHING;
                }
                dispatcher.readyQueue().started(asGroup(), now);
                if (!leaveReadyQueueIfNotReady()) {
                    addToReadyQueue(now);
                }
                if (start(ticket, now)) {
                    return Offer.STARTED;
                }
                if (dispatcher.readyQueue().chargesTime()) {
                    dispatcher.readyQueue().completed(asGroup(), now, now);
                }
                returnPermit(now);
                return Offer.SPENT;
            }
        }
    }

    /** In the server's hands, with nothing linked. Out of the ring, or it would be polled again and again until there is. */
    private void putBackAndLeaveReadyQueue(long now) {
        dispatcher.readyQueue().left(asGroup(), false);
        for (; ; ) {
            long w = state;
            if (casState(w, (w + ONE_PERMIT + ONE_QUEUED) & ~READY_QUEUED)) {
                break;
            }
        }
        if (queue().isEmpty()) {
            retireIfDone(state); // whoever links one from now on sees what was put back
        } else {
            joinReadyQueue(now);
        }
    }

    /** With the group in hand: true if it has no business in the ready queue, and is now out of it. */
    boolean leaveReadyQueueIfNotReady() {
        for (; ; ) {
            long w = state;
            if (isReady(w)) {
                return false;
            }
            dispatcher.readyQueue().left(asGroup(), queuedTasks(w) <= 0);
            if (casState(w, w & ~READY_QUEUED)) {
                retireIfDone(w & ~READY_QUEUED);
                return true;
            }
        }
    }

    /**
     * The group may have become ready. It may also have been in the ready queue all along, left there by tickets that were
     * cancelled, with nobody under way to serve it; so the gate is served in either case.
     */
    final void startQueuedGloballyLimited(long since) {
        if (isReady(state) && joinReadyQueue(orNow(since))) {
            dispatcher.dispatch(globalLimiter(), false, 0);
        }
    }

    /** Puts the group into the ready queue if it is ready and not there. False if it is not ready. */
    private boolean joinReadyQueue(long now) {
        for (; ; ) {
            long w = state;
            if (!isReady(w)) {
                return false;
            }
            if (has(w, READY_QUEUED)) {
                return true;
            }
            if (casState(w, w | READY_QUEUED)) {
                addToReadyQueue(now);
                return true;
            }
        }
    }

    /** It may have retired before it is there to be found; then it is looked for again. */
    private void addToReadyQueue(long now) {
        dispatcher.readyQueue().add(asGroup(), now);
        if (has(state, RETIRED)) {
            dispatcher.retiredInReadyQueue();
        }
    }

    /** There is a gate now: it takes over what the group has. Nothing starts through it before the caller opens it. */
    void joinGlobalLimit(GlobalLimiter g) {
        synchronized (this) {
            for (; ; ) {
                long w = state;
                if (has(w, GLOBALLY_LIMITED | RETIRED)) {
                    return;
                }
                if (casStateNoBackOff(w, w | GLOBALLY_LIMITED)) {
                    g.takeOver(limits.effectiveLimit() - freePermits(w), queuedTasks(w));
                    return;
                }
            }
        }
    }
}
