package io.github.kobe.isolation;

import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Who may have which places: what each key is, by how long its tasks take, and how many places are kept for quick ones. That number
 * is up to {@link ReserveCalculator}, by what {@link DemandHistogram} has seen. Not safe for use by several threads, but for what is volatile.
 */
final class CapacityPolicy {

    /** What is said of a change. */
    interface ChangeListener {
        void laneChanged(String key, boolean slow);

        void reserveChanged(int from, int to);
    }

    /** How long it takes before the reserve is computed again. */
    private static final long RESERVE_UPDATE_PERIOD = TimeUnit.MILLISECONDS.toNanos(4);

    /** A quick task counts one in so many in how long they take. */
    private static final int SMOOTHING = 64;

    /** What is wanted for less than so many times as long as a quick task takes is had soon, also without a place for it. */
    private static final int TICKS_PER_FAST_TASK = 2;

    /** A new key's part of the budget grows to all of it in this part of a window. */
    private static final double RAMP_UP = 0.05;

    private static final int DEMAND_LEVELS = 1024;

    /** If so many tasks of a key have started since one last ended, it is not one long task that makes it look as if it hung. */
    private static final int HUNG_STARTS = 3;

    /** For so many times as long as it has started tasks of which none ended, a key that seems to hang is left alone. */
    private static final int PROBE_BACKOFF = 3;

    /** So many quick places are left to a key that is not to have many, so that one long task does not block short ones. */
    private static final int MIN_FAST_PERMITS = 2;

    /** A quick task that waits for longer is late. */
    private static final long LATE_NANOS = TimeUnit.MICROSECONDS.toNanos(400);

    private final Thresholds standards;
    private final ChangeListener listener;
    private final RunStatistics allTasks = new RunStatistics();
    private final RunStatistics firstTasks = new RunStatistics(); // the first task of each new key
    private final DemandHistogram demand;
    private final PeakUsage peakUsage;
    private volatile Set<String> whiteList = Set.of();
    private DerivedLimits limits;
    private int whiteListedRunning;
    private int fastRunning;
    private int fastQueued;
    private int unprovenRunning;
    private int reserve;
    private long reserveUpdatedAt; // when
    private double meanFastTime = DemandHistogram.TICK; // that a quick task takes
    private long extraPermitUntil; // up to then there is one place more for quick work

    CapacityPolicy(Thresholds standards, DerivedLimits room, long now, ChangeListener journal) {
        this.standards = standards;
        this.limits = room;
        this.listener = journal;
        this.demand = new DemandHistogram(DEMAND_LEVELS, standards.windowNanos(), now);
        this.peakUsage = new PeakUsage(standards.windowNanos(), now);
        this.extraPermitUntil = now;
        this.reserveUpdatedAt = now;
    }

    void setLimits(DerivedLimits now) {
        limits = now;
        updateReserve();
    }

    void setWhiteList(Set<String> keys) {
        whiteList = keys;
    }

    int reserve() {
        return reserve;
    }

    int free() {
        return limits.budget() - allTasks.running();
    }

    // ---- who is what ---------------------------------------------------------------------------------------------

    KeyClass classify(KeyState share, long now) {
        if (isFast(share, now)) {
            return KeyClass.FAST;
        }
        return isUnproven(share, now) ? KeyClass.UNPROVEN : KeyClass.ESTABLISHED;
    }

    private boolean isFast(KeyState share, long now) {
        if (isWhiteListed(share)) {
            return whiteListedRunning < limits.whiteListLimit();
        }
        return share.isNew() ? isNewKeyFast(share, now) : share.running < fastPermits(share, now);
    }

    /**
     * The first task of a new key is, if few keys are new or new ones are quick; more of them only if new ones are, also those that have
     * not ended: of a few that hang, the mean over all that ended would say nothing.
     */
    private boolean isNewKeyFast(KeyState share, long now) {
        int most = limits.fastKeyLimit();
        boolean few = share.running == 0 && firstTasks.running() < most;
        boolean known = share.running < most && !firstTasks.hasNoCompletions();
        double usual = share.running == 0 ? firstTasks.meanTime(now) : firstTasks.projectedTime(now);
        return few || (known && isFastTime(Math.max(usual, share.meanAge(now)), false, now));
    }

    /** What runs nothing yet is judged by what other new keys have done. */
    private boolean isUnproven(KeyState share, long now) {
        if (isWhiteListed(share)) {
            return false;
        }
        if (share.isNew()) {
            return share.running > 0 || firstTasks.hasNoCompletions();
        }
        return seemsToHang(share, now);
    }

    /** Whether several of its tasks have started since one last ended, and that was long ago for it. */
    private boolean seemsToHang(KeyState share, long now) {
        int several = Math.clamp(limits.budget() / 2, 1, HUNG_STARTS);
        return share.startsSinceCompletion >= several && ServiceTimeEstimator.isStuck(share.meanTime, share.nanosWithoutCompletion(now));
    }

    private boolean isWhiteListed(KeyState share) {
        Set<String> keys = whiteList;
        return !keys.isEmpty() && keys.contains(share.name());
    }

    /** How many places a known key may have as quick work; fewer, if now and then one of its tasks takes long. */
    private int fastPermits(KeyState share, long now) {
        if (!share.fast || seemsToHang(share, now)) {
            return 0;
        }
        int most = limits.fastKeyLimit();
        double across = allTasks.holdingTime(now);
        if (share.holdsPermitAtMost(ServiceTimeEstimator.FULL_TRUST_RATIO * across)) {
            return most;
        }
        double trusted = most * ServiceTimeEstimator.fastFraction(share.holdingTime(), across);
        return Math.clamp((long) trusted, Math.min(MIN_FAST_PERMITS, most), most);
    }

    private boolean isFastTime(double typical, boolean before, long now) {
        return typical < standards.slowNanos() && ServiceTimeEstimator.isFast(typical, allTasks.holdingTime(now), before);
    }

    boolean isSlow(KeyState share, long now) {
        return ServiceTimeEstimator.isSlow(share.typicalTime(now), (double) standards.slowNanos(), share.slow);
    }

    /** For how long a task of the key is going to have its place. */
    double expectedTime(KeyState share, long now) {
        if (isWhiteListed(share)) {
            return 0;
        }
        return share.isNew() ? firstTasks.meanTime(now) : share.typicalTime(now);
    }

    // ---- what is kept from whom ----------------------------------------------------------------------------------

    /** Whether there is a place for a task of a key of that standing. */
    boolean mayStart(KeyState share, KeyClass standing, long now) {
        return switch (standing) {
            case FAST -> true;
            case ESTABLISHED -> leavesReserve(now);
            case UNPROVEN -> mayStartUnproven(share, now);
        };
    }

    private boolean mayStartUnproven(KeyState share, long now) {
        boolean again = mayProbe(share, now);
        boolean leavesQuick =
                again ? leavesReserve(now) : leavesFree(reservedFromUnproven(share, now), fastRunning - share.fastRunning);
        return leavesQuick
                && leavesFree(reservedFromHung(share, again, now), establishedRunningOfOthers(share))
                && share.running < maxRunningOfNew(share, now);
    }

    private boolean leavesReserve(long now) {
        return leavesFree(now - extraPermitUntil < 0 ? Math.min(limits.budget() - 1, reserve + 1) : reserve, fastRunning);
    }

    /** @param taken how many of those that are kept are taken, by whom they are kept for */
    private boolean leavesFree(double kept, int taken) {
        return free() > Math.max(0, kept - taken);
    }

    /** Twice the reserve; and from a new key some more at first, for quick work that has not been seen yet. */
    private double reservedFromUnproven(KeyState share, long now) {
        int light = limits.fastKeyLimit();
        double unseen =
                Math.max(light / 3.0 < 1 ? 0 : light / 3.0, share.isNew() ? light * (1 - rampUp(share, now)) : 0);
        return Math.min(limits.budget() - 1.0, 2 * reserve + unseen);
    }

    /**
     * As many as all others have had, but for those that hang too, up to half of all places: while all were alike there was no reserve, and
     * it would take what there is. When it may try again, one less, if that is not the last.
     */
    private double reservedFromHung(KeyState share, boolean again, long now) {
        if (share.isNew()) {
            return 0;
        }
        int kept = Math.min(limits.budget() / 2, peakUsage.peakOfOthers(share, now));
        return again && kept > 1 ? kept - 1.0 : kept;
    }

    /** How many run of others, but for those of new keys and of keys that hang. */
    private int establishedRunningOfOthers(KeyState share) {
        return allTasks.running() - unprovenRunning - (share.running - share.unprovenRunning);
    }

    /**
     * Whether a known key, which seems to hang, has been left alone for so long that one more task may show that it does not, or not all of
     * it does: else three tasks that hang would be the end of a key where others want all places. Each try that comes to nothing makes
     * the next one come four times as late.
     */
    private boolean mayProbe(KeyState share, long now) {
        long alone = now - share.lastStart;
        return !share.isNew()
                && alone > standards.targetNanos()
                && alone > PROBE_BACKOFF * (share.nanosWithoutCompletion(now) - alone);
    }

    private double maxRunningOfNew(KeyState share, long now) {
        if (!share.isNew() || share.running == 0) {
            return Integer.MAX_VALUE;
        }
        return Math.max(1, limits.budget() * (standards.maxShare() + (1 - standards.maxShare()) * rampUp(share, now)));
    }

    /** From 0 for a key that is new to 1 for one that is not. */
    private double rampUp(KeyState share, long now) {
        long known = share.running > 0 ? now - share.firstStart : !share.isQueued() ? 0 : now - share.queuedSince;
        return Math.min(1, known / (RAMP_UP * standards.windowNanos()));
    }

    // ---- what happens --------------------------------------------------------------------------------------------

    /**
     * A task of the key is served that was in line. A key that always has one task at work starts each a little later than the one
     * before, if tasks take a little longer than they should: less than shows in what is wanted at a time, but it adds up. While its
     * task runs there is one place more, so that the next one need not wait for the end of this.
     */
    void onDispatched(KeyState share, long now) {
        if (share.fast && share.isQueuedAs(KeyClass.FAST) && now - share.queuedSince > LATE_NANOS) {
            extraPermitUntil = Math.max(extraPermitUntil, now + (long) share.meanTime);
        }
    }

    /** A task of the key gets a place. */
    void onStarted(KeyState share, long now) {
        if (share.isNew() && share.running == 0) {
            firstTasks.recordStart(now);
        }
        if (isWhiteListed(share)) {
            share.whiteListedRunning++;
            whiteListedRunning++;
        }
        share.recordStart(now);
        peakUsage.record(share, now);
        allTasks.recordStart(now);
        reassess(share, now);
    }

    /** A task of the key gives its place back. */
    void onCompleted(KeyState share, long start, long now) {
        if (share.whiteListedRunning > 0) {
            share.whiteListedRunning--;
            whiteListedRunning--;
        }
        allTasks.removeRunning(start);
        if (now == start) {
            undoStart(share, start);
        } else {
            peakUsage.record(share, now);
            learn(share, start, now);
        }
        reassess(share, now);
    }

    /** It got a place and had no use for it: that says nothing about the key. */
    private void undoStart(KeyState share, long start) {
        share.undoStart(start);
        if (share.isNew() && share.running == 0) {
            firstTasks.removeRunning(share.firstStart);
        }
    }

    private void learn(KeyState share, long start, long now) {
        double memory = (double) limits.budget() * standards.windowNanos();
        if (share.isNew()) {
            if (firstTasks.hasNoCompletions() && isFastTime((double) (now - start), false, now)) {
                demand.addPast(fastRunning + firstTasks.running(), now - start); // as it turns out, that is what was wanted
            }
            firstTasks.removeRunning(share.firstStart);
            firstTasks.recordCompletion(start, now, memory);
        }
        share.recordCompletion(start, now);
        allTasks.recordCompletion(start, now, memory);
        if (share.fast) {
            meanFastTime += (now - start - meanFastTime) / SMOOTHING;
            demand.setTick(TICKS_PER_FAST_TASK * meanFastTime);
        }
    }

    /** Judges a key anew, and notes what it wants. */
    void reassess(KeyState share, long now) {
        boolean slow = isSlow(share, now);
        if (slow != share.slow) {
            share.slow = slow;
            listener.laneChanged(share.name(), slow);
        }
        share.fast = !share.isNew() && isFastTime(share.projectedMean(now), share.fast, now);
        updateHung(share, now);
        int most = share.whiteListedRunning > 0 ? share.running : fastPermits(share, now);
        int running = Math.min(share.running, most);
        int waiting = share.isQueuedAs(KeyClass.FAST) && !share.isNew()
                ? Math.min(share.group().queued(), Math.max(0, most - running))
                : 0;
        fastRunning += running - share.fastRunning;
        fastQueued += waiting - share.fastQueued;
        share.fastRunning = running;
        share.fastQueued = waiting;
        demand.set(fastRunning + fastQueued, now);
        if (now - reserveUpdatedAt >= RESERVE_UPDATE_PERIOD) {
            reserveUpdatedAt = now;
            updateReserve();
        }
    }

    /** What it has had is not kept from others that hang: if all of them turn slow at once, nobody is to wait for nobody. */
    private void updateHung(KeyState share, long now) {
        boolean hangs = !share.isNew() && seemsToHang(share, now);
        int unproven = hangs || share.isNew() ? share.running : 0;
        unprovenRunning += unproven - share.unprovenRunning;
        share.unprovenRunning = unproven;
        if (hangs) {
            peakUsage.forget(share, now);
        }
    }

    private void updateReserve() {
        int places = ReserveCalculator.STANDARD.permits(demand.nanosByLevel(), limits.budget());
        if (places != reserve) {
            listener.reserveChanged(reserve, places);
            reserve = places;
        }
    }
}
