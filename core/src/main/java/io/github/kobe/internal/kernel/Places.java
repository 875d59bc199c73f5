package io.github.kobe.internal.kernel;

import static io.github.kobe.internal.kernel.GroupState.BARRED;
import static io.github.kobe.internal.kernel.GroupState.CLOSED;
import static io.github.kobe.internal.kernel.GroupState.FRESH;
import static io.github.kobe.internal.kernel.GroupState.GATED;
import static io.github.kobe.internal.kernel.GroupState.PLACE;
import static io.github.kobe.internal.kernel.GroupState.QUIET;
import static io.github.kobe.internal.kernel.GroupState.RETIRED;
import static io.github.kobe.internal.kernel.GroupState.TICKET;
import static io.github.kobe.internal.kernel.GroupState.free;
import static io.github.kobe.internal.kernel.GroupState.has;
import static io.github.kobe.internal.kernel.GroupState.isReady;
import static io.github.kobe.internal.kernel.GroupState.waiting;

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

    private static final int SHORT_LINE = 8;
    private static final int ONE_IN_EIGHT = Long.SIZE - 3;

    Places(String key, GroupLimits limits, Dispatcher dispatcher, TaskRunner runner, long flags) {
        super(key, limits, dispatcher, runner, flags);
    }

    // ---- a ticket comes ------------------------------------------------------------------------------------------

    /** Starts the ticket, or puts it in line, or says why not. */
    Admission admit(KernelTask<?> ticket) {
        ticket.bind(asGroup());
        for (; ; ) {
            long w = word;
            if (has(w, BARRED | GATED)) {
                return has(w, BARRED) ? refusal(w) : admitGated(ticket, gate());
            }
            if (free(w) <= 0 || waiting(w) > 0) {
                return enqueue(ticket, false);
            }
            if (swap(w, (w & ~QUIET) - PLACE)) {
                countIn(ticket);
                startOrRelease(ticket, 0);
                return Admission.ADMITTED;
            }
        }
    }

    private Admission admitGated(KernelTask<?> ticket, GlobalLimiter g) {
        if (tryStartGated(ticket, g)) {
            return Admission.ADMITTED;
        }
        long w = word;
        return has(w, BARRED) ? refusal(w) : enqueue(ticket, false);
    }

    private static Admission refusal(long w) {
        return has(w, RETIRED)
                ? Admission.RETIRED
                : has(w, CLOSED) ? Admission.CLOSED : has(w, FRESH) ? Admission.FRESH : Admission.STALE;
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
            w = word;
            if (!again && (has(w, BARRED) || isFull(w))) {
                if (entered != null) {
                    entered.leave();
                    roomMade(); // it may have been in the way of one who looked meanwhile
                }
                return refused(has(w, BARRED) ? refusal(w) : Admission.GROUP_QUEUE_FULL);
            }
            if (has(w, GATED) && entered == null) {
                entered = gate();
                if (!entered.enter(again)) {
                    return refused(isFull(word) ? Admission.GROUP_QUEUE_FULL : Admission.GLOBAL_QUEUE_FULL);
                }
            } else if (swap(w, (w & ~QUIET) + TICKET)) {
                break;
            }
        }
        long number = again ? 0 : countIn(ticket);
        long now = isTimed(ticket, w, number) ? now() : 0;
        ticket.enqueued(now, waiting(w));
        line().add(ticket);
        fill(now);
        ticket.noticeStop();
        if (again) {
            ticket.noticeEnd();
        }
        return Admission.ADMITTED;
    }

    /**
     * Whether to look at the clock for a ticket that is put in line. Of those in a long line, unless somebody wants to know about each,
     * about every eighth tells well enough how long the first has waited; for the others the look would be the largest part of the
     * cost. Which ones is anybody's guess, so that no order of priorities has them all of one kind.
     */
    private boolean isTimed(KernelTask<?> ticket, long w, long number) {
        return waiting(w) < SHORT_LINE || isOneInEight(number) || dispatcher.timesEach() || ticket.hasBudget();
    }

    private static boolean isOneInEight(long number) {
        return BitMixer.of(number) >>> ONE_IN_EIGHT == 0;
    }

    /** A group that was made for a ticket that it then did not take has nothing else to retire it. */
    private Admission refused(Admission why) {
        retireIfDone(word);
        return why;
    }

    /** Whether as many wait for the group's own limit as may. Those that only wait for the global one do not count. */
    private boolean isFull(long w) {
        return waiting(w) >= Math.min(GroupState.MAX_QUEUED, (long) limits.queueThreshold() + Math.max(0, free(w)));
    }

    /** Starts waiting tickets while there is room. */
    final void fill() {
        fill(0);
    }

    /**
     * @param since when the group may have become ready; 0 for now. Not when a ticket starts: the place that it starts on may have come
     *     free later
     */
    private void fill(long since) {
        for (; ; ) {
            long w = word;
            if (has(w, GATED)) {
                fillGated(since);
                return;
            }
            if (!isReady(w)) {
                retireIfDone(w); // a start that failed may have been the last
                return;
            }
            if (swap(w, w - PLACE - TICKET)) {
                KernelTask<?> ticket = takeFront();
                if (ticket == null) {
                    putBack();
                    if (line().isEmpty()) {
                        retireIfDone(word); // its count may have been one of a ticket that was cancelled
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
        long before = (long) WORD.getAndAdd(this, PLACE + TICKET);
        if (has(before, GATED)) {
            gate().putBack();
            dispatcher.serve(gate(), false, now());
        }
    }

    // ---- a place comes free --------------------------------------------------------------------------------------

    @Override
    void release(long start, long now) {
        for (; ; ) {
            long w = word;
            if (has(w, GATED)) {
                releaseGated(start, orNow(now));
                return;
            }
            if (waiting(w) > 0 && free(w) >= 0) {
                if (swap(w, w - TICKET)) {
                    KernelTask<?> ticket = takeFront();
                    if (ticket == null) {
                        putBack();
                        fill(); // looks again, see there
                        return;
                    }
                    if (start(ticket, orNow(now))) {
                        return;
                    }
                }
            } else if (swap(w, w + PLACE)) {
                retireIfDone(w + PLACE);
                roomMade();
                return;
            }
        }
    }

    // ---- withdrawn tickets ---------------------------------------------------------------------------------------

    /** A canceller took the ticket out of line: takes it off the count. */
    void withdrawn() {
        offTheCount();
        line().withdrawn(waiting(word));
        retireIfDone(word);
        roomMade();
    }

    private void offTheCount() {
        long before = (long) WORD.getAndAdd(this, -TICKET);
        if (has(before, GATED)) {
            gate().leave();
        }
    }

    /**
     * Turns away the oldest of those in line with the lowest priority. If that was the last, the caller has the group retire, after it
     * has put another in its place if it wants to: a group that were made anew for that one would have lost its turn.
     *
     * @return false if none is in line
     */
    boolean displace() {
        KernelTask<?> ticket = line().takeLeast();
        if (ticket == null) {
            return false;
        }
        ticket.displaced(this::offTheCount);
        roomMade();
        return true;
    }
}
