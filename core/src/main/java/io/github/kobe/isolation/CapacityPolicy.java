package io.github.kobe.isolation;

import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Who may have which places: what each key is, by how long its tasks take, and how many places are kept for quick ones. That number
 * is up to {@link ReserveCalculator}, by what {@link DemandHistogram} has seen. Not safe for use by several threads, but for what is volatile.
 */
final class CapacityPolicy {

    /** What is said of a change. */
    interface Journal {
        void laneChanged(String key, boolean slow);

        void reserveChanged(int from, int to);
    }

    /** How long it takes before the reserve is computed again. */
    private static final long LOOK_PERIOD = TimeUnit.MILLISECONDS.toNanos(4);

    /** A quick task counts one in so many in how long they take. */
    private static final int SMOOTHING = 64;

    /** What is wanted for less than so many times as long as a quick task takes is had soon, also without a place for it. */
    private static final int SOON = 2;

    /** A new key's part of the budget grows to all of it in this part of a window. */
    private static final double RAMP = 0.05;

    private static final int LEVELS = 1024;

    /** If so many tasks of a key have started since one last ended, it is not one long task that makes it look as if it hung. */
    private static final int UNANSWERED = 3;

    /** For so many times as long as it has started tasks of which none ended, a key that seems to hang is left alone. */
    private static final int PATIENCE = 3;

    /** So many quick places are left to a key that is not to have many, so that one long task does not block short ones. */
    private static final int FEW = 2;

    /** A quick task that waits for longer is late. */
    private static final long LATE = TimeUnit.MICROSECONDS.toNanos(400);

    private final Thresholds standards;
    private final Journal journal;
    private final RunStatistics all = new RunStatistics();
    private final RunStatistics firsts = new RunStatistics(); // the first task of each new key
    private final DemandHistogram demand;
    private final PeakUsage usage;
    private volatile Set<String> whiteList = Set.of();
    private DerivedLimits room;
    private int whiteRunning;
    private int quickRunning;
    private int quickWaiting;
    private int unprovenRunning;
    private int reserve;
    private long reserveLooked; // when
    private double quickTime = DemandHistogram.TICK; // that a quick task takes
    private long lateUntil; // up to then there is one place more for quick work

    CapacityPolicy(Thresholds standards, DerivedLimits room, long now, Journal journal) {
        this.standards = standards;
        this.room = room;
        this.journal = journal;
        this.demand = new DemandHistogram(LEVELS, standards.windowNanos(), now);
        this.usage = new PeakUsage(standards.windowNanos(), now);
        this.lateUntil = now;
        this.reserveLooked = now;
    }

    void setRoom(DerivedLimits now) {
        room = now;
        lookAtReserve();
    }

    void setWhiteList(Set<String> keys) {
        whiteList = keys;
    }

    int reserve() {
        return reserve;
    }

    int free() {
        return room.budget() - all.running();
    }

    // ---- who is what ---------------------------------------------------------------------------------------------

    KeyClass standing(KeyState share, long now) {
        if (isEntitled(share, now)) {
            return KeyClass.QUICK;
        }
        return isUnproven(share, now) ? KeyClass.UNPROVEN : KeyClass.PROVEN;
    }

    private boolean isEntitled(KeyState share, long now) {
        if (isWhite(share)) {
            return whiteRunning < room.white();
        }
        return share.isStranger() ? isWelcome(share, now) : share.running < quickPlaces(share, now);
    }

    /**
     * The first task of a new key is, if few keys are new or new ones are quick; more of them only if new ones are, also those that have
     * not ended: of a few that hang, the mean over all that ended would say nothing.
     */
    private boolean isWelcome(KeyState share, long now) {
        int most = room.light();
        boolean few = share.running == 0 && firsts.running() < most;
        boolean known = share.running < most && !firsts.isUnknown();
        double usual = share.running == 0 ? firsts.meanTime(now) : firsts.lengthAtLeast(now);
        return few || (known && isQuick(Math.max(usual, share.age(now)), false, now));
    }

    /** What runs nothing yet is judged by what other new keys have done. */
    private boolean isUnproven(KeyState share, long now) {
        if (isWhite(share)) {
            return false;
        }
        if (share.isStranger()) {
            return share.running > 0 || firsts.isUnknown();
        }
        return seemsToHang(share, now);
    }

    /** Whether several of its tasks have started since one last ended, and that was long ago for it. */
    private boolean seemsToHang(KeyState share, long now) {
        int several = Math.clamp(room.budget() / 2, 1, UNANSWERED);
        return share.unanswered >= several && ServiceTimeEstimator.isStuck(share.mean, share.silence(now));
    }

    private boolean isWhite(KeyState share) {
        Set<String> keys = whiteList;
        return !keys.isEmpty() && keys.contains(share.key());
    }

    /** How many places a known key may have as quick work; fewer, if now and then one of its tasks takes long. */
    private int quickPlaces(KeyState share, long now) {
        if (!share.quick || seemsToHang(share, now)) {
            return 0;
        }
        int most = room.light();
        double across = all.holdingTime(now);
        if (share.holdsForAtMost(ServiceTimeEstimator.TRUSTED * across)) {
            return most;
        }
        double trusted = most * ServiceTimeEstimator.trust(share.holdingTime(), across);
        return Math.clamp((long) trusted, Math.min(FEW, most), most);
    }

    private boolean isQuick(double typical, boolean before, long now) {
        return typical < standards.slowNanos() && ServiceTimeEstimator.isQuick(typical, all.holdingTime(now), before);
    }

    boolean isSlow(KeyState share, long now) {
        return ServiceTimeEstimator.isSlow(share.typical(now), (double) standards.slowNanos(), share.slow);
    }

    /** For how long a task of the key is going to have its place. */
    double expected(KeyState share, long now) {
        if (isWhite(share)) {
            return 0;
        }
        return share.isStranger() ? firsts.meanTime(now) : share.typical(now);
    }

    // ---- what is kept from whom ----------------------------------------------------------------------------------

    /** Whether there is a place for a task of a key of that standing. */
    boolean hasRoom(KeyState share, KeyClass standing, long now) {
        return switch (standing) {
            case QUICK -> true;
            case PROVEN -> leavesReserve(now);
            case UNPROVEN -> hasRoomUnproven(share, now);
        };
    }

    private boolean hasRoomUnproven(KeyState share, long now) {
        boolean again = mayTryAgain(share, now);
        boolean leavesQuick =
                again ? leavesReserve(now) : leaves(keptFromUnproven(share, now), quickRunning - share.quickRunning);
        return leavesQuick
                && leaves(keptFromHung(share, again, now), provenRunning(share))
                && share.running < mostAtOnce(share, now);
    }

    private boolean leavesReserve(long now) {
        return leaves(now - lateUntil < 0 ? Math.min(room.budget() - 1, reserve + 1) : reserve, quickRunning);
    }

    /** @param taken how many of those that are kept are taken, by whom they are kept for */
    private boolean leaves(double kept, int taken) {
        return free() > Math.max(0, kept - taken);
    }

    /** Twice the reserve; and from a new key some more at first, for quick work that has not been seen yet. */
    private double keptFromUnproven(KeyState share, long now) {
        int light = room.light();
        double unseen =
                Math.max(light / 3.0 < 1 ? 0 : light / 3.0, share.isStranger() ? light * (1 - grown(share, now)) : 0);
        return Math.min(room.budget() - 1.0, 2 * reserve + unseen);
    }

    /**
     * As many as all others have had, but for those that hang too, up to half of all places: while all were alike there was no reserve, and
     * it would take what there is. When it may try again, one less, if that is not the last.
     */
    private double keptFromHung(KeyState share, boolean again, long now) {
        if (share.isStranger()) {
            return 0;
        }
        int kept = Math.min(room.budget() / 2, usage.ofOthers(share, now));
        return again && kept > 1 ? kept - 1.0 : kept;
    }

    /** How many run of others, but for those of new keys and of keys that hang. */
    private int provenRunning(KeyState share) {
        return all.running() - unprovenRunning - (share.running - share.unprovenRunning);
    }

    /**
     * Whether a known key, which seems to hang, has been left alone for so long that one more task may show that it does not, or not all of
     * it does: else three tasks that hang would be the end of a key where others want all places. Each try that comes to nothing makes
     * the next one come four times as late.
     */
    private boolean mayTryAgain(KeyState share, long now) {
        long alone = now - share.lastStart;
        return !share.isStranger()
                && alone > standards.targetNanos()
                && alone > PATIENCE * (share.silence(now) - alone);
    }

    private double mostAtOnce(KeyState share, long now) {
        if (!share.isStranger() || share.running == 0) {
            return Integer.MAX_VALUE;
        }
        return Math.max(1, room.budget() * (standards.maxShare() + (1 - standards.maxShare()) * grown(share, now)));
    }

    /** From 0 for a key that is new to 1 for one that is not. */
    private double grown(KeyState share, long now) {
        long known = share.running > 0 ? now - share.firstStart : !share.isInLine() ? 0 : now - share.since;
        return Math.min(1, known / (RAMP * standards.windowNanos()));
    }

    // ---- what happens --------------------------------------------------------------------------------------------

    /**
     * A task of the key is served that was in line. A key that always has one task at work starts each a little later than the one
     * before, if tasks take a little longer than they should: less than shows in what is wanted at a time, but it adds up. While its
     * task runs there is one place more, so that the next one need not wait for the end of this.
     */
    void served(KeyState share, long now) {
        if (share.quick && share.isIn(KeyClass.QUICK) && now - share.since > LATE) {
            lateUntil = Math.max(lateUntil, now + (long) share.mean);
        }
    }

    /** A task of the key gets a place. */
    void began(KeyState share, long now) {
        if (share.isStranger() && share.running == 0) {
            firsts.begin(now);
        }
        if (isWhite(share)) {
            share.whites++;
            whiteRunning++;
        }
        share.begin(now);
        usage.had(share, now);
        all.begin(now);
        weigh(share, now);
    }

    /** A task of the key gives its place back. */
    void ended(KeyState share, long start, long now) {
        if (share.whites > 0) {
            share.whites--;
            whiteRunning--;
        }
        all.leave(start);
        if (now == start) {
            neverBegan(share, start);
        } else {
            usage.had(share, now);
            learn(share, start, now);
        }
        weigh(share, now);
    }

    /** It got a place and had no use for it: that says nothing about the key. */
    private void neverBegan(KeyState share, long start) {
        share.takeBack(start);
        if (share.isStranger() && share.running == 0) {
            firsts.leave(share.firstStart);
        }
    }

    private void learn(KeyState share, long start, long now) {
        double memory = (double) room.budget() * standards.windowNanos();
        if (share.isStranger()) {
            if (firsts.isUnknown() && isQuick((double) (now - start), false, now)) {
                demand.add(quickRunning + firsts.running(), now - start); // as it turns out, that is what was wanted
            }
            firsts.leave(share.firstStart);
            firsts.ended(start, now, memory);
        }
        share.end(start, now);
        all.ended(start, now, memory);
        if (share.quick) {
            quickTime += (now - start - quickTime) / SMOOTHING;
            demand.setTick(SOON * quickTime);
        }
    }

    /** Judges a key anew, and notes what it wants. */
    void weigh(KeyState share, long now) {
        boolean slow = isSlow(share, now);
        if (slow != share.slow) {
            share.slow = slow;
            journal.laneChanged(share.key(), slow);
        }
        share.quick = !share.isStranger() && isQuick(share.foreseen(now), share.quick, now);
        noteWhetherItHangs(share, now);
        int most = share.whites > 0 ? share.running : quickPlaces(share, now);
        int running = Math.min(share.running, most);
        int waiting = share.isIn(KeyClass.QUICK) && !share.isStranger()
                ? Math.min(share.group().queued(), Math.max(0, most - running))
                : 0;
        quickRunning += running - share.quickRunning;
        quickWaiting += waiting - share.quickWaiting;
        share.quickRunning = running;
        share.quickWaiting = waiting;
        demand.set(quickRunning + quickWaiting, now);
        if (now - reserveLooked >= LOOK_PERIOD) {
            reserveLooked = now;
            lookAtReserve();
        }
    }

    /** What it has had is not kept from others that hang: if all of them turn slow at once, nobody is to wait for nobody. */
    private void noteWhetherItHangs(KeyState share, long now) {
        boolean hangs = !share.isStranger() && seemsToHang(share, now);
        int unproven = hangs || share.isStranger() ? share.running : 0;
        unprovenRunning += unproven - share.unprovenRunning;
        share.unprovenRunning = unproven;
        if (hangs) {
            usage.forget(share, now);
        }
    }

    private void lookAtReserve() {
        int places = ReserveCalculator.STANDARD.places(demand.nanos(), room.budget());
        if (places != reserve) {
            journal.reserveChanged(reserve, places);
            reserve = places;
        }
    }
}
