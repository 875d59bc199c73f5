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
final class IsolationQueue implements ReadyQueue, EventInbox.Handler {

    private static final long SWEEP_PERIOD = TimeUnit.MILLISECONDS.toNanos(10);

    private final Thresholds standards;
    private final Timer timer;
    private final PeriodicSweep sweep;
    private final ReentrantLock lock = new ReentrantLock();
    private final EventInbox inbox = new EventInbox();
    private final KeyQueues queues = new KeyQueues();
    private final CapacityPolicy capacity;
    private final KeySelector selector;
    private final Queue<String> idleKeys =
            new ConcurrentLinkedQueue<>(); // keys that had nothing more to do while there were too many
    private volatile boolean collectsIdleKeys;
    private volatile boolean dispatchMissed;
    private volatile DerivedLimits limits; // this and the next are here for those who look from outside
    private volatile Set<String> whiteList = Set.of();
    private Runnable dispatch = () -> {};

    IsolationQueue(Thresholds standards, int budget, Timer timer, CapacityPolicy.ChangeListener journal) {
        this.timer = timer;
        this.sweep = new PeriodicSweep(timer, SWEEP_PERIOD, () -> dispatch.run(), this::checkHoldsBack);
        this.standards = standards;
        this.limits = standards.roomIn(budget);
        this.capacity = new CapacityPolicy(standards, limits, timer.nanoTime(), journal);
        this.selector = new KeySelector(queues, capacity, standards.targetNanos());
    }

    @Override
    public void onCapacity(Runnable serveAgain) {
        dispatch = serveAgain;
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
            limits = standards.roomIn(places);
            capacity.setLimits(limits);
        } finally {
            unlockAndDispatchIfMissed();
        }
    }

    void setWhiteList(Set<String> keys) {
        whiteList = keys;
        capacity.setWhiteList(keys);
    }

    /** Whether there are more keys than are to be remembered: then {@link #pollIdleKey} has those with nothing more to do. */
    void setCollectsIdleKeys(boolean now) {
        if (collectsIdleKeys != now) {
            collectsIdleKeys = now;
        }
    }

    @Nullable
    String pollIdleKey() {
        return idleKeys.poll();
    }

    // ---- what is told --------------------------------------------------------------------------------------------

    @Override
    public void add(Competitor group) {
        add(group, timer.nanoTime());
    }

    @Override
    public void add(Competitor group, long now) {
        inbox.post(new QueuedEvent(stateOf(group), group, now));
    }

    @Override
    public void completed(Competitor group, long start, long now) {
        inbox.post(PermitEvent.completed(stateOf(group), start, now));
    }

    /** One that was polled, said to leave because it had nothing in line, and then had: its start was taken back, and is counted again. */
    @Override
    public void started(Competitor group, long now) {
        KeyState share = stateOf(group);
        if (share.polledAt == KeyState.NOT_POLLED) {
            inbox.post(PermitEvent.started(share, now));
        }
        share.polledAt = KeyState.NOT_POLLED;
    }

    @Override
    public void left(Competitor group, boolean idle) {
        KeyState share = stateOf(group);
        long polledAt = share.polledAt;
        if (polledAt != KeyState.NOT_POLLED) {
            share.polledAt = KeyState.NOT_POLLED;
            inbox.post(PermitEvent.completed(share, polledAt, polledAt));
        }
    }

    @Override
    public void onQueued(KeyState share, Competitor group, long since) {
        share.bindTo(group);
        share.queuedSince = since;
        selector.enqueue(share);
    }

    @Override
    public void onStarted(KeyState share, long now) {
        capacity.onStarted(share, now);
    }

    @Override
    public void onCompleted(KeyState share, long start, long now) {
        capacity.onCompleted(share, start, now);
        if (share.isQueued()) {
            selector.requeue(share, now);
        } else if (share.running == 0 && collectsIdleKeys) {
            idleKeys.add(share.name());
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
            inbox.drainTo(this);
            next = selector.next(now);
            if (next != null) {
                selector.dispatch(next, now);
            }
            heldBack = next == null && holdsBackPermits();
        } finally {
            lock.unlock(); // the caller looks again, so nobody is missed
        }
        if (heldBack) {
            sweep.schedule();
        }
        return next == null ? null : next.group();
    }

    /** Whether there is none for now. */
    @Override
    public boolean isEmpty() {
        if (!lock.tryLock()) {
            setDispatchMissed();
            if (!lock.tryLock()) {
                return true;
            }
        }
        boolean none;
        boolean heldBack;
        try {
            inbox.drainTo(this);
            none = selector.next(timer.nanoTime()) == null;
            heldBack = none
                    && holdsBackPermits(); // the caller may have polled while the lock was taken, and knows nothing of it
        } finally {
            lock.unlock();
        }
        if (heldBack) {
            sweep.schedule();
        }
        return none && inbox.isEmpty();
    }

    /**
     * Written only if need be, since all read what is beside it. Our place was put back before: if it is set already, whoever unsets it
     * serves afterwards, and finds the place.
     */
    private void setDispatchMissed() {
        if (!dispatchMissed) {
            dispatchMissed = true;
        }
    }

    private boolean checkHoldsBack() {
        lock.lock();
        try {
            inbox.drainTo(this);
            return holdsBackPermits();
        } finally {
            unlockAndDispatchIfMissed();
        }
    }

    private boolean holdsBackPermits() {
        return capacity.free() > 0 && queues.hasOtherThanFast();
    }

    /** For those who do not look for free places themselves. */
    private void unlockAndDispatchIfMissed() {
        lock.unlock();
        if (dispatchMissed) {
            dispatchMissed = false;
            dispatch.run();
        }
    }

    /** A task that comes while the lock is taken goes in line, which takes it to whoever has the lock. */
    @Override
    public boolean startedDirectly(Competitor group, long now) {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            inbox.drainTo(this);
            KeyState share = stateOf(group);
            share.bindTo(group);
            boolean starts = capacity.mayStart(share, capacity.classify(share, now), now);
            if (starts) {
                capacity.onStarted(share, now);
            }
            return starts;
        } finally {
            unlockAndDispatchIfMissed();
        }
    }

    @Override
    public void removeIf(Predicate<Competitor> leaves) {
        List<KeyState> idle;
        lock.lock();
        try {
            inbox.drainTo(this);
            idle = selector.removeIdle(timer.nanoTime());
        } finally {
            lock.unlock(); // the caller polls next
        }
        for (KeyState share : idle) {
            if (!leaves.test(share.group())) {
                add(share.group());
            }
        }
    }

    private static KeyState stateOf(Competitor group) {
        return (KeyState) group.fairnessState();
    }

    // ---- views ---------------------------------------------------------------------------------------------------

    /** Has what was told so far taken in. */
    void processEvents() {
        lock.lock();
        try {
            inbox.drainTo(this);
        } finally {
            unlockAndDispatchIfMissed();
        }
    }

    int reserve() {
        lock.lock();
        try {
            inbox.drainTo(this);
            return capacity.reserve();
        } finally {
            unlockAndDispatchIfMissed();
        }
    }

    DerivedLimits limits() {
        return limits;
    }

    boolean isWhiteListed(String key) {
        Set<String> keys = whiteList;
        return !keys.isEmpty() && keys.contains(key);
    }

    /** Whether keys other than this one are in line; a look from outside, which may be a moment off. */
    boolean hasOtherQueuedKeys(KeyState share) {
        return queues.size() > (share.isQueued() ? 1 : 0);
    }

    KeyStats statsOf(Group group) {
        KeyState share = stateOf(group);
        lock.lock();
        try {
            inbox.drainTo(this);
            long now = timer.nanoTime();
            boolean slow = capacity.isSlow(share, now);
            Lane lane = isWhiteListed(group.key()) ? Lane.WHITE_LIST : slow ? Lane.SLOW : Lane.FAST;
            Duration typical = Duration.ofNanos((long) share.typicalTime(now));
            return new KeyStats(group.key(), lane, share.running, group.queued(), share.completed, typical);
        } finally {
            unlockAndDispatchIfMissed();
        }
    }
}
