package io.github.kobe.isolation;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Classifies keys by how long their tasks take, and decides which free permits a key may take.
 *
 * <p>{@link DemandHistogram} measures how many permits fast keys want, and {@link ReserveCalculator} derives the reserve from it. This
 * class keeps the reserve free of other keys. Not thread-safe, except for {@link #setWhiteList} and
 * {@link #addSharedPermits}.
 */
final class CapacityPolicy {

    /** Is notified of changes. Called under the lock of {@link IsolationQueue}, so it must be short. */
    interface ChangeListener {
        void laneChanged(String key, boolean slow);

        void reserveChanged(int from, int to);

        /** The age of running tasks is not checked for now, because of {@code fault}. Not called under the lock. */
        default void ageCheckFailed(Throwable fault) {}
    }

    /**
     * Limits that follow from the budget and from the shares of the policy. Computed once, since every task reads them.
     *
     * @param budget how many tasks may run at a time
     * @param laneSize the nominal size of a lane
     * @param keyLaneLimit how many permits one key may have of one lane
     * @param fastKeyLimit how many permits one key may have of two lanes; a key with more is not fast, however short its tasks are
     * @param whiteListLimit how many tasks of white-listed keys may run before such keys are queued like others
     * @param newKeyLimit how many permits a key may have of which no task has completed
     */
    record Limits(int budget, int laneSize, int keyLaneLimit, int fastKeyLimit, int whiteListLimit, int newKeyLimit) {

        /** The number of lanes that the budget is divided into, to measure what is much for one key. */
        private static final int LANES = 5;

        static Limits of(int budget, IsolationPolicy policy) {
            return new Limits(
                    budget,
                    Math.max(1, budget / LANES),
                    (int) Math.max(1, policy.maxShare() * budget / LANES),
                    (int) Math.max(1, 2 * policy.maxShare() * budget / LANES),
                    (int) Math.max(1, policy.whiteListShare() * budget),
                    (int) Math.max(1, policy.newKeyShare() * budget));
        }
    }

    private static final long RESERVE_UPDATE_PERIOD = TimeUnit.MILLISECONDS.toNanos(4);

    /** The weight of a new value in the mean time of fast tasks is one divided by this. */
    private static final int SMOOTHING = 64;

    /** Demand that lasts for less than this many mean times of a fast task does not count: such a task gets a permit soon anyway. */
    private static final int FAST_TIMES_PER_TICK = 2;

    /** What is kept from a new key for keys that have not been seen yet falls to its minimum in this fraction of the window. */
    private static final double RAMP_UP = 0.05;

    private static final int DEMAND_LEVELS = 1024;

    /** A key seems hung only if at least this many tasks have started since the last completion, not just one long task. */
    private static final int HUNG_STARTS = 3;

    /** A hung key is probed after a pause of this many times the period in which it started tasks without a completion. */
    private static final int PROBE_BACKOFF = 3;

    /** A fast key has at least this many permits as a fast key, so that one long task does not block its short ones. */
    private static final int MIN_FAST_PERMITS = 2;

    /** A task of a fast key that was queued for longer is late. */
    private static final long LATE_NANOS = TimeUnit.MICROSECONDS.toNanos(400);

    /** A key that is fast or slow has to cross the threshold by this factor to change back. */
    private static final double HYSTERESIS = 0.8;

    /** A key is fast if its tasks take at most this fraction of the time for which an average permit is held. */
    private static final double FAST_RATIO = 1.0 / 3;

    /** A key whose permits are held for at most this fraction of the average gets all the permits that a fast key may have. */
    private static final double FULL_TRUST_RATIO = 0.5;

    /** No completion for this many times the mean time means that tasks are stuck. */
    private static final int STUCK_FACTOR = 4;

    /** Any completion may be late by this much. */
    private static final long JITTER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final long slowNanos;
    private final long targetNanos;
    private final long windowNanos;
    private final ChangeListener listener;
    private final ServiceTimeEstimator allTasks = new ServiceTimeEstimator();
    private final ServiceTimeEstimator firstTasks = new ServiceTimeEstimator(); // the first task of each new key
    private final DemandHistogram demand;
    private final PeakUsage peakUsage;
    private final RunningKeys runningKeys = new RunningKeys();
    private final AtomicInteger sharedPermits = new AtomicInteger();
    private volatile Set<String> whiteList = Set.of();
    private Limits limits;
    private int whiteListedRunning;
    private int fastRunning;
    private int fastQueued;
    private int unprovenRunning;
    private int reserve;
    private long reserveUpdatedAt;
    private double meanFastTime = DemandHistogram.TICK;
    private long extraPermitUntil; // until then the reserve is larger by one

    CapacityPolicy(IsolationPolicy policy, Limits limits, long now, ChangeListener listener) {
        this.slowNanos = policy.slowThreshold().toNanos();
        this.targetNanos = policy.targetWait().toNanos();
        this.windowNanos = policy.statsWindow().toNanos();
        this.limits = limits;
        this.listener = listener;
        this.demand = new DemandHistogram(DEMAND_LEVELS, windowNanos, now);
        this.peakUsage = new PeakUsage(windowNanos, now);
        this.extraPermitUntil = now;
        this.reserveUpdatedAt = now;
    }

    void setLimits(Limits newLimits) {
        limits = newLimits;
        updateReserve();
    }

    void setWhiteList(Set<String> keys) {
        whiteList = keys;
    }

    int reserve() {
        return reserve;
    }

    int free() {
        return limits.budget() - allTasks.running() + sharedPermits.get();
    }

    /** So many more tasks run on the permit of another task. Thread-safe: called without the lock, so {@link #free} may be off for a moment. */
    void addSharedPermits(int change) {
        sharedPermits.addAndGet(change);
    }

    // ---- classification ---------------------------------------------------------------------------------------

    KeyClass classify(KeyState key, long now) {
        if (isFast(key, now)) {
            return KeyClass.FAST;
        }
        if (isAtLimit(key)) {
            return KeyClass.AT_LIMIT;
        }
        return isUnproven(key, now) ? KeyClass.UNPROVEN : KeyClass.ESTABLISHED;
    }

    private boolean isFast(KeyState key, long now) {
        if (isWhiteListed(key)) {
            return whiteListedRunning < limits.whiteListLimit();
        }
        return key.isNew() ? isNewKeyFast(key, now) : key.running < fastPermits(key, now);
    }

    /**
     * The first task of a new key is fast if few new keys run, or if new keys have been fast. Further tasks are fast only if new keys have
     * been fast and those that still run are not old: the mean over completed tasks says nothing about a few keys that hang.
     */
    private boolean isNewKeyFast(KeyState key, long now) {
        int most = Math.min(limits.fastKeyLimit(), limits.newKeyLimit());
        boolean few = key.running == 0 && firstTasks.running() < most;
        boolean known = key.running < most && !firstTasks.hasNoCompletions();
        double usual = key.running == 0 ? firstTasks.meanTime(now) : firstTasks.projectedTime(now);
        return few || (known && isFastTime(Math.max(usual, key.meanAge(now)), false, now));
    }

    /** Whether the key holds as many permits as a key may of which no task has completed. White-listed keys have no such limit. */
    private boolean isAtLimit(KeyState key) {
        return key.isNew() && key.running >= limits.newKeyLimit() && !isWhiteListed(key);
    }

    /** A new key without a running task is judged by the first tasks of other new keys. */
    private boolean isUnproven(KeyState key, long now) {
        if (isWhiteListed(key)) {
            return false;
        }
        if (key.isNew()) {
            return key.running > 0 || firstTasks.hasNoCompletions();
        }
        return seemsHung(key, now);
    }

    /** Whether several tasks of the key have started since the last completion, and that was long ago for this key. */
    private boolean seemsHung(KeyState key, long now) {
        int several = Math.clamp(limits.budget() / 2, 1, HUNG_STARTS);
        return key.startsSinceCompletion >= several && isStuck(key.meanTime, key.nanosWithoutCompletion(now));
    }

    private boolean isWhiteListed(KeyState key) {
        Set<String> keys = whiteList;
        return !keys.isEmpty() && keys.contains(key.name());
    }

    /** How many permits a known key may have as a fast key; fewer if some of its tasks take long. */
    private int fastPermits(KeyState key, long now) {
        if (!key.fast || seemsHung(key, now)) {
            return 0;
        }
        int most = limits.fastKeyLimit();
        double average = allTasks.holdingTime(now);
        if (key.holdsPermitAtMost(FULL_TRUST_RATIO * average)) {
            return most;
        }
        double trusted = most * fastFraction(key.holdingTime(), average);
        return Math.clamp((long) trusted, Math.min(MIN_FAST_PERMITS, most), most);
    }

    private boolean isFastTime(double time, boolean wasFast, long now) {
        return time < slowNanos && isFast(time, allTasks.holdingTime(now), wasFast);
    }

    boolean isSlow(KeyState key, long now) {
        return isSlow(key.typicalTime(now), (double) slowNanos, key.slow);
    }

    /** How long a task of the key is expected to hold its permit. */
    double expectedTime(KeyState key, long now) {
        if (isWhiteListed(key)) {
            return 0;
        }
        return key.isNew() ? firstTasks.meanTime(now) : key.typicalTime(now);
    }

    // ---- rules of the classification: pure functions of times in nanoseconds ----------------------------------

    /** Whether tasks that take {@code time} are slow by the threshold of the policy. */
    static boolean isSlow(double time, double threshold, boolean wasSlow) {
        return time >= threshold * (wasSlow ? HYSTERESIS : 1);
    }

    /**
     * Whether tasks that take {@code time} return a permit soon, compared with the time for which an average permit is held. If all keys
     * take about the same time, no key is fast and nothing is reserved.
     */
    static boolean isFast(double time, double averageHoldingTime, boolean wasFast) {
        return time * (wasFast ? HYSTERESIS : 1) <= averageHoldingTime * FAST_RATIO;
    }

    /** The fraction of the permits of a fast key for a key that holds a permit for {@code holdingTime}; at most 1. */
    static double fastFraction(double holdingTime, double averageHoldingTime) {
        double trusted = averageHoldingTime * FULL_TRUST_RATIO;
        return holdingTime <= trusted ? 1 : trusted / holdingTime;
    }

    /** Whether {@code nanos} without a completion are much longer than the mean time. */
    static boolean isStuck(double meanTime, double nanos) {
        return nanos > STUCK_FACTOR * meanTime + JITTER_NANOS;
    }

    // ---- reserved permits -------------------------------------------------------------------------------------

    /** Whether a free permit, if there is one, may be given to a key of that class. */
    boolean mayStart(KeyState key, KeyClass keyClass, long now) {
        return switch (keyClass) {
            case FAST -> true;
            case ESTABLISHED -> leavesReserve(now);
            case UNPROVEN -> mayStartUnproven(key, now);
            case AT_LIMIT -> false;
        };
    }

    /**
     * Whether only fast keys may take a free permit. Then {@link #mayStart} is false for every other class at any time, until a task starts
     * or completes or the limits change: every other rule keeps at least as many permits from a key as this one.
     */
    boolean isLeftToFast() {
        return !leavesFree(reserve, fastRunning);
    }

    private boolean mayStartUnproven(KeyState key, long now) {
        boolean probe = mayProbe(key, now);
        boolean leavesFast =
                probe ? leavesReserve(now) : leavesFree(reservedFromUnproven(key, now), fastRunning - key.fastRunning);
        return leavesFast && leavesFree(reservedFromHung(key, probe, now), establishedRunningOfOthers(key));
    }

    private boolean leavesReserve(long now) {
        return leavesFree(
                now - extraPermitUntil < 0 ? Math.min(limits.budget() - 1, reserve + 1) : reserve, fastRunning);
    }

    /**
     * Whether one more start leaves the reserved permits free.
     *
     * @param inUse how many of the reserved permits are held by the keys that they are reserved for
     */
    private boolean leavesFree(double reserved, int inUse) {
        return free() > Math.max(0, reserved - inUse);
    }

    /** Twice the reserve, and for a new key some more at first: fast keys that have not been seen yet may need them. */
    private double reservedFromUnproven(KeyState key, long now) {
        int most = limits.fastKeyLimit();
        double unseen = Math.max(most / 3.0 < 1 ? 0 : most / 3.0, key.isNew() ? most * (1 - rampUp(key, now)) : 0);
        return Math.min(limits.budget() - 1.0, 2 * reserve + unseen);
    }

    /**
     * The peak usage of all other keys that do not hang, up to half of the budget. While all keys were alike there was no reserve, so
     * without this a hung key would take every permit. For a probe, one less, unless only one is reserved.
     */
    private double reservedFromHung(KeyState key, boolean probe, long now) {
        if (key.isNew()) {
            return 0;
        }
        int reserved = Math.min(limits.budget() / 2, peakUsage.peakOfOthers(key, now));
        return probe && reserved > 1 ? reserved - 1.0 : reserved;
    }

    /** How many tasks of other keys run, without those of new and of hung keys. */
    private int establishedRunningOfOthers(KeyState key) {
        return allTasks.running() - unprovenRunning - (key.running - key.unprovenRunning);
    }

    /**
     * Whether a known key that seems hung has paused for so long that one more task may run. Without such a probe, three hung tasks would
     * stop the key for good where other keys want all permits. After each probe that does not complete, the next pause is four times as
     * long.
     */
    private boolean mayProbe(KeyState key, long now) {
        long pause = now - key.lastStart;
        return !key.isNew() && pause > targetNanos && pause > PROBE_BACKOFF * (key.nanosWithoutCompletion(now) - pause);
    }

    /** Grows from 0 to 1 while a new key becomes known. */
    private double rampUp(KeyState key, long now) {
        long known = key.running > 0 ? now - key.firstStart : !key.isQueued() ? 0 : now - key.queuedSince;
        return Math.min(1, known / (RAMP_UP * windowNanos));
    }

    // ---- events -----------------------------------------------------------------------------------------------

    /**
     * A queued task of the key is dispatched. If it is late, the reserve is larger by one until this task has probably completed. A key
     * that always runs one task starts each task a little later than the one before if tasks take a little longer than planned. Each delay is
     * too short for the demand histogram, but the delays add up. With one more permit the next task does not wait for this one.
     */
    void onDispatched(KeyState key, long now) {
        if (key.fast && key.isQueuedAs(KeyClass.FAST) && now - key.queuedSince > LATE_NANOS) {
            extraPermitUntil = Math.max(extraPermitUntil, now + (long) key.meanTime);
        }
    }

    /** A task of the key gets a permit. */
    void onStarted(KeyState key, long now) {
        if (key.isNew() && key.running == 0) {
            firstTasks.recordStart(now);
        }
        if (isWhiteListed(key)) {
            key.whiteListedRunning++;
            whiteListedRunning++;
        }
        key.recordStart(now);
        runningKeys.add(key);
        peakUsage.record(key, now);
        allTasks.recordStart(now);
        reassess(key, now);
    }

    /** A task of the key returns its permit. If {@code now == start}, the task did not run, which says nothing about the key. */
    void onCompleted(KeyState key, long start, long now) {
        if (key.whiteListedRunning > 0) {
            key.whiteListedRunning--;
            whiteListedRunning--;
        }
        allTasks.removeRunning(start);
        if (now == start) {
            undoStart(key, start);
        } else {
            peakUsage.record(key, now);
            learn(key, start, now);
        }
        reassess(key, now);
    }

    private void undoStart(KeyState key, long start) {
        key.undoStart(start);
        if (key.isNew() && key.running == 0) {
            firstTasks.removeRunning(key.firstStart);
        }
    }

    private void learn(KeyState key, long start, long now) {
        double memory = (double) limits.budget() * windowNanos;
        if (key.isNew()) {
            if (firstTasks.hasNoCompletions() && isFastTime((double) (now - start), false, now)) {
                demand.addPast(
                        fastRunning + firstTasks.running(), now - start); // only now is it known that they were fast
            }
            firstTasks.removeRunning(key.firstStart);
            firstTasks.recordCompletion(start, now, memory);
        }
        key.recordCompletion(start, now);
        allTasks.recordCompletion(start, now, memory);
        if (key.fast) {
            meanFastTime += (now - start - meanFastTime) / SMOOTHING;
            demand.setTick(FAST_TIMES_PER_TICK * meanFastTime);
        }
    }

    /** Whether a task runs, or did so when ages were last checked. */
    boolean mayHaveRunning() {
        return !runningKeys.isEmpty();
    }

    /** The next calls of {@link #checkAges} go over the keys that have running tasks. */
    void beginAgeCheck() {
        runningKeys.beginCheck();
    }

    /**
     * Finds keys that have become slow by the age of their running tasks, although none of these completes and none starts.
     *
     * @param most how many keys are looked at
     * @return whether there are more
     */
    boolean checkAges(int most, long now) {
        return runningKeys.check(most, key -> updateSlow(key, now));
    }

    /** Updates what is known about the key: slow or not, fast or not, hung or not, and its demand. */
    void reassess(KeyState key, long now) {
        updateSlow(key, now);
        key.fast = !key.isNew() && isFastTime(key.projectedMean(now), key.fast, now);
        updateHung(key, now);
        int most = key.whiteListedRunning > 0 ? key.running : fastPermits(key, now);
        int running = Math.min(key.running, most);
        int queued = key.isQueuedAs(KeyClass.FAST) && !key.isNew()
                ? Math.min(key.group().queued(), Math.max(0, most - running))
                : 0;
        fastRunning += running - key.fastRunning;
        fastQueued += queued - key.fastQueued;
        key.fastRunning = running;
        key.fastQueued = queued;
        demand.set(fastRunning + fastQueued, now);
        if (now - reserveUpdatedAt >= RESERVE_UPDATE_PERIOD) {
            reserveUpdatedAt = now;
            updateReserve();
        }
    }

    private void updateSlow(KeyState key, long now) {
        boolean slow = isSlow(key, now);
        if (slow != key.slow) {
            key.slow = slow;
            listener.laneChanged(key.name(), slow);
        }
    }

    /** The peak usage of a hung key is forgotten, so that keys that hang at the same time do not wait for each other. */
    private void updateHung(KeyState key, long now) {
        boolean hung = !key.isNew() && seemsHung(key, now);
        int unproven = hung || key.isNew() ? key.running : 0;
        unprovenRunning += unproven - key.unprovenRunning;
        key.unprovenRunning = unproven;
        if (hung) {
            peakUsage.forget(key, now);
        }
    }

    private void updateReserve() {
        int permits = ReserveCalculator.STANDARD.permits(demand.nanosByLevel(), limits.budget());
        if (permits != reserve) {
            listener.reserveChanged(reserve, permits);
            reserve = permits;
        }
    }
}
