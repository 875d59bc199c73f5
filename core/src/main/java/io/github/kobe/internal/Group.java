package io.github.kobe.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * One group: how many of its tickets may start, how many wait, and the line they wait in.
 *
 * <p>Everything that decides is in one word, so that "take a place, or queue" and "pass my place on, or give it up" are each
 * a single compare-and-set and no wake-up can fall between two of them:
 *
 * <pre>
 *   free    32 bits  cap - places in use; negative while a lowered cap is being paid off
 *   queued  27 bits  tickets in line, see below; kept with a bias, since it may be -1 for a moment
 *   IN_RING          it is in the ready queue, or in the hands of the thread that polled it; only with a global gate
 *   CLOSED           takes no more tickets
 *   RETIRED          has left the map for good; set only with no place in use and nothing queued
 *   STALE            its limits are to be resolved again before the next ticket
 *   QUIET            marked by the idle sweep; every admission wipes it off
 * </pre>
 *
 * <p>A ticket is counted first, which is where it may be refused, and linked second; a taker takes a count and a place first and
 * polls second. So while any ticket is in line, or on its way there, the word shows it, or shows the place of a taker that is
 * after it: a group that looks quiet is quiet. A taker may find nothing linked yet. It then puts back what it took and looks
 * again; a submitter looks at the word after linking: one of the two sees the other, and neither waits. A cancelled ticket stays
 * linked until it is met, and is taken off the count by its canceller; the count is one too low for a moment if a taker has it in
 * hand, which every reader takes for "none".
 *
 * <p>With a global gate a ticket needs a place from both. Then places are only handed out through the ready queue: whenever
 * a step leaves a group with {@code queued > 0} and {@code free > 0}, its thread sees to it that IN_RING is set, adds the group
 * if it was the one to set it, and serves the gate.
 *
 * <p>Limits change, and a group retires, under the object's monitor: there {@code cap} belongs to the word it is compared
 * with. Nothing on a ticket's way takes it.
 */
public final class Group {

    private static final int FLAG_BITS = 5;
    private static final long IN_RING = 1;
    private static final long CLOSED = 1 << 1;
    private static final long RETIRED = 1 << 2;
    private static final long STALE = 1 << 3;
    private static final long QUIET = 1 << 4;
    private static final long TICKET = 1L << FLAG_BITS;
    private static final long PLACE = 1L << 32;
    private static final int BIAS = 1 << 16;
    private static final int MAX_QUEUED = (1 << (32 - FLAG_BITS)) - 1 - BIAS;
    private static final int PURGE_FLOOR = 64;

    private static final VarHandle WORD;
    private static final VarHandle INERT;
    private static final VarHandle QUEUE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WORD = lookup.findVarHandle(Group.class, "word", long.class);
            INERT = lookup.findVarHandle(Group.class, "inert", int.class);
            QUEUE = lookup.findVarHandle(Group.class, "queue", Queue.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String key;
    private final Dispatcher dispatcher;
    private final @Nullable GlobalGate gate;
    private final Runner runner;
    private final boolean retiresAtOnce;
    private final RunningSet running;
    private final Share share;

    private volatile long word;
    private volatile Limits limits; // written under the monitor
    private volatile @Nullable Queue<Ticket<?>> queue; // made when the first ticket has to wait
    private volatile int stops; // written under the monitor
    private String stopReason = ""; // of the last stop; written before, and read after, the number of stops

    @SuppressWarnings("UnusedVariable") // used through INERT
    private volatile int inert; // about how many tickets in the queue are of no use; only decides when to purge

    private long quietSince; // for the idle sweep alone

    Group(String key, Limits limits, Dispatcher dispatcher, @Nullable GlobalGate gate, boolean retiresAtOnce) {
        this.key = key;
        this.limits = limits;
        this.dispatcher = dispatcher;
        this.gate = gate;
        this.runner = dispatcher.runner().named(key);
        this.retiresAtOnce = retiresAtOnce;
        this.running = new RunningSet(limits.cap());
        this.share = dispatcher.ready().newShare();
        this.word = limits.cap() * PLACE + BIAS * TICKET;
    }

    private static int free(long w) {
        return (int) (w >> 32);
    }

    private static int queued(long w) {
        return (int) ((w & 0xFFFF_FFFFL) >>> FLAG_BITS) - BIAS;
    }

    private static boolean has(long w, long flags) {
        return (w & flags) != 0;
    }

    private boolean swap(long from, long to) {
        return WORD.compareAndSet(this, from, to);
    }

    // ---- a ticket comes ------------------------------------------------------------------------------------------

    /** Starts the ticket, or puts it in line, or says why not. */
    Admission admit(Ticket<?> ticket) {
        ticket.bind(this);
        return gate == null ? admitUngated(ticket) : admitGated(ticket, gate);
    }

    private Admission admitUngated(Ticket<?> ticket) {
        for (; ; ) {
            long w = word;
            if (has(w, CLOSED | RETIRED | STALE)) {
                return refusal(w);
            }
            if (free(w) <= 0 || queued(w) > 0) {
                return enqueue(ticket);
            }
            if (swap(w, (w & ~QUIET) - PLACE)) {
                startOrRelease(ticket);
                return Admission.ADMITTED;
            }
        }
    }

    private Admission admitGated(Ticket<?> ticket, GlobalGate g) {
        boolean held = false;
        for (; ; ) {
            long w = word;
            boolean direct = !has(w, CLOSED | RETIRED | STALE) && free(w) > 0 && queued(w) <= 0;
            if (!direct || !(held || g.tryPlace())) {
                if (held) {
                    dispatcher.serve(g, true, now());
                }
                return has(w, CLOSED | RETIRED | STALE) ? refusal(w) : enqueue(ticket);
            }
            held = true;
            if (swap(w, (w & ~QUIET) - PLACE)) {
                startOrRelease(ticket);
                return Admission.ADMITTED;
            }
        }
    }

    private static Admission refusal(long w) {
        return has(w, RETIRED) ? Admission.RETIRED : has(w, CLOSED) ? Admission.CLOSED : Admission.STALE;
    }

    private Admission enqueue(Ticket<?> ticket) {
        if (gate != null && !gate.enter()) {
            return refused(isFull(word) ? Admission.GROUP_QUEUE_FULL : Admission.GLOBAL_QUEUE_FULL);
        }
        for (; ; ) {
            long w = word;
            if (has(w, CLOSED | RETIRED | STALE) || isFull(w)) {
                if (gate != null) {
                    gate.leave();
                }
                return refused(has(w, CLOSED | RETIRED | STALE) ? refusal(w) : Admission.GROUP_QUEUE_FULL);
            }
            if (swap(w, (w & ~QUIET) + TICKET)) {
                break;
            }
        }
        ticket.enqueued();
        queue().add(ticket);
        fill();
        ticket.noticeStop();
        return Admission.ADMITTED;
    }

    /** A group that was made for a ticket that it then did not take has nothing else to retire it. */
    private Admission refused(Admission why) {
        retireIfDone(word);
        return why;
    }

    /** Whether as many wait for the group's own limit as may. Those that only wait for the global one do not count. */
    private boolean isFull(long w) {
        return queued(w) >= Math.min(MAX_QUEUED, (long) limits.queueThreshold() + Math.max(0, free(w)));
    }

    /** Starts waiting tickets while there is room. */
    private void fill() {
        if (gate != null) {
            fillGated(gate);
            return;
        }
        for (; ; ) {
            long w = word;
            if (queued(w) <= 0 || free(w) <= 0) {
                retireIfDone(w); // a start that failed may have been the last
                return;
            }
            if (swap(w, w - PLACE - TICKET)) {
                Ticket<?> ticket = takeFront();
                if (ticket == null) {
                    WORD.getAndAdd(this, PLACE + TICKET);
                    if (queue().isEmpty()) {
                        retireIfDone(word); // its count may have been one of a ticket that was cancelled
                        return; // whoever links one from now on sees what was put back
                    }
                } else if (!start(ticket, now())) {
                    WORD.getAndAdd(this, PLACE);
                }
            }
        }
    }

    // ---- a place comes free --------------------------------------------------------------------------------------

    /**
     * A ticket is off its thread: its place goes to the next in line, or back.
     *
     * @param now the time, which is when the next one gets its place
     */
    void release(long now) {
        if (gate == null) {
            releaseUngated(now);
        } else {
            returnPlace();
            dispatcher.serve(gate, true, now);
        }
    }

    private void releaseUngated(long now) {
        for (; ; ) {
            long w = word;
            if (queued(w) > 0 && free(w) >= 0) {
                if (swap(w, w - TICKET)) {
                    Ticket<?> ticket = takeFront();
                    if (ticket == null) {
                        WORD.getAndAdd(this, PLACE + TICKET);
                        fill(); // looks again, see there
                        return;
                    }
                    if (start(ticket, now)) {
                        return;
                    }
                }
            } else if (swap(w, w + PLACE)) {
                retireIfDone(w + PLACE);
                return;
            }
        }
    }

    /** Starts a ticket. If false, no thread could be had, the ticket has ended, and the place is still the caller's. */
    private boolean start(Ticket<?> ticket, long now) {
        ticket.placed(now);
        try {
            runner.start(ticket);
            return true;
        } catch (Throwable fault) {
            ticket.startFailed(fault);
            return false;
        }
    }

    /** Runs {@code work} off the calling thread; on it, if there is no other to be had. */
    void spawn(Runnable work) {
        try {
            runner.start(work);
        } catch (Throwable fault) {
            work.run();
        }
    }

    /** For a ticket that did not wait; its thread looks at the clock, which spares the submitter. */
    private void startOrRelease(Ticket<?> ticket) {
        if (!start(ticket, 0)) {
            release(now());
        }
    }

    /** With a count and a place in hand: the front ticket, or null if the one that they are for is not linked yet. */
    private @Nullable Ticket<?> takeFront() {
        Queue<Ticket<?>> line = queue();
        for (; ; ) {
            Ticket<?> ticket = line.poll();
            if (ticket == null || ticket.claim()) {
                return ticket;
            }
            INERT.getAndAdd(this, -1);
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
            if (queued(w) <= 0 || free(w) <= 0) {
                if (leavesRing()) {
                    return Offer.NOTHING;
                }
            } else if (swap(w, w - PLACE - TICKET)) {
                Ticket<?> ticket = takeFront();
                if (ticket == null) {
                    putBackAndLeaveRing();
                    return Offer.NOTHING;
                }
                if (!leavesRing()) {
                    dispatcher.ready().add(this);
                }
                if (start(ticket, now)) {
                    return Offer.STARTED;
                }
                returnPlace();
                return Offer.SPENT;
            }
        }
    }

    /** In the server's hands, with nothing linked. Out of the ring, or it would be polled again and again until there is. */
    private void putBackAndLeaveRing() {
        for (; ; ) {
            long w = word;
            if (swap(w, (w + PLACE + TICKET) & ~IN_RING)) {
                break;
            }
        }
        if (queue().isEmpty()) {
            retireIfDone(word); // whoever links one from now on sees what was put back
        } else {
            joinRing();
        }
    }

    /** With the group in hand: true if it has no business in the ready queue, and is now out of it. */
    boolean leavesRing() {
        for (; ; ) {
            long w = word;
            if (queued(w) > 0 && free(w) > 0) {
                return false;
            }
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
    }

    /**
     * The group may have become ready. It may also have been in the ready queue all along, left there by tickets that were
     * cancelled, with nobody under way to serve it; so the gate is served in either case.
     */
    private void fillGated(GlobalGate g) {
        if (joinRing()) {
            dispatcher.serve(g, false, now());
        }
    }

    /** Puts the group into the ready queue if it is ready and not there. False if it is not ready. */
    private boolean joinRing() {
        for (; ; ) {
            long w = word;
            if (queued(w) <= 0 || free(w) <= 0) {
                return false;
            }
            if (has(w, IN_RING)) {
                return true;
            }
            if (swap(w, w | IN_RING)) {
                dispatcher.ready().add(this);
                return true;
            }
        }
    }

    // ---- cancelled tickets ---------------------------------------------------------------------------------------

    /** A canceller took the ticket out of line: takes it off the count. */
    void withdrawn() {
        WORD.getAndAdd(this, -TICKET);
        if (gate != null) {
            gate.leave();
        }
        leaveInert();
        retireIfDone(word);
    }

    /** The ticket stays where it is until it is met, or until there are too many of its kind. */
    private void leaveInert() {
        int now = (int) INERT.getAndAdd(this, 1) + 1;
        if (now > PURGE_FLOOR && now > queued(word) && (int) INERT.getAndSet(this, 0) > PURGE_FLOOR) {
            queue().removeIf(Ticket::isInert);
        }
    }

    // ---- stopping, limits, idling --------------------------------------------------------------------------------

    /**
     * Cancels what waits and what runs, of all that asked for admission before this call. A ticket that is being linked or
     * started meanwhile either is seen by the scans below or sees the raised {@code stops} afterwards.
     *
     * @return those whose end is being announced, for the caller to wait for
     */
    List<Ticket<?>> stop(String why) {
        synchronized (this) {
            stopReason = why;
            stops++;
        }
        List<Ticket<?>> announced = new ArrayList<>();
        Queue<Ticket<?>> line = queue;
        if (line != null) {
            line.forEach(ticket -> note(ticket, ticket.stopInLineIfOlderThan(stops), announced));
        }
        running.forEach(ticket -> note(ticket, ticket.stopIfOlderThan(stops), announced));
        retireIfDone(word);
        return announced;
    }

    private static void note(Ticket<?> ticket, boolean stoppedIt, List<Ticket<?>> announced) {
        if (stoppedIt && !ticket.isEnded()) {
            announced.add(ticket);
        }
    }

    /** Takes no more tickets; retires when the last one has ended. */
    void close() {
        WORD.getAndBitwiseOr(this, CLOSED);
        retireIfDone(word);
    }

    /** The limits are to be resolved again: by a new group object if this one can retire now, else by the next ticket. */
    void forgetLimits() {
        if (!retire(0)) {
            WORD.getAndBitwiseOr(this, STALE);
        }
    }

    /** Makes {@code now} the limits, and starts what they leave room for. */
    void setLimits(Limits now) {
        synchronized (this) {
            long change = (long) now.cap() - limits.cap();
            limits = now;
            for (; ; ) {
                long w = word;
                if (swap(w, (w & ~STALE) + change * PLACE)) {
                    break;
                }
            }
        }
        fill();
    }

    private void retireIfDone(long w) {
        if (queued(w) <= 0 && (retiresAtOnce || has(w, CLOSED))) {
            retire(0);
        }
    }

    /**
     * Leaves the map if no place is in use, nothing waits and {@code flags} are set. A ticket that comes too late is told so,
     * and asks again.
     */
    private boolean retire(long flags) {
        synchronized (this) {
            for (; ; ) {
                long w = word;
                if (has(w, RETIRED)) {
                    return true;
                }
                if ((w & flags) != flags || !isQuiet(w)) {
                    return false;
                }
                if (swap(w, w | RETIRED)) {
                    break;
                }
            }
        }
        dispatcher.retired(this, has(word, IN_RING));
        return true;
    }

    /** One look of the idle sweep: retires the group if it was quiet at every look for {@code ttl}. */
    void sweep(long now, long ttl) {
        long w = word;
        if (!isQuiet(w)) {
            return;
        }
        if (!has(w, QUIET)) {
            quietSince = now;
            swap(w, w | QUIET);
        } else if (now - quietSince >= ttl) {
            retire(QUIET); // an admission since the look above has wiped the mark off
        }
    }

    private boolean isQuiet(long w) {
        return queued(w) == 0 && free(w) == limits.cap();
    }

    // ---- views ---------------------------------------------------------------------------------------------------

    /** The group's name. */
    public String key() {
        return key;
    }

    /** Its limits now. */
    public Limits limits() {
        return limits;
    }

    /** Places in use; a figure to look at, which may be off while limits change. */
    public int active() {
        return Math.max(0, limits.cap() - free(word));
    }

    /** Tickets in line. */
    public int queued() {
        return Math.max(0, queued(word));
    }

    boolean isClosed() {
        return has(word, CLOSED);
    }

    boolean isRetired() {
        return has(word, RETIRED);
    }

    int stops() {
        return stops;
    }

    String stopReason() {
        return stopReason;
    }

    long now() {
        return dispatcher.now();
    }

    /** What the ready queue keeps about it. */
    Share share() {
        return share;
    }

    RunningSet running() {
        return running;
    }

    private Queue<Ticket<?>> queue() {
        Queue<Ticket<?>> line = queue;
        if (line == null) {
            QUEUE.compareAndSet(this, null, new ConcurrentLinkedQueue<Ticket<?>>());
            line = Objects.requireNonNull(queue);
        }
        return line;
    }
}
