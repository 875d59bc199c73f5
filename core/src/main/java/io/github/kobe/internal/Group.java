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
 *   queued  27 bits  counts of tickets in the queue, see below
 *   IN_RING          it is in the ready queue, or in the hands of the thread that polled it; only with a global gate
 *   CLOSED           takes no more tickets
 *   RETIRED          has left the map for good; set only with no place in use and nothing queued
 *   STALE            its limits are to be resolved again before the next ticket
 *   QUIET            marked by the idle sweep; every admission wipes it off
 * </pre>
 *
 * <p>A ticket is linked into the queue first and counted second, and whoever wants one takes a count first and polls
 * second. With {@code linking} the submitters between the two steps, and {@code taking} the takers between theirs:
 *
 * <pre>
 *   tickets in the queue that are QUEUED or WITHDRAWN  =  queued + linking + taking
 * </pre>
 *
 * So a taker always finds a ticket and nobody ever waits for somebody else's next step. What it finds may have been
 * cancelled; then its count settles that ticket and it tries again. A canceller settles its own ticket if it can take a
 * count for it; if it cannot, a taker is under way that will.
 *
 * <p>With a global gate a ticket needs a place from both. Then places are only handed out through the ready queue: whenever
 * a step leaves a group with {@code queued > 0} and {@code free > 0}, that same step sets IN_RING; its thread adds the group
 * if the flag was not set before, and serves the gate.
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
    private static final int MAX_QUEUED = (1 << (32 - FLAG_BITS)) - 1;
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
        this.word = limits.cap() * PLACE;
    }

    private static int free(long w) {
        return (int) (w >> 32);
    }

    private static int queued(long w) {
        return (int) ((w & 0xFFFF_FFFFL) >>> FLAG_BITS);
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
            boolean direct = !has(w, CLOSED | RETIRED | STALE) && free(w) > 0 && queued(w) == 0;
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
        if (isFull(word)) { // before linking: a full queue is not to be worked on by those it refuses
            return refused(Admission.GROUP_QUEUE_FULL);
        }
        if (gate != null && !gate.enter()) {
            return refused(Admission.GLOBAL_QUEUE_FULL);
        }
        ticket.enqueued();
        queue().add(ticket);
        for (; ; ) {
            long w = word;
            Admission refusal = has(w, CLOSED | RETIRED)
                    ? refusal(w)
                    : needsToWait(w) && isFull(w) ? Admission.GROUP_QUEUE_FULL : null;
            if (refusal != null && ticket.refuse()) {
                leaveLine();
                return refused(refusal);
            }
            // Refused but not to be withdrawn: a taker that was owed another ticket has taken this one, which is its
            // turn.
            // The other one then lacks a count, and gets ours. The threshold gives way by one to a submitter that slept
            // while the whole queue moved past it; a count that was lost would be a ticket that never runs.
            if (count(w)) {
                ticket.noticeStop();
                return Admission.ADMITTED;
            }
        }
    }

    /** A group that was made for a ticket that it then did not take has nothing else to retire it. */
    private Admission refused(Admission why) {
        retireIfDone(word);
        return why;
    }

    private boolean needsToWait(long w) {
        return gate != null || free(w) <= 0;
    }

    /** Whether as many wait for the group's own limit as may. Those that only wait for the global one do not count. */
    private boolean isFull(long w) {
        return queued(w) >= Math.min(MAX_QUEUED, (long) limits.queueThreshold() + Math.max(0, free(w)));
    }

    /** One attempt to make a linked ticket count: as one that is taken at once if there is room, else as a queued one. */
    private boolean count(long w) {
        if (gate == null && free(w) > 0) {
            if (!swap(w, (w & ~QUIET) - PLACE)) {
                return false;
            }
            startNextOrRelease(now());
            return true;
        }
        long next = ringed((w & ~QUIET) + TICKET);
        if (!swap(w, next)) {
            return false;
        }
        if (gate != null) {
            joinRing(gate, w, next);
        }
        return true;
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
                if (swap(w, w - TICKET) && startNext(now)) {
                    return;
                }
            } else if (swap(w, w + PLACE)) {
                retireIfDone(w + PLACE);
                return;
            }
        }
    }

    /** With a count and a place in hand: starts the front ticket. If false the count is used up, the place still in hand. */
    private boolean startNext(long now) {
        Ticket<?> ticket = takeFront();
        return ticket != null && start(ticket, now);
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

    private void startNextOrRelease(long now) {
        if (!startNext(now)) {
            release(now);
        }
    }

    /** For a ticket that did not wait; its thread looks at the clock, which spares the submitter. */
    private void startOrRelease(Ticket<?> ticket) {
        if (!start(ticket, 0)) {
            release(now());
        }
    }

    /** With a count in hand: the front ticket, or null if it was withdrawn and the count went to settle it. */
    private @Nullable Ticket<?> takeFront() {
        Queue<Ticket<?>> line = queue();
        for (; ; ) {
            Ticket<?> ticket = Objects.requireNonNull(line.poll(), "a count without a ticket");
            switch (ticket.claim()) {
                case LIVE -> {
                    return ticket;
                }
                case SETTLED -> {
                    return null;
                }
                case INERT -> INERT.getAndAdd(this, -1);
            }
        }
    }

    // ---- with a global gate --------------------------------------------------------------------------------------

    /** What a group that was next in the ready queue had to offer. */
    enum Offer {
        /** A ticket was started on the server's place. */
        STARTED,
        /** Nothing: the server keeps its place and the ticket that it was to find. */
        NOTHING,
        /** A cancelled ticket, which used up the one that the server was to find; the place is still the server's. */
        SPENT
    }

    /** The server polled this group and holds a global place: starts one ticket on it if the group still can. */
    Offer offer(long now) {
        for (; ; ) {
            long w = word;
            if (queued(w) == 0 || free(w) <= 0) {
                if (leavesRing()) {
                    return Offer.NOTHING;
                }
                continue;
            }
            long next = w - PLACE - TICKET;
            boolean again = queued(next) > 0 && free(next) > 0;
            if (swap(w, again ? next : next & ~IN_RING)) {
                if (again) {
                    dispatcher.ready().add(this);
                }
                if (startNext(now)) {
                    return Offer.STARTED;
                }
                returnPlace();
                return Offer.SPENT;
            }
        }
    }

    private void returnPlace() {
        for (; ; ) {
            long w = word;
            long next = ringed(w + PLACE);
            if (swap(w, next)) {
                if (has(next & ~w, IN_RING)) {
                    dispatcher.ready().add(this); // the caller serves the gate next
                }
                retireIfDone(next);
                return;
            }
        }
    }

    private long ringed(long w) {
        return gate != null && queued(w) > 0 && free(w) > 0 ? w | IN_RING : w;
    }

    /**
     * The group may have become ready. It may also have been in the ready queue all along, left there by tickets that were
     * cancelled, with nobody under way to serve it; so the gate is served in either case.
     */
    private void joinRing(GlobalGate g, long before, long after) {
        if (has(after & ~before, IN_RING)) {
            dispatcher.ready().add(this);
        }
        if (has(after, IN_RING)) {
            dispatcher.serve(g, false, now());
        }
    }

    // ---- cancelled tickets ---------------------------------------------------------------------------------------

    /** The ticket became WITHDRAWN: takes its count back, now or, if a taker is on its way to it, by that taker. */
    void withdrawn(Ticket<?> ticket) {
        for (; ; ) {
            long w = word;
            if (queued(w) == 0) {
                return;
            }
            if (swap(w, w - TICKET)) {
                if (ticket.settle()) {
                    leaveLine();
                    retireIfDone(w - TICKET);
                } else {
                    recount();
                }
                return;
            }
        }
    }

    /** A taker settled the ticket first, so the count in hand belongs to another one that is still in line. */
    private void recount() {
        while (true) {
            if (count(word)) {
                return;
            }
        }
    }

    /** A linked ticket became of no use: it stays where it is until it is met, or until there are too many of its kind. */
    private void leaveLine() {
        if (gate != null) {
            gate.leave();
        }
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

    /** Starts waiting tickets while there is room. */
    private void fill() {
        for (; ; ) {
            long w = word;
            if (queued(w) == 0 || free(w) <= 0) {
                return;
            }
            if (gate != null) {
                if (swap(w, w | IN_RING)) {
                    joinRing(gate, w, w | IN_RING);
                    return;
                }
            } else if (swap(w, w - PLACE - TICKET)) {
                startNextOrRelease(now());
            }
        }
    }

    private void retireIfDone(long w) {
        if (queued(w) == 0 && (retiresAtOnce || has(w, CLOSED))) {
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

    /** With the group polled from the ready queue: true if it has no business there, and is now out of it. */
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
        return queued(word);
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
