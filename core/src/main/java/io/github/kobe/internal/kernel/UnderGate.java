package io.github.kobe.internal.kernel;

import static io.github.kobe.internal.kernel.GroupState.BARRED;
import static io.github.kobe.internal.kernel.GroupState.GATED;
import static io.github.kobe.internal.kernel.GroupState.IN_RING;
import static io.github.kobe.internal.kernel.GroupState.PLACE;
import static io.github.kobe.internal.kernel.GroupState.QUIET;
import static io.github.kobe.internal.kernel.GroupState.RETIRED;
import static io.github.kobe.internal.kernel.GroupState.TICKET;
import static io.github.kobe.internal.kernel.GroupState.free;
import static io.github.kobe.internal.kernel.GroupState.has;
import static io.github.kobe.internal.kernel.GroupState.isReady;
import static io.github.kobe.internal.kernel.GroupState.waiting;

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
    final GlobalLimiter gate() {
        return Objects.requireNonNull(dispatcher.gate());
    }

    // ---- a ticket comes ------------------------------------------------------------------------------------------

    /** Starts the ticket if it is let in and need not wait. */
    final boolean tryStartGated(KernelTask<?> ticket, GlobalLimiter g) {
        boolean held = false;
        for (; ; ) {
            long w = word;
            boolean direct = !has(w, BARRED) && free(w) > 0 && waiting(w) <= 0;
            if (!direct || !(held || g.tryPlace())) {
                if (held) {
                    dispatcher.serve(g, true, now());
                }
                return false;
            }
            held = true;
            if (swap(w, (w & ~QUIET) - PLACE)) {
                return startAtOnce(ticket, g);
            }
        }
    }

    /**
     * With both places in hand: starts a ticket that did not wait. If time is charged, it starts now, unless the global place is held
     * back from the group; else when its thread looks at the clock.
     */
    private boolean startAtOnce(KernelTask<?> ticket, GlobalLimiter g) {
        long now = 0;
        if (dispatcher.ready().keepsTime()) {
            now = now();
            if (!dispatcher.ready().startedAtOnce(asGroup(), now)) {
                returnPlace(now);
                dispatcher.serve(g, true, now);
                return false;
            }
        }
        countIn(ticket); // before it can end, and the group retire
        startOrRelease(ticket, now);
        return true;
    }

    // ---- a place comes free --------------------------------------------------------------------------------------

    final void releaseGated(long start, long now) {
        if (dispatcher.ready().keepsTime()) {
            dispatcher.ready().ended(asGroup(), start, now);
        }
        returnPlace(now);
        dispatcher.serve(gate(), true, now);
    }

    /** Gives back the group's place; the caller serves the gate next. */
    private void returnPlace(long now) {
        long w = (long) WORD.getAndAdd(this, PLACE) + PLACE;
        joinRing(now);
        retireIfDone(w);
        roomMade();
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
    Offer offer(long now) {
        for (; ; ) {
            long w = word;
            if (!isReady(w)) {
                if (leavesRing()) {
                    return Offer.NOTHING;
                }
            } else if (swap(w, w - PLACE - TICKET)) {
                KernelTask<?> ticket = takeFront();
                if (ticket == null) {
                    putBackAndLeaveRing(now);
                    return Offer.NOTHING;
                }
                dispatcher.ready().served(asGroup(), now);
                if (!leavesRing()) {
                    addToRing(now);
                }
                if (start(ticket, now)) {
                    return Offer.STARTED;
                }
                if (dispatcher.ready().keepsTime()) {
                    dispatcher.ready().ended(asGroup(), now, now);
                }
                returnPlace(now);
                return Offer.SPENT;
            }
        }
    }

    /** In the server's hands, with nothing linked. Out of the ring, or it would be polled again and again until there is. */
    private void putBackAndLeaveRing(long now) {
        dispatcher.ready().leaves(asGroup(), false);
        for (; ; ) {
            long w = word;
            if (swap(w, (w + PLACE + TICKET) & ~IN_RING)) {
                break;
            }
        }
        if (line().isEmpty()) {
            retireIfDone(word); // whoever links one from now on sees what was put back
        } else {
            joinRing(now);
        }
    }

    /** With the group in hand: true if it has no business in the ready queue, and is now out of it. */
    boolean leavesRing() {
        for (; ; ) {
            long w = word;
            if (isReady(w)) {
                return false;
            }
            dispatcher.ready().leaves(asGroup(), waiting(w) <= 0);
            if (swap(w, w & ~IN_RING)) {
                retireIfDone(w & ~IN_RING);
                return true;
            }
        }
    }

    /**
     * The group may have become ready. It may also have been in the ready queue all along, left there by tickets that were
     * cancelled, with nobody under way to serve it; so the gate is served in either case.
     */
    final void fillGated(long since) {
        if (isReady(word) && joinRing(orNow(since))) {
            dispatcher.serve(gate(), false, 0);
        }
    }

    /** Puts the group into the ready queue if it is ready and not there. False if it is not ready. */
    private boolean joinRing(long now) {
        for (; ; ) {
            long w = word;
            if (!isReady(w)) {
                return false;
            }
            if (has(w, IN_RING)) {
                return true;
            }
            if (swap(w, w | IN_RING)) {
                addToRing(now);
                return true;
            }
        }
    }

    /** It may have retired before it is there to be found; then it is looked for again. */
    private void addToRing(long now) {
        dispatcher.ready().add(asGroup(), now);
        if (has(word, RETIRED)) {
            dispatcher.strayed();
        }
    }

    /** There is a gate now: it takes over what the group has. Nothing starts through it before the caller opens it. */
    void joinGate(GlobalLimiter g) {
        synchronized (this) {
            for (; ; ) {
                long w = word;
                if (has(w, GATED | RETIRED)) {
                    return;
                }
                if (swapAtOnce(w, w | GATED)) {
                    g.takeOver(limits.cap() - free(w), waiting(w));
                    return;
                }
            }
        }
    }
}
