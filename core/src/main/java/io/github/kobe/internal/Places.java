package io.github.kobe.internal;

import static io.github.kobe.internal.Word.BARRED;
import static io.github.kobe.internal.Word.CLOSED;
import static io.github.kobe.internal.Word.FRESH;
import static io.github.kobe.internal.Word.GATED;
import static io.github.kobe.internal.Word.IN_RING;
import static io.github.kobe.internal.Word.PLACE;
import static io.github.kobe.internal.Word.QUIET;
import static io.github.kobe.internal.Word.RETIRED;
import static io.github.kobe.internal.Word.TICKET;
import static io.github.kobe.internal.Word.free;
import static io.github.kobe.internal.Word.has;
import static io.github.kobe.internal.Word.isReady;
import static io.github.kobe.internal.Word.waiting;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The places of a group: how many of its tickets may start, how many wait, and the line they wait in.
 *
 * <p>Everything that decides is in one {@link Word}, so that "take a place, or queue" and "pass my place on, or give it up" are
 * each a single compare-and-set and no wake-up can fall between two of them.
 *
 * <p>A ticket is counted first, which is where it may be refused, and linked second; a taker takes a count and a place first and
 * polls second. So while any ticket is in line, or on its way there, the word shows it, or shows the place of a taker that is
 * after it: a group that looks quiet is quiet. A taker may find nothing linked yet. It then puts back what it took and looks
 * again; a submitter looks at the word after linking: one of the two sees the other, and neither waits. A cancelled ticket stays
 * linked until it is met, and is taken off the count by its canceller; the count is one too low for a moment if a taker has it in
 * hand, which every reader takes for "none".
 *
 * <p>If the group is GATED a ticket needs a place from the global gate as well. Then places are only handed out through the ready
 * queue: whenever a step leaves a group with {@code queued > 0} and {@code free > 0}, its thread sees to it that IN_RING is set,
 * adds the group if it was the one to set it, and serves the gate. A gate that comes late takes over, in the step that sets
 * GATED, the places and tickets that the word shows then; from then on every step that moves one moves it in the gate too.
 *
 * <p>Limits change, a gate takes over, and a group retires, under the object's monitor: there {@code cap} belongs to the word it is
 * compared with. Nothing on a ticket's way takes it.
 */
abstract class Places extends Restless.Apart {

    private static final int SHORT_LINE = 8;

    final String key;
    final Dispatcher dispatcher;
    final Share share;
    private final Runner runner;

    volatile Limits limits; // written under the monitor
    volatile @Nullable Line line; // made, under the monitor, when the first ticket has to wait

    Places(String key, Limits limits, Dispatcher dispatcher, Runner runner, long flags) {
        this.key = key;
        this.limits = limits;
        this.dispatcher = dispatcher;
        this.runner = runner;
        this.share = dispatcher.ready().newShare();
        this.share.setWeight(limits.weight());
        this.word = Word.of(limits.cap(), flags);
    }

    final boolean swap(long from, long to) {
        return WORD.compareAndSet(this, from, to);
    }

    /** Of one that is GATED. */
    private GlobalGate gate() {
        return Objects.requireNonNull(dispatcher.gate());
    }

    /** As the dispatcher and the ready queue know it. */
    abstract Group asGroup();

    /** After a step that may have been the last: {@code w} is what it left. */
    abstract void retireIfDone(long w);

    // ---- a ticket comes ------------------------------------------------------------------------------------------

    /** Starts the ticket, or puts it in line, or says why not. */
    Admission admit(Ticket<?> ticket) {
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
                ADMITTED.getAndAdd(this, 1L);
                startOrRelease(ticket, 0);
                return Admission.ADMITTED;
            }
        }
    }

    private Admission admitGated(Ticket<?> ticket, GlobalGate g) {
        if (tryStartGated(ticket, g)) {
            return Admission.ADMITTED;
        }
        long w = word;
        return has(w, BARRED) ? refusal(w) : enqueue(ticket, false);
    }

    /** Starts the ticket if it is let in and need not wait. */
    private boolean tryStartGated(Ticket<?> ticket, GlobalGate g) {
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
    private boolean startAtOnce(Ticket<?> ticket, GlobalGate g) {
        long now = 0;
        if (dispatcher.ready().keepsTime()) {
            now = now();
            if (!dispatcher.ready().startedAtOnce(asGroup(), now)) {
                returnPlace();
                dispatcher.serve(g, true, now);
                return false;
            }
        }
        ADMITTED.getAndAdd(this, 1L); // before it can end, and the group retire
        startOrRelease(ticket, now);
        return true;
    }

    private static Admission refusal(long w) {
        return has(w, RETIRED)
                ? Admission.RETIRED
                : has(w, CLOSED) ? Admission.CLOSED : has(w, FRESH) ? Admission.FRESH : Admission.STALE;
    }

    /** A ticket that comes again, after a failed attempt: it was let in once, and that holds. If there is room, it starts from the line. */
    void readmit(Ticket<?> ticket) {
        enqueue(ticket, true);
    }

    /** @param again it was let in before, and is put in line whatever the limits of that are now */
    private Admission enqueue(Ticket<?> ticket, boolean again) {
        GlobalGate entered = null;
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
        long number = again ? 0 : (long) ADMITTED.getAndAdd(this, 1L);
        ticket.enqueued(isTimed(ticket, w, number) ? now() : 0);
        line().add(ticket);
        fill();
        ticket.noticeStop();
        if (again) {
            ticket.noticeEnd();
        }
        return Admission.ADMITTED;
    }

    /**
     * Whether to look at the clock for a ticket that is put in line. Of those in a long line, unless somebody wants to know about each,
     * every eighth tells well enough how long the first has waited; for the others the look would be the largest part of the cost.
     */
    private boolean isTimed(Ticket<?> ticket, long w, long number) {
        return waiting(w) < SHORT_LINE || number % SHORT_LINE == 0 || dispatcher.timesEach() || ticket.plan() != null;
    }

    /** A group that was made for a ticket that it then did not take has nothing else to retire it. */
    private Admission refused(Admission why) {
        retireIfDone(word);
        return why;
    }

    /** Whether as many wait for the group's own limit as may. Those that only wait for the global one do not count. */
    private boolean isFull(long w) {
        return waiting(w) >= Math.min(Word.MAX_QUEUED, (long) limits.queueThreshold() + Math.max(0, free(w)));
    }

    /** Starts waiting tickets while there is room. */
    final void fill() {
        for (; ; ) {
            long w = word;
            if (has(w, GATED)) {
                fillGated();
                return;
            }
            if (!isReady(w)) {
                retireIfDone(w); // a start that failed may have been the last
                return;
            }
            if (swap(w, w - PLACE - TICKET)) {
                Ticket<?> ticket = takeFront();
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

    /**
     * A ticket is off its thread: its place goes to the next in line, or back.
     *
     * @param start when the ticket had got it
     * @param now the time, which is when the next one gets its place; 0 to look at the clock if there is a next one
     */
    void release(long start, long now) {
        for (; ; ) {
            long w = word;
            if (has(w, GATED)) {
                releaseGated(start, orNow(now));
                return;
            }
            if (waiting(w) > 0 && free(w) >= 0) {
                if (swap(w, w - TICKET)) {
                    Ticket<?> ticket = takeFront();
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

    private long orNow(long time) {
        return time == 0 ? now() : time;
    }

    /** As {@link #release}, of a place that nobody asks how long it was held. */
    void releaseUntimed() {
        release(0, 0);
    }

    /** Whether anyone does. */
    boolean timesPlaces() {
        return dispatcher.recordsTimes() || dispatcher.ready().keepsTime();
    }

    private void releaseGated(long start, long now) {
        if (dispatcher.ready().keepsTime()) {
            dispatcher.ready().ended(asGroup(), start, now);
        }
        returnPlace();
        dispatcher.serve(gate(), true, now);
    }

    /** Starts a ticket. If false, there was no thread or no use for it, the ticket has ended, and the place is still the caller's. */
    private boolean start(Ticket<?> ticket, long now) {
        if (!ticket.placed(now)) {
            return false;
        }
        try {
            return ticket.launch(runner);
        } catch (Throwable fault) {
            ticket.startFailed(fault);
            return false;
        }
    }

    /** A ticket that kept its place between two attempts. */
    void startAgain(Ticket<?> ticket) {
        long start = ticket.startedAt();
        if (!start(ticket, start)) {
            release(start, now());
        }
    }

    /** Interrupts a ticket that was on {@code thread} when the caller looked. */
    void interrupt(Thread thread, Ticket<?> ticket) {
        runner.interrupt(thread, ticket);
    }

    /** Whether the threads of its tickets have other work to go on to. */
    boolean reusesThreads() {
        return runner.reusesThreads();
    }

    /** Runs {@code work} off the calling thread; on it, if there is no other to be had. */
    void spawn(Runnable work) {
        try {
            runner.start(work);
        } catch (Throwable fault) {
            work.run();
        }
    }

    /** @param now 0 for a ticket that did not wait; its thread looks at the clock, which spares the submitter */
    private void startOrRelease(Ticket<?> ticket, long now) {
        if (!start(ticket, now)) {
            long end = now();
            release(now == 0 ? end : now, end);
        }
    }

    /** With a count and a place in hand: the front ticket, or null if the one that they are for is not linked yet. */
    private @Nullable Ticket<?> takeFront() {
        Ticket<?> ticket = line().take();
        if (ticket != null) {
            roomMade();
        }
        return ticket;
    }

    /** Whoever waits to get in line may have a chance now. */
    final void roomMade() {
        Lobby lobby = dispatcher.lobby();
        if (lobby != null) {
            lobby.roomIn(key);
        }
    }

    // ---- with a global gate --------------------------------------------------------------------------------------

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
                Ticket<?> ticket = takeFront();
                if (ticket == null) {
                    putBackAndLeaveRing();
                    return Offer.NOTHING;
                }
                dispatcher.ready().served(asGroup(), now);
                if (!leavesRing()) {
                    dispatcher.ready().add(asGroup());
                }
                if (start(ticket, now)) {
                    return Offer.STARTED;
                }
                if (dispatcher.ready().keepsTime()) {
                    dispatcher.ready().ended(asGroup(), now, now);
                }
                returnPlace();
                return Offer.SPENT;
            }
        }
    }

    /** In the server's hands, with nothing linked. Out of the ring, or it would be polled again and again until there is. */
    private void putBackAndLeaveRing() {
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
            joinRing();
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

    /** Gives back the group's place; the caller serves the gate next. */
    private void returnPlace() {
        long w = (long) WORD.getAndAdd(this, PLACE) + PLACE;
        joinRing();
        retireIfDone(w);
        roomMade();
    }

    /**
     * The group may have become ready. It may also have been in the ready queue all along, left there by tickets that were
     * cancelled, with nobody under way to serve it; so the gate is served in either case.
     */
    private void fillGated() {
        if (joinRing()) {
            dispatcher.serve(gate(), false, now());
        }
    }

    /** Puts the group into the ready queue if it is ready and not there. False if it is not ready. */
    private boolean joinRing() {
        for (; ; ) {
            long w = word;
            if (!isReady(w)) {
                return false;
            }
            if (has(w, IN_RING)) {
                return true;
            }
            if (swap(w, w | IN_RING)) {
                dispatcher.ready().add(asGroup());
                return true;
            }
        }
    }

    /** There is a gate now: it takes over what the group has. Nothing starts through it before the caller opens it. */
    void joinGate(GlobalGate g) {
        synchronized (this) {
            for (; ; ) {
                long w = word;
                if (has(w, GATED | RETIRED)) {
                    return;
                }
                if (swap(w, w | GATED)) {
                    g.takeOver(limits.cap() - free(w), waiting(w));
                    return;
                }
            }
        }
    }

    // ---- withdrawn tickets, and those that come again ------------------------------------------------------------

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
     * Turns away the oldest of those in line with the lowest priority.
     *
     * @return false if none is in line
     */
    boolean displace() {
        Ticket<?> ticket = line().takeLeast();
        if (ticket == null) {
            return false;
        }
        ticket.displaced(this::offTheCount);
        retireIfDone(word);
        roomMade();
        return true;
    }

    final long now() {
        return dispatcher.now();
    }

    final Line line() {
        Line known = line;
        return known == null ? makeLine() : known;
    }

    private synchronized Line makeLine() {
        Line known = line;
        if (known == null) {
            known = new Line(dispatcher.ageing());
            line = known;
        }
        return known;
    }
}
