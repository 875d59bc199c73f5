package io.github.kobe.isolation;

import io.github.kobe.internal.stats.Histogram;
import io.github.kobe.internal.util.CacheLinePadding;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * Assigns each started task to a lane, and counts the tasks of each lane. Lanes explain decisions; {@link IsolationQueue} makes them.
 *
 * <p>Every task updates the counters on its own thread when it starts and when it completes, without a lock. A count is read by the
 * increment itself. An ordinary task reads only the counter of its own lane, because the others are mostly in the cache of another
 * processor.
 */
final class LaneCounters {

    private static final class Counter extends CacheLinePadding {
        private static final VarHandle RUNNING;

        static {
            try {
                RUNNING = MethodHandles.lookup().findVarHandle(Counter.class, "running", int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private volatile int running;
        private final Histogram queueTimes = new Histogram();

        /** @return the count before */
        int increment() {
            return (int) RUNNING.getAndAdd(this, 1);
        }

        void decrement() {
            RUNNING.getAndAdd(this, -1);
        }
    }

    /**
     * The rule for the lane of a task that starts.
     *
     * @param whiteListed whether the key is white-listed
     * @param whiteListFull whether white-listed keys use their whole capacity
     * @param slow whether the key is slow
     * @param late whether the task was queued for longer than the target
     * @param othersQueued whether other keys have queued tasks
     * @param keyRunning how many tasks of the key run, including this one
     * @param keyLaneLimit how many permits one key may have of one lane
     * @param laneFull whether the lane of the key has reached its nominal size
     * @param backupFull whether the backup of that lane has reached its nominal size
     */
    record LaneRule(
            boolean whiteListed,
            boolean whiteListFull,
            boolean slow,
            boolean late,
            boolean othersQueued,
            int keyRunning,
            int keyLaneLimit,
            boolean laneFull,
            boolean backupFull) {

        Lane lane() {
            if (whiteListed) {
                return whiteListFull ? Lane.ISOLATION : Lane.WHITE_LIST;
            }
            Lane lane = slow ? Lane.SLOW : Lane.FAST;
            Lane backup = slow ? Lane.SLOW_BACKUP : Lane.FAST_BACKUP;
            if (!othersQueued) {
                return late ? backup : lane;
            }
            if (keyRunning <= keyLaneLimit && !late && !laneFull) {
                return lane;
            }
            return keyRunning > 2 * keyLaneLimit || backupFull ? Lane.ISOLATION : backup;
        }
    }

    private final IsolationQueue queue;
    private final long targetNanos;
    private final Map<Lane, Counter> counters = new EnumMap<>(Lane.class); // not modified after construction

    /** @param targetNanos a task that was queued for longer is late */
    LaneCounters(IsolationQueue queue, long targetNanos) {
        this.queue = queue;
        this.targetNanos = targetNanos;
        for (Lane lane : Lane.values()) {
            counters.put(lane, new Counter());
        }
    }

    private Counter counter(Lane lane) {
        return Objects.requireNonNull(counters.get(lane));
    }

    /**
     * Counts a task that starts.
     *
     * @return the lane of the task
     */
    Lane enter(String key, KeyState state, long queuedNanos) {
        boolean whiteListed = queue.isWhiteListed(key);
        Lane lane = whiteListed ? Lane.WHITE_LIST : state.slow ? Lane.SLOW : Lane.FAST;
        int size =
                whiteListed ? queue.limits().whiteListLimit() : queue.limits().laneSize();
        if (!(whiteListed || isOrdinary(state, queuedNanos)) || !enterIfBelow(size, lane)) {
            lane = ruleFor(whiteListed, state, queuedNanos).lane();
            counter(lane).increment();
        }
        counter(lane).queueTimes.record(queuedNanos);
        return lane;
    }

    /** Whether a task that is not white-listed is in its normal lane if that lane is not full, regardless of everything else. */
    private boolean isOrdinary(KeyState state, long queuedNanos) {
        return state.running <= queue.limits().keyLaneLimit() && queuedNanos <= targetNanos;
    }

    /** Of several threads that enter at once, no more than {@code size} succeed: each counts itself before it looks. */
    private boolean enterIfBelow(int size, Lane lane) {
        if (counter(lane).increment() < size) {
            return true;
        }
        leave(lane);
        return false;
    }

    /** For a task that has not entered: if it is white-listed, that lane was full. */
    private LaneRule ruleFor(boolean whiteListed, KeyState state, long queuedNanos) {
        CapacityPolicy.Limits limits = queue.limits();
        boolean slow = state.slow;
        return new LaneRule(
                whiteListed,
                whiteListed,
                slow,
                queuedNanos > targetNanos,
                queue.hasOtherQueuedKeys(state),
                state.running,
                limits.keyLaneLimit(),
                running(slow ? Lane.SLOW : Lane.FAST) >= limits.laneSize(),
                running(slow ? Lane.SLOW_BACKUP : Lane.FAST_BACKUP) >= limits.laneSize());
    }

    void leave(Lane lane) {
        counter(lane).decrement();
    }

    int running(Lane lane) {
        return counter(lane).running;
    }

    Histogram queueTimes(Lane lane) {
        return counter(lane).queueTimes;
    }
}
