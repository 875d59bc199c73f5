package io.github.kobe.internal.kernel;

import static io.github.kobe.internal.kernel.GroupState.CLOSED;
import static io.github.kobe.internal.kernel.GroupState.FRESH;
import static io.github.kobe.internal.kernel.GroupState.IN_RING;
import static io.github.kobe.internal.kernel.GroupState.PLACE;
import static io.github.kobe.internal.kernel.GroupState.QUIET;
import static io.github.kobe.internal.kernel.GroupState.RETIRED;
import static io.github.kobe.internal.kernel.GroupState.STALE;
import static io.github.kobe.internal.kernel.GroupState.free;
import static io.github.kobe.internal.kernel.GroupState.has;
import static io.github.kobe.internal.kernel.GroupState.waiting;

import io.github.kobe.internal.stats.Histogram;
import io.github.kobe.internal.time.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One group, from when it is put into the map to when it retires: its limits, its figures, and how it is stopped. How its tickets
 * get their places is in {@link Places}, and what is kept of those that have one in {@link AtWork}.
 */
public class Group extends AtWork {

    private final boolean retiresAtOnce;
    private final OutcomeCounters tally = new OutcomeCounters();
    private final @Nullable TaskTimes times;

    private volatile int stops; // written under the monitor
    private String stopReason = ""; // of the last stop; written before, and read after, the number of stops

    private long quietSince; // for the idle sweep alone

    /** @param settled false if it has to be looked over, by {@link #settle}, before it takes a ticket */
    Group(String key, GroupLimits limits, Dispatcher dispatcher, boolean retiresAtOnce, boolean settled) {
        this(key, limits, dispatcher, dispatcher.runner().named(key), retiresAtOnce, settled, false);
    }

    /**
     * With threads of its own.
     *
     * @param busy whether it is the only one of its kind, or one of a few, and has a great many at once if nothing limits it
     */
    Group(
            String key,
            GroupLimits limits,
            Dispatcher dispatcher,
            TaskRunner runner,
            boolean retiresAtOnce,
            boolean settled,
            boolean busy) {
        super(key, limits, dispatcher, runner, settled ? 0 : FRESH, busy);
        this.retiresAtOnce = retiresAtOnce;
        this.times = dispatcher.recordsTimes() ? new TaskTimes() : null;
    }

    @Override
    final Group asGroup() {
        return this;
    }

    // ---- stopping, limits, idling --------------------------------------------------------------------------------

    /**
     * Cancels what waits and what runs, of all that asked for admission before this call. A ticket that is being linked or
     * started meanwhile either is seen by the scans below or sees the raised {@code stops} afterwards.
     *
     * @return those whose end is being announced, for the caller to wait for
     */
    List<KernelTask<?>> stop(String why) {
        synchronized (this) {
            stopReason = why;
            stops++;
        }
        List<KernelTask<?>> announced = new ArrayList<>();
        TaskQueue tickets = line;
        if (tickets != null) {
            tickets.forEach(ticket -> note(ticket, ticket.stopInLineIfOlderThan(stops), announced));
        }
        running().forEach(ticket -> note(ticket, ticket.stopIfOlderThan(stops), announced));
        retireIfDone(word);
        return announced;
    }

    /** Shows every ticket that is in line or on a thread for the whole of the call, and maybe others. */
    void forEachTicket(Consumer<KernelTask<?>> action) {
        TaskQueue tickets = line;
        if (tickets != null) {
            tickets.forEach(action);
        }
        running().forEach(ticket -> {
            if (!ticket.waitsForFirstStart()) { // those were shown; one in line again may have come since
                action.accept(ticket);
            }
        });
    }

    private static void note(KernelTask<?> ticket, boolean stoppedIt, List<KernelTask<?>> announced) {
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

    /** It is in the map, with limits that hold: lets tickets in. */
    void settle() {
        GlobalLimiter g = dispatcher.gate();
        if (g != null) {
            joinGate(g);
        }
        WORD.getAndBitwiseAnd(this, ~FRESH);
    }

    /**
     * Makes {@code resolved} the limits, if that is still {@code valid}, and starts what they leave room for.
     *
     * @return whether it was
     */
    boolean setLimits(GroupLimits resolved, BooleanSupplier valid) {
        synchronized (this) {
            if (!valid.getAsBoolean()) {
                return false;
            }
            replaceLimits(resolved, ~STALE);
        }
        fill();
        roomMade();
        return true;
    }

    /** Changes the limits, and starts what they leave room for. */
    void changeLimits(UnaryOperator<GroupLimits> change) {
        synchronized (this) {
            replaceLimits(change.apply(limits), ~0L);
        }
        fill();
        roomMade();
    }

    /** Under the monitor. */
    private void replaceLimits(GroupLimits now, long flagsKept) {
        long places = (long) now.cap() - limits.cap();
        limits = now;
        share.setWeight(now.weight());
        for (; ; ) {
            long w = word;
            if (swapAtOnce(w, (w & flagsKept) + places * PLACE)) {
                return;
            }
        }
    }

    void retireIfDone() {
        retireIfDone(word);
    }

    @Override
    void retireIfDone(long w) {
        if (waiting(w) <= 0 && (retiresAtOnce || has(w, CLOSED))) {
            retire(0);
        }
    }

    /**
     * Leaves the map if no place is in use, nothing waits and {@code flags} are set. A ticket that comes too late is told so,
     * and asks again. One that waits for another attempt was counted as delayed before its place came back, so the look at that
     * comes after the look at the word. It is the look between two at a word that is marked QUIET: that none came and began to
     * wait since, after which the word would be the same as before, shows in the mark being there still.
     */
    private boolean retire(long flags) {
        synchronized (this) {
            for (; ; ) {
                long w = word;
                if (has(w, RETIRED)) {
                    return true;
                }
                if ((w & flags) != flags || !isQuiet(w) || retrying() != 0) {
                    return false;
                }
                boolean marked = has(w, QUIET);
                if (swapAtOnce(w, w | (marked ? RETIRED : QUIET)) && marked) {
                    break;
                }
            }
        }
        watchRests();
        retired(has(word, IN_RING));
        roomMade();
        return true;
    }

    /** It is no more; it may still be in the ready queue. Called once. */
    void retired(boolean inReadyQueue) {
        dispatcher.retired(this, inReadyQueue);
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
        return waiting(w) == 0 && free(w) == limits.cap();
    }

    // ---- counting ------------------------------------------------------------------------------------------------

    /** Counts {@code number} more in {@code slot}, and under {@code tag} if that is not empty. */
    void count(int slot, int number, String tag) {
        if (slot == OutcomeCounters.MOST) {
            countMost(number);
        } else {
            tally.add(slot, number);
        }
        if (!tag.isEmpty()) {
            tally.addTag(tag, number);
        }
        if (isRetired()) {
            bequeath();
        }
    }

    void countMost(long number) {
        MOST_ENDS.getAndAdd(this, number);
    }

    /** Something was counted after it retired: has it moved to where the rest is. */
    void bequeath() {
        dispatcher.inherit(this);
    }

    /** Moves all that was counted over to {@code other}. */
    void moveCountsTo(OutcomeCounters other) {
        tally.moveTo(other);
        other.add(OutcomeCounters.MOST, (long) MOST_ENDS.getAndSet(this, 0L));
        other.add(OutcomeCounters.ADMITTED, (long) ADMITTED.getAndSet(this, 0L));
    }

    void addCountsTo(long[] sums) {
        tally.addTo(sums);
        sums[OutcomeCounters.MOST] += mostEndsSoFar();
        sums[OutcomeCounters.ADMITTED] += admittedSoFar();
    }

    /** How many tickets it has let in; this group object only. */
    public long admittedSoFar() {
        return admitted;
    }

    /** How many have ended as most do, see {@link OutcomeCounters#MOST}; likewise. */
    public long mostEndsSoFar() {
        return mostEnds;
    }

    @Nullable
    TaskTimes times() {
        return dispatcher.recordsTimes() ? times : null;
    }

    // ---- views ---------------------------------------------------------------------------------------------------

    /** The group's name. */
    public String key() {
        return key;
    }

    /** Its limits now. */
    public GroupLimits limits() {
        return limits;
    }

    /** Tickets in line. */
    public int queued() {
        return Math.max(0, waiting(word));
    }

    /** For how long the one that has waited longest has waited; 0 if none waits. */
    public long oldestWaitingNanos() {
        TaskQueue tickets = line;
        long now = now();
        return tickets == null ? 0 : now - tickets.oldest(now);
    }

    /** What its tickets came to, by slot; this group object's only. */
    public long[] counts() {
        long[] sums = new long[OutcomeCounters.SLOTS];
        addCountsTo(sums);
        return sums;
    }

    /** As {@link #counts}, of one slot that is not {@link OutcomeCounters#MOST} or {@link OutcomeCounters#ADMITTED}. */
    public long count(int slot) {
        return tally.count(slot);
    }

    /** How many ended, by tag. */
    public Map<String, Long> countsByTag() {
        return tally.byTag();
    }

    /** How long its tickets waited; empty unless that is recorded. */
    public Histogram waitingTimes() {
        return times == null ? new Histogram() : times.waiting();
    }

    /** How long its tickets held their places; empty unless that is recorded. */
    public Histogram runningTimes() {
        return times == null ? new Histogram() : times.running();
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

    Timer timer() {
        return dispatcher.timer();
    }

    /** What the ready queue keeps about it. */
    public FairnessState share() {
        return share;
    }
}
