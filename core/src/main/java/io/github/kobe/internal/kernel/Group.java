package io.github.kobe.internal.kernel;

import static io.github.kobe.internal.kernel.GroupState.CLOSED;
import static io.github.kobe.internal.kernel.GroupState.IDLE;
import static io.github.kobe.internal.kernel.GroupState.ONE_PERMIT;
import static io.github.kobe.internal.kernel.GroupState.READY_QUEUED;
import static io.github.kobe.internal.kernel.GroupState.RETIRED;
import static io.github.kobe.internal.kernel.GroupState.STALE;
import static io.github.kobe.internal.kernel.GroupState.UNSETTLED;
import static io.github.kobe.internal.kernel.GroupState.freePermits;
import static io.github.kobe.internal.kernel.GroupState.has;
import static io.github.kobe.internal.kernel.GroupState.queuedTasks;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.FairnessState;
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
public class Group extends AtWork implements Competitor {

    private final boolean retiresAtOnce;
    private final OutcomeCounters outcomes = new OutcomeCounters();
    private final @Nullable TaskTimes times;

    private volatile int stops; // written under the monitor
    private String stopReason = ""; // of the last stop; written before, and read after, the number of stops

    private long idleSince; // for the idle sweep alone

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
        super(key, limits, dispatcher, runner, settled ? 0 : UNSETTLED, busy);
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
        TaskQueue tickets = queue;
        if (tickets != null) {
            tickets.forEach(ticket -> note(ticket, ticket.stopQueuedIfOlderThan(stops), announced));
        }
        running().forEach(ticket -> note(ticket, ticket.stopIfOlderThan(stops), announced));
        retireIfDone(state);
        return announced;
    }

    /** Shows every ticket that is in line or on a thread for the whole of the call, and maybe others. */
    void forEachTask(Consumer<KernelTask<?>> action) {
        TaskQueue tickets = queue;
        if (tickets != null) {
            tickets.forEach(action);
        }
        running().forEach(ticket -> {
            if (!ticket.isQueuedForFirstStart()) { // those were shown; one in line again may have come since
                action.accept(ticket);
            }
        });
    }

    private static void note(KernelTask<?> ticket, boolean stoppedIt, List<KernelTask<?>> announced) {
        if (stoppedIt && !ticket.isCompleted()) {
            announced.add(ticket);
        }
    }

    /** Takes no more tickets; retires when the last one has ended. */
    void close() {
        STATE.getAndBitwiseOr(this, CLOSED);
        retireIfDone(state);
    }

    /** The limits are to be resolved again: by a new group object if this one can retire now, else by the next ticket. */
    void forgetLimits() {
        if (!retire(0)) {
            STATE.getAndBitwiseOr(this, STALE);
        }
    }

    /** It is in the map, with limits that hold: lets tickets in. */
    void settle() {
        GlobalLimiter g = dispatcher.globalLimiter();
        if (g != null) {
            joinGlobalLimit(g);
        }
        STATE.getAndBitwiseAnd(this, ~UNSETTLED);
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
        startQueued();
        signalSubmitters();
        return true;
    }

    /** Changes the limits, and starts what they leave room for. */
    void changeLimits(UnaryOperator<GroupLimits> change) {
        synchronized (this) {
            replaceLimits(change.apply(limits), ~0L);
        }
        startQueued();
        signalSubmitters();
    }

    /** Under the monitor. */
    private void replaceLimits(GroupLimits now, long flagsKept) {
        long places = (long) now.effectiveLimit() - limits.effectiveLimit();
        limits = now;
        fairnessState.setWeight(now.weight());
        for (; ; ) {
            long w = state;
            if (casStateNoBackOff(w, (w & flagsKept) + places * ONE_PERMIT)) {
                return;
            }
        }
    }

    void retireIfDone() {
        retireIfDone(state);
    }

    @Override
    void retireIfDone(long w) {
        if (queuedTasks(w) <= 0 && (retiresAtOnce || has(w, CLOSED))) {
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
                long w = state;
                if (has(w, RETIRED)) {
                    return true;
                }
                if ((w & flags) != flags || !isIdle(w) || awaitingRetryCount() != 0) {
                    return false;
                }
                boolean marked = has(w, IDLE);
                if (casStateNoBackOff(w, w | (marked ? RETIRED : IDLE)) && marked) {
                    break;
                }
            }
        }
        stopDeadlineMonitor();
        retired(has(state, READY_QUEUED));
        signalSubmitters();
        return true;
    }

    /** It is no more; it may still be in the ready queue. Called once. */
    void retired(boolean inReadyQueue) {
        dispatcher.retired(this, inReadyQueue);
    }

    /** One look of the idle sweep: retires the group if it was quiet at every look for {@code ttl}. */
    void sweep(long now, long ttl) {
        long w = state;
        if (!isIdle(w)) {
            return;
        }
        if (!has(w, IDLE)) {
            idleSince = now;
            casState(w, w | IDLE);
        } else if (now - idleSince >= ttl) {
            retire(IDLE); // an admission since the look above has wiped the mark off
        }
    }

    private boolean isIdle(long w) {
        return queuedTasks(w) == 0 && freePermits(w) == limits.effectiveLimit();
    }

    // ---- counting ------------------------------------------------------------------------------------------------

    /** Counts {@code number} more in {@code slot}, and under {@code tag} if that is not empty. */
    void count(int slot, int number, String tag) {
        if (slot == OutcomeCounters.COMMON_OUTCOME) {
            countCommonOutcome(number);
        } else {
            outcomes.add(slot, number);
        }
        if (!tag.isEmpty()) {
            outcomes.addTag(tag, number);
        }
        if (isRetired()) {
            handOverCounts();
        }
    }

    void countCommonOutcome(long number) {
        COMMON_OUTCOMES.getAndAdd(this, number);
    }

    /** Something was counted after it retired: has it moved to where the rest is. */
    void handOverCounts() {
        dispatcher.takeOverCounts(this);
    }

    /** Moves all that was counted over to {@code other}. */
    void moveCountsTo(OutcomeCounters other) {
        outcomes.moveTo(other);
        other.add(OutcomeCounters.COMMON_OUTCOME, (long) COMMON_OUTCOMES.getAndSet(this, 0L));
        other.add(OutcomeCounters.ADMITTED, (long) ADMITTED.getAndSet(this, 0L));
    }

    void addCountsTo(long[] sums) {
        outcomes.addTo(sums);
        sums[OutcomeCounters.COMMON_OUTCOME] += commonOutcomeCount();
        sums[OutcomeCounters.ADMITTED] += admittedCount();
    }

    /** How many tickets it has let in; this group object only. */
    public long admittedCount() {
        return admitted;
    }

    /** How many have ended as most do, see {@link OutcomeCounters#COMMON_OUTCOME}; likewise. */
    public long commonOutcomeCount() {
        return commonOutcomes;
    }

    @Nullable
    TaskTimes times() {
        return dispatcher.recordsTimes() ? times : null;
    }

    // ---- views ---------------------------------------------------------------------------------------------------

    @Override
    public String key() {
        return key;
    }

    /** Its limits now. */
    public GroupLimits limits() {
        return limits;
    }

    @Override
    public int queued() {
        return Math.max(0, queuedTasks(state));
    }

    /** For how long the one that has waited longest has waited; 0 if none waits. */
    public long oldestWaitingNanos() {
        TaskQueue tickets = queue;
        long now = now();
        return tickets == null ? 0 : now - tickets.oldestQueuedAt(now);
    }

    /** What its tickets came to, by slot; this group object's only. */
    public long[] counts() {
        long[] sums = new long[OutcomeCounters.SLOTS];
        addCountsTo(sums);
        return sums;
    }

    /** As {@link #counts}, of one slot that is not {@link OutcomeCounters#COMMON_OUTCOME} or {@link OutcomeCounters#ADMITTED}. */
    public long count(int slot) {
        return outcomes.count(slot);
    }

    /** How many ended, by tag. */
    public Map<String, Long> countsByTag() {
        return outcomes.byTag();
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
        return has(state, CLOSED);
    }

    boolean isRetired() {
        return has(state, RETIRED);
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

    @Override
    public FairnessState fairnessState() {
        return fairnessState;
    }
}
