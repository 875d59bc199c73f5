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
    private static final class Book extends CacheLinePadding {
        private static final VarHandle RUNNING;

        static {
            try {
                RUNNING = MethodHandles.lookup().findVarHandle(Book.class, "running", int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private volatile int running;
        private final Histogram waiting = new Histogram();

        /** @return how many there were before */
        int enter() {
            return (int) RUNNING.getAndAdd(this, 1);
        }

        void leave() {
            RUNNING.getAndAdd(this, -1);
        }
    }

    private final IsolationQueue tenants;
    private final long targetNanos;
    private final Map<Lane, Book> books = new EnumMap<>(Lane.class); // not changed once it is made

    /** @param targetNanos who has waited for longer has waited for long */
    LaneCounters(IsolationQueue tenants, long targetNanos) {
        this.tenants = tenants;
        this.targetNanos = targetNanos;
        for (Lane lane : Lane.values()) {
            books.put(lane, new Book());
        }
    }

    private Book book(Lane lane) {
        return Objects.requireNonNull(books.get(lane));
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
            book(lane).enter();
        }
        book(lane).waiting.record(waitedNanos);
        return lane;
    }

    /** Whether, as long as its lane has room, it is in that one whatever else there is. */
    private boolean isOrdinary(String key, KeyState share, long waited) {
        return share.running <= tenants.room().keyShare() && waited <= targetNanos && !tenants.isWhiteListed(key);
    }

    /** Enters it if so. */
    private boolean hasRoom(Lane lane) {
        if (book(lane).enter() < tenants.room().lane()) {
            return true;
        }
        leave(lane);
        return false;
    }

    private LaneRule ruleFor(String key, KeyState share, long waited) {
        DerivedLimits room = tenants.room();
        boolean slow = share.slow;
        return new LaneRule(
                tenants.isWhiteListed(key),
                running(Lane.WHITE_LIST) >= room.white(),
                slow,
                waited > targetNanos,
                tenants.othersWait(share),
                share.running,
                room.keyShare(),
                running(slow ? Lane.SLOW : Lane.FAST) >= room.lane(),
                running(slow ? Lane.SLOW_BACKUP : Lane.FAST_BACKUP) >= room.lane());
    }

    void leave(Lane lane) {
        book(lane).leave();
    }

    /** A look from outside, which may be a moment off. */
    int running(Lane lane) {
        return book(lane).running;
    }

    Histogram waiting(Lane lane) {
        return book(lane).waiting;
    }
}
