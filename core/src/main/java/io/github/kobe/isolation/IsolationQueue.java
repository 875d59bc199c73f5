package io.github.kobe.isolation;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.FairnessState;
import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.time.PeriodicSweep;
import io.github.kobe.internal.time.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which key is served next, and which places are held back from whom: {@link KeySelector} and {@link CapacityPolicy} under one lock, which
 * nobody on a task's way ever waits for.
 *
 * <p>Who gets in line or gives a place back leaves {@link EventInbox}; who has the lock takes them in first. A server that finds the lock
 * taken is told that there is nobody for now, puts its place back and asks {@link #isEmpty}. If the lock is taken still, it leaves:
 *
 * <pre>
 *   the lock is with      which afterwards
 *   a server in poll      looks for free places once more, and so finds what was put back
 *   a server in isEmpty   looks once more if there is somebody in line or there are news
 *   anybody else          sees that a server was {@code missed}, and has the free places offered again
 * </pre>
 *
 * One start is counted in {@code poll} already; if it comes to nothing, the kernel says that the key leaves without having been served,
 * and it is taken back as a task that never began.
 */
final class IsolationQueue implements ReadyQueue, EventInbox.Reader {

    private static final long PATROL_PERIOD = TimeUnit.MILLISECONDS.toNanos(10);

    private final Thresholds standards;
    private final Timer timer;
    private final PeriodicSweep patrol;
    private final ReentrantLock lock = new ReentrantLock();
    private final EventInbox news = new EventInbox();
    private final KeyQueues lines = new KeyQueues();
    private final CapacityPolicy allotment;
    private final KeySelector order;
    private final Queue<String> done =
            new ConcurrentLinkedQueue<>(); // keys that had nothing more to do while there were too many
    private volatile boolean tooMany;
    private volatile boolean missed;
    private volatile DerivedLimits room; // this and the next are here for those who look from outside
    private volatile Set<String> whiteList = Set.of();
    private Runnable serve = () -> {};

    IsolationQueue(Thresholds standards, int budget, Timer timer, CapacityPolicy.Journal journal) {
        this.timer = timer;
        this.patrol = new PeriodicSweep(timer, PATROL_PERIOD, () -> serve.run(), this::holdsBack);
        this.standards = standards;
        this.room = standards.roomIn(budget);
        this.allotment = new CapacityPolicy(standards, room, timer.nanoTime(), journal);
        this.order = new KeySelector(lines, allotment, standards.targetNanos());
    }

    @Override
    public void onCapacity(Runnable serveAgain) {
        serve = serveAgain;
    }

    @Override
    public FairnessState newState() {
        return new KeyState();
    }

    @Override
    public boolean chargesTime() {
        return true;
    }

    /** For what is known of lanes. */
    @Override
    public boolean needsQueueTimes() {
        return true;
    }

    void setBudget(int places) {
        lock.lock();
        try {
            room = standards.roomIn(places);
            allotment.setRoom(room);
        } finally {
            unlockAndMakeUp();
        }
    }

    void setWhiteList(Set<String> keys) {
        whiteList = keys;
        allotment.setWhiteList(keys);
    }

    /** Whether there are more keys than are to be remembered: then {@link #pollDone} has those with nothing more to do. */
    void setTooMany(boolean now) {
        if (tooMany != now) {
            tooMany = now;
        }
    }

    @Nullable
    String pollDone() {
        return done.poll();
    }

    // ---- what is told --------------------------------------------------------------------------------------------

    @Override
    public void add(Competitor group) {
        add(group, timer.nanoTime());
    }

    @Override
    public void add(Competitor group, long now) {
        news.tell(new QueuedEvent(shareOf(group), group, now));
    }

    @Override
    public void completed(Competitor group, long start, long now) {
        news.tell(PermitEvent.over(shareOf(group), start, now));
    }

    /** One that was polled, said to leave because it had nothing in line, and then had: its start was taken back, and is counted again. */
    @Override
    public void started(Competitor group, long now) {
        KeyState share = shareOf(group);
        if (share.polledAt == KeyState.NOT_POLLED) {
            news.tell(PermitEvent.begun(share, now));
        }
        share.polledAt = KeyState.NOT_POLLED;
    }

    @Override
    public void left(Competitor group, boolean idle) {
        KeyState share = shareOf(group);
        long polledAt = share.polledAt;
        if (polledAt != KeyState.NOT_POLLED) {
            share.polledAt = KeyState.NOT_POLLED;
            news.tell(PermitEvent.over(share, polledAt, polledAt));
        }
    }

    @Override
    public void joined(KeyState share, Competitor group, long since) {
        share.belongsTo(group);
        share.since = since;
        order.join(share);
    }

    @Override
    public void began(KeyState share, long now) {
        allotment.began(share, now);
    }

    @Override
    public void ended(KeyState share, long start, long now) {
        allotment.ended(share, start, now);
        if (share.isInLine()) {
            order.moved(share, now);
        } else if (share.running == 0 && tooMany) {
            done.add(share.key());
        }
    }

    // ---- who is next ---------------------------------------------------------------------------------------------

    @Override
    public @Nullable Competitor poll() {
        return poll(timer.nanoTime());
    }

    @Override
    public @Nullable Competitor poll(long now) {
        if (!lock.tryLock()) {
            return null;
        }
        KeyState next;
        boolean heldBack;
        try {
            news.takeIn(this);
            next = order.next(now);
            if (next != null) {
                order.serve(next, now);
            }
            heldBack = next == null && isHeldBack();
        } finally {
            lock.unlock(); // the caller looks again, so nobody is missed
        }
        if (heldBack) {
            patrol.schedule();
        }
        return next == null ? null : next.group();
    }

    /** Whether there is none for now. */
    @Override
    public boolean isEmpty() {
        if (!lock.tryLock()) {
            noteMissed();
            if (!lock.tryLock()) {
                return true;
            }
        }
        boolean none;
        boolean heldBack;
        try {
            news.takeIn(this);
            none = order.next(timer.nanoTime()) == null;
            heldBack = none
                    && isHeldBack(); // the caller may have polled while the lock was taken, and knows nothing of it
        } finally {
            lock.unlock();
        }
        if (heldBack) {
            patrol.schedule();
        }
        return none && news.isEmpty();
    }

    /**
     * Written only if need be, since all read what is beside it. Our place was put back before: if it is set already, whoever unsets it
     * serves afterwards, and finds the place.
     */
    private void noteMissed() {
        if (!missed) {
            missed = true;
        }
    }

    private boolean holdsBack() {
        lock.lock();
        try {
            news.takeIn(this);
            return isHeldBack();
        } finally {
            unlockAndMakeUp();
        }
    }

    private boolean isHeldBack() {
        return allotment.free() > 0 && lines.hasOthersThanQuick();
    }

    /** For those who do not look for free places themselves. */
    private void unlockAndMakeUp() {
        lock.unlock();
        if (missed) {
            missed = false;
            serve.run();
        }
    }

    /** A task that comes while the lock is taken goes in line, which takes it to whoever has the lock. */
    @Override
    public boolean startedDirectly(Competitor group, long now) {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            news.takeIn(this);
            KeyState share = shareOf(group);
            share.belongsTo(group);
            boolean starts = allotment.hasRoom(share, allotment.standing(share, now), now);
            if (starts) {
                allotment.began(share, now);
            }
            return starts;
        } finally {
            unlockAndMakeUp();
        }
    }

    @Override
    public void removeIf(Predicate<Competitor> leaves) {
        List<KeyState> idle;
        lock.lock();
        try {
            news.takeIn(this);
            idle = order.takeIdle(timer.nanoTime());
        } finally {
            lock.unlock(); // the caller polls next
        }
        for (KeyState share : idle) {
            if (!leaves.test(share.group())) {
                add(share.group());
            }
        }
    }

    private static KeyState shareOf(Competitor group) {
        return (KeyState) group.fairnessState();
    }

    // ---- views ---------------------------------------------------------------------------------------------------

    /** Has what was told so far taken in. */
    void catchUp() {
        lock.lock();
        try {
            news.takeIn(this);
        } finally {
            unlockAndMakeUp();
        }
    }

    int reserve() {
        lock.lock();
        try {
            news.takeIn(this);
            return allotment.reserve();
        } finally {
            unlockAndMakeUp();
        }
    }

    DerivedLimits room() {
        return room;
    }

    boolean isWhiteListed(String key) {
        Set<String> keys = whiteList;
        return !keys.isEmpty() && keys.contains(key);
    }

    /** Whether keys other than this one are in line; a look from outside, which may be a moment off. */
    boolean othersWait(KeyState share) {
        return lines.size() > (share.isInLine() ? 1 : 0);
    }

    KeyStats statsOf(Group group) {
        KeyState share = shareOf(group);
        lock.lock();
        try {
            news.takeIn(this);
            long now = timer.nanoTime();
            boolean slow = allotment.isSlow(share, now);
            Lane lane = isWhiteListed(group.key()) ? Lane.WHITE_LIST : slow ? Lane.SLOW : Lane.FAST;
            Duration typical = Duration.ofNanos((long) share.typical(now));
            return new KeyStats(group.key(), lane, share.running, group.queued(), share.ended, typical);
        } finally {
            unlockAndMakeUp();
        }
    }
}
