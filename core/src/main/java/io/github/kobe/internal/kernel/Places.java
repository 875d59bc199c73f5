package io.github.kobe.internal.kernel;

import static io.github.kobe.internal.kernel.GroupState.CLOSED;
import static io.github.kobe.internal.kernel.GroupState.GLOBALLY_LIMITED;
import static io.github.kobe.internal.kernel.GroupState.IDLE;
import static io.github.kobe.internal.kernel.GroupState.NOT_ADMITTING;
import static io.github.kobe.internal.kernel.GroupState.ONE_PERMIT;
import static io.github.kobe.internal.kernel.GroupState.ONE_QUEUED;
import static io.github.kobe.internal.kernel.GroupState.RETIRED;
import static io.github.kobe.internal.kernel.GroupState.UNSETTLED;
import static io.github.kobe.internal.kernel.GroupState.freePermits;
import static io.github.kobe.internal.kernel.GroupState.has;
import static io.github.kobe.internal.kernel.GroupState.isReady;
import static io.github.kobe.internal.kernel.GroupState.queuedTasks;

import io.github.kobe.internal.util.BitMixer;

/**
 * The places of a group: how many of its tickets may start, how many wait, and who is next.
 *
 * <p>Everything that decides is in one {@link GroupState}, so that "take a place, or queue" and "pass my place on, or give it up" are
 * each a single compare-and-set and no wake-up can fall between two of them.
 *
 * <p>A ticket is counted first, which is where it may be refused, and linked second; a taker takes a count and a place first and
 * polls second. So while any ticket is in line, or on its way there, the word shows it, or shows the place of a taker that is
 * after it: a group that looks quiet is quiet. A taker may find nothing linked yet. It then puts back what it took and looks
 * again; a submitter looks at the word after linking: one of the two sees the other, and neither waits. A cancelled ticket stays
 * linked until it is met, and is taken off the count by its canceller; the count is one too low for a moment if a taker has it in
 * hand, which every reader takes for "none".
 *
 * <p>What is different if the group is GATED is in {@link UnderGate}.
 *
 * <p>Limits change, a gate takes over, and a group retires, under the object's monitor: there {@code cap} belongs to the word it is
 * compared with. Nothing on a ticket's way takes it.
 */
abstract class Places extends UnderGate {

    private static final int SHORT_QUEUE = 8;
    private static final int ONE_IN_EIGHT = Long.SIZE - 3;

    Places(String key, GroupLimits limits, Dispatcher dispatcher, TaskRunner runner, long flags) {
        super(key, limits, dispatcher, runner, flags);
    }

    // ---- a ticket comes ------------------------------------------------------------------------------------------

    /** Starts the ticket, or puts it in line, or says why not. */
    Admission admit(KernelTask<?> ticket) {
        ticket.bind(asGroup());
        for (; ; ) {
            long w = state;
            if (has(w, NOT_ADMITTING | GLOBALLY_LIMITED)) {
                return has(w, NOT_ADMITTING) ? refusalFor(w) : admitGloballyLimited(ticket, globalLimiter());
            }
            if (freePermits(w) <= 0 || queuedTasks(w) > 0) {
                return enqueue(ticket, false);
            }
            if (casState(w, (w & ~IDLE) - ONE_PERMIT)) {
                countAdmitted(ticket);
                startOrRelease(ticket, 0);
                return Admission.ADMITTED;
            }
        }
    }

    private Admission admitGloballyLimited(KernelTask<?> ticket, GlobalLimiter g) {
        if (tryStartGloballyLimited(ticket, g)) {
            return Admission.ADMITTED;
        }
        long w = state;
        return has(w, NOT_ADMITTING) ? refusalFor(w) : enqueue(ticket, false);
    }

    private static Admission refusalFor(long w) {
        return has(w, RETIRED)
                ? Admission.RETIRED
                : has(w, CLOSED) ? Admission.CLOSED : has(w, UNSETTLED) ? Admission.UNSETTLED : Admission.STALE;
    }

    /** A ticket that comes again, after a failed attempt: it was let in once, and that holds. If there is room, it starts from the line. */
    void readmit(KernelTask<?> ticket) {
        enqueue(ticket, true);
    }

    /** @param again it was let in before, and is put in line whatever the limits of that are now */
    private Admission enqueue(KernelTask<?> ticket, boolean again) {
        GlobalLimiter entered = null;
        long w;
        for (; ; ) {
            w = state;
            if (!again && (has(w, NOT_ADMITTING) || isFull(w))) {
                if (entered != null) {
                    entered.dequeue();
                    signalSubmitters(); // it may have been in the way of one who looked meanwhile
                }
                return refused(has(w, NOT_ADMITTING) ? refusalFor(w) : Admission.GROUP_QUEUE_FULL);
            }
            if (has(w, GLOBALLY_LIMITED) && entered == null) {
                entered = globalLimiter();
                if (!entered.tryEnqueue(again)) {
                    return refused(isFull(state) ? Admission.GROUP_QUEUE_FULL : Admission.GLOBAL_QUEUE_FULL);
                }
            } else if (casState(w, (w & ~IDLE) + ONE_QUEUED)) {
                break;
            }
        }
        long number = again ? 0 : countAdmitted(ticket);
        long now = needsQueueTime(ticket, w, number) ? now() : 0;
        ticket.enqueued(now, queuedTasks(w));
        queue().add(ticket);
        startQueued(now);
        ticket.checkStopped();
        if (again) {
            ticket.checkDecided();
        }
        return Admission.ADMITTED;
    }

    /**
     * Whether to look at the clock for a ticket that is put in line. Of those in a long line, unless somebody wants to know about each,
     * about every eighth tells well enough how long the first has waited; for the others the look would be the largest part of the
     * cost. Which ones is anybody's guess, so that no order of priorities has them all of one kind.
     */
    private boolean needsQueueTime(KernelTask<?> ticket, long w, long number) {
        return queuedTasks(w) < SHORT_QUEUE
                || isOneInEight(number)
                || dispatcher.needsAllQueueTimes()
                || ticket.hasTimeLimit();
    }

    private static boolean isOneInEight(long number) {
        return BitMixer.mix(number) >>> ONE_IN_EIGHT == 0;
    }

    /** A group that was made for a ticket that it then did not take has nothing else to retire it. */
    private Admission refused(Admission why) {
        retireIfDone(state);
        return why;
    }

    /** Whether as many wait for the group's own limit as may. Those that only wait for the global one do not count. */
    private boolean isFull(long w) {
        return queuedTasks(w)
                >= Math.min(GroupState.MAX_QUEUED, (long) limits.queueThreshold() + Math.max(0, freePermits(w)));
    }

    /** Starts waiting tickets while there is room. */
    final void startQueued() {
        startQueued(0);
    }

    /**
     * @param since when the group may have become ready; 0 for now. Not when a ticket starts: the place that it starts on may have come
     *     free later
     */
    private void startQueued(long since) {
        for (; ; ) {
            long w = state;
            if (has(w, GLOBALLY_LIMITED)) {
                startQueuedGloballyLimited(since);
                return;
            }
            if (!isReady(w)) {
                retireIfDone(w); // a start that failed may have been the last
                return;
            }
            if (casState(w, w - ONE_PERMIT - ONE_QUEUED)) {
                KernelTask<?> ticket = pollQueue();
                if (ticket == null) {
                    putBack();
                    if (queue().isEmpty()) {
                        retireIfDone(state); // its count may have been one of a ticket that was cancelled
                        return; // whoever links one from now on sees what was put back
                    }
                } else {
                    startOrRelease(ticket, now());
                }
            }
        }
    }

    /** Undoes the taking of a count and a place by one who found nothing linked; if there is a gate by now, that has them too. */
    private void putBack() {
        long before = (long) STATE.getAndAdd(this, ONE_PERMIT + ONE_QUEUED);
        if (has(before, GLOBALLY_LIMITED)) {
            globalLimiter().putBack();
            dispatcher.dispatch(globalLimiter(), false, now());
        }
    }

    // ---- a place comes free --------------------------------------------------------------------------------------

    @Override
    void release(long start, long now) {
        for (; ; ) {
            long w = state;
            if (has(w, GLOBALLY_LIMITED)) {
                releaseGloballyLimited(start, orNow(now));
                return;
            }
            if (queuedTasks(w) > 0 && freePermits(w) >= 0) {
                if (casState(w, w - ONE_QUEUED)) {
                    KernelTask<?> ticket = pollQueue();
                    if (ticket == null) {
                        putBack();
                        startQueued(); // looks again, see there
                        return;
                    }
                    if (start(ticket, orNow(now))) {
                        return;
                    }
                }
            } else if (casState(w, w + ONE_PERMIT)) {
                retireIfDone(w + ONE_PERMIT);
                signalSubmitters();
                return;
            }
        }
    }

    // ---- withdrawn tickets ---------------------------------------------------------------------------------------

    /** A canceller took the ticket out of line: takes it off the count. */
    void withdrawn() {
        uncountQueued();
        queue().withdrawn(queuedTasks(state));
        retireIfDone(state);
        signalSubmitters();
    }

    private void uncountQueued() {
        long before = (long) STATE.getAndAdd(this, -ONE_QUEUED);
        if (has(before, GLOBALLY_LIMITED)) {
            globalLimiter().dequeue();
        }
    }

    /**
     * Turns away the oldest of those in line with the lowest priority. If that was the last, the caller has the group retire, after it
     * has put another in its place if it wants to: a group that were made anew for that one would have lost its turn.
     *
     * @return false if none is in line
     */
    boolean displace() {
        KernelTask<?> ticket = queue().pollLowest();
        if (ticket == null) {
            return false;
        }
        ticket.displaced(this::uncountQueued);
        signalSubmitters();
        return true;
    }
}
