package io.github.kobe.isolation;

import io.github.kobe.internal.stats.Histogram;
import io.github.kobe.internal.util.CacheLinePadding;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * The books about lanes. What is in them explains; what decides is in {@link IsolationQueue}.
 *
 * <p>Every task writes in them when it starts and when it ends, from wherever it is. A number is read by adding to it, and of a task
 * of which nothing is out of the ordinary only its own lane's is looked at: the rest is on its way to another processor, mostly.
 */
final class LaneCounters {

    /** One lane's. */
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

        /** @return how many there were before */
        int enter() {
            return (int) RUNNING.getAndAdd(this, 1);
        }

        void leave() {
            RUNNING.getAndAdd(this, -1);
        }
    }

    private final IsolationQueue queue;
    private final long targetNanos;
    private final Map<Lane, Counter> counters = new EnumMap<>(Lane.class); // not changed once it is made

    /** @param targetNanos who has waited for longer has waited for long */
    LaneCounters(IsolationQueue tenants, long targetNanos) {
        this.queue = tenants;
        this.targetNanos = targetNanos;
        for (Lane lane : Lane.values()) {
            counters.put(lane, new Counter());
        }
    }

    private Counter counter(Lane lane) {
        return Objects.requireNonNull(counters.get(lane));
    }

    /**
     * A task starts that has waited for so long.
     *
     * @param share its key's
     * @return the lane that it is in from now on
     */
    Lane enter(String key, KeyState share, long waitedNanos) {
        Lane lane = share.slow ? Lane.SLOW : Lane.FAST;
        if (!isOrdinary(key, share, waitedNanos) || !hasRoom(lane)) {
            lane = ruleFor(key, share, waitedNanos).lane();
            counter(lane).enter();
        }
        counter(lane).queueTimes.record(waitedNanos);
        return lane;
    }

    /** Whether, as long as its lane has room, it is in that one whatever else there is. */
    private boolean isOrdinary(String key, KeyState share, long waited) {
        return share.running <= queue.limits().keyLaneLimit() && waited <= targetNanos && !queue.isWhiteListed(key);
    }

    /** Enters it if so. */
    private boolean hasRoom(Lane lane) {
        if (counter(lane).enter() < queue.limits().laneSize()) {
            return true;
        }
        leave(lane);
        return false;
    }

    private LaneRule ruleFor(String key, KeyState share, long waited) {
        DerivedLimits room = queue.limits();
        boolean slow = share.slow;
        return new LaneRule(
                queue.isWhiteListed(key),
                running(Lane.WHITE_LIST) >= room.whiteListLimit(),
                slow,
                waited > targetNanos,
                queue.hasOtherQueuedKeys(share),
                share.running,
                room.keyLaneLimit(),
                running(slow ? Lane.SLOW : Lane.FAST) >= room.laneSize(),
                running(slow ? Lane.SLOW_BACKUP : Lane.FAST_BACKUP) >= room.laneSize());
    }

    void leave(Lane lane) {
        counter(lane).leave();
    }

    /** A look from outside, which may be a moment off. */
    int running(Lane lane) {
        return counter(lane).running;
    }

    Histogram queueTimes(Lane lane) {
        return counter(lane).queueTimes;
    }
}
