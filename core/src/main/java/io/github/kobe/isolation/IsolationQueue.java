package io.github.kobe.isolation;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.FairnessState;
import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.time.PeriodicSweep;
import io.github.kobe.internal.time.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The ready queue of the isolation face: decides which key is dispatched next and which permits are held back from it. {@link KeySelector}
 * and {@link CapacityPolicy} do the work under one lock. No submitter, worker or dispatching thread ever waits for this lock.
 *
 * <p>A thread that queues a key or returns a permit posts an event to {@link EventInbox}. The thread that takes the lock processes the
 * events first. A dispatching thread that finds the lock taken gets {@code null} from {@link #poll}, returns its permit and calls
 * {@link #isEmpty}. If the lock is still taken, the thread gives up. The holder of the lock then finds the returned permit:
 *
 * <pre>
 *   holder of the lock            what it does after it has released the lock
 *   a dispatcher in poll          dispatches again
 *   a dispatcher in isEmpty       dispatches again if a key may start or the inbox is not empty
 *   any other thread              sees {@code dispatchMissed} and runs a dispatch
 * </pre>
 *
 * <p>{@code poll} counts the start of a task. If no task starts, the kernel calls {@link #left}, and the start is undone as a task that did
 * not run.
 */
final class IsolationQueue implements ReadyQueue, EventInbox.Handler {

    private static final long SWEEP_PERIOD = TimeUnit.MILLISECONDS.toNanos(10);

    /** The age of running tasks is checked this many times per {@link IsolationPolicy#slowThreshold}, within limits. */
    private static final int AGE_CHECKS = 4;

    private static final long MIN_AGE_CHECK_PERIOD = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MAX_AGE_CHECK_PERIOD = TimeUnit.SECONDS.toNanos(1);

    /** How many keys are checked before the lock is released for a moment. */
    private static final int KEYS_PER_AGE_CHECK = 64;

    private final IsolationPolicy policy;
    private final Timer timer;
    private final CapacityPolicy.ChangeListener listener;

    /** Dispatches again while free permits are held back, since a key may become entitled to them by time alone. */
    private final PeriodicSweep sweep;

    /** Finds keys that become slow by the age of their running tasks, while tasks run. */
    private final PeriodicSweep ageCheck;

    private final ReentrantLock lock = new ReentrantLock();
    private final EventInbox inbox = new EventInbox();
    private final KeyQueues queues = new KeyQueues();
    private final CapacityPolicy capacity;
    private final KeySelector selector;
    private volatile boolean dispatchMissed;

    /** {@link CapacityPolicy#isLeftToFast} as of the last release of the lock. */
    private volatile boolean leftToFast;

    private volatile CapacityPolicy.Limits limits; // this and the next field are read without the lock
    private volatile Set<String> whiteList = Set.of();
    private Runnable dispatch = () -> {};

    IsolationQueue(IsolationPolicy policy, int budget, Timer timer, CapacityPolicy.ChangeListener listener) {
        this.policy = policy;
        this.timer = timer;
        this.listener = listener;
        this.sweep = new PeriodicSweep(timer, SWEEP_PERIOD, () -> dispatch.run(), this::checkHoldsBack);
        this.ageCheck = new PeriodicSweep(timer, ageCheckPeriod(policy), this::checkAges, this::mayHaveRunning);
        this.limits = CapacityPolicy.Limits.of(budget, policy);
        this.capacity = new CapacityPolicy(policy, limits, timer.nanoTime(), listener);
        this.selector = new KeySelector(queues, capacity, policy.targetWait().toNanos());
    }

    private static long ageCheckPeriod(IsolationPolicy policy) {
        long period = policy.slowThreshold().toNanos() / AGE_CHECKS;
        return Math.clamp(period, MIN_AGE_CHECK_PERIOD, MAX_AGE_CHECK_PERIOD);
    }

    @Override
    public void onCapacity(Runnable dispatchAgain) {
        dispatch = dispatchAgain;
    }

    @Override
    public FairnessState newState() {
        return new KeyState();
    }

    @Override
    public boolean chargesTime() {
        return true;
    }

    void setBudget(int permits) {
        lock.lock();
        try {
            limits = CapacityPolicy.Limits.of(permits, policy);
            capacity.setLimits(limits);
            selector.requeueAtLimit(timer.nanoTime());
        } finally {
            unlockAndDispatchIfMissed();
        }
    }

    void setWhiteList(Set<String> keys) {
        if (keys.equals(whiteList)) {
            return;
        }
        lock.lock();
        try {
            whiteList = keys;
            capacity.setWhiteList(keys);
            selector.requeueAtLimit(timer.nanoTime());
        } finally {
            unlock();
        }
        dispatch.run(); // a key that is white-listed now may take a permit that was held back from it
    }

    // ---- events -----------------------------------------------------------------------------------------------

    @Override
    public void add(Competitor group) {
        add(group, timer.nanoTime());
    }

    @Override
    public void add(Competitor group, long now) {
        inbox.postQueued(stateOf(group), group, now);
    }

    @Override
    public void completed(Competitor group, long start, long now) {
        inbox.postCompleted(stateOf(group), start, now);
    }

    @Override
    public void startedByForce(Competitor group, long now) {
        inbox.postStarted(stateOf(group), group, now);
        scheduleAgeCheck();
    }

    @Override
    public void sharedPermitsChanged(int change) {
        capacity.addSharedPermits(change);
    }

    /** If {@link #left} was called for this group since it was polled, its start was undone and has to be counted again. */
    @Override
    public void started(Competitor group, long now) {
        KeyState key = stateOf(group);
        if (key.polledAt == KeyState.NOT_POLLED) {
            inbox.postStarted(key, group, now);
            scheduleAgeCheck();
        }
        key.polledAt = KeyState.NOT_POLLED;
    }

    @Override
    public void left(Competitor group, boolean idle) {
        KeyState key = stateOf(group);
        long polledAt = key.polledAt;
        if (polledAt != KeyState.NOT_POLLED) {
            key.polledAt = KeyState.NOT_POLLED;
            inbox.postCompleted(key, polledAt, polledAt);
        }
    }

    @Override
    public void onQueued(KeyState key, Competitor group, long since) {
        key.bindTo(group);
        key.queuedSince = since;
        selector.enqueue(key);
    }

    @Override
    public void onStarted(KeyState key, Competitor group, long now) {
        key.bindTo(group); // a start that the queue was not asked for may be the first of the key
        capacity.onStarted(key, now);
    }

    @Override
    public void onCompleted(KeyState key, long start, long now) {
        capacity.onCompleted(key, start, now);
        if (key.isQueued()) {
            selector.requeue(key, now);
        }
    }

    // ---- dispatch ---------------------------------------------------------------------------------------------

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
            unlock(); // the caller polls again, so a missed dispatch needs no attention here
        }
        if (heldBack) {
            sweep.schedule();
        }
        if (next == null) {
            return null;
        }
        scheduleAgeCheck();
        return next.group();
    }

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
                    && holdsBackPermits(); // the caller's poll may have found the lock taken, so it did not check this
        } finally {
            unlock();
        }
        if (heldBack) {
            sweep.schedule();
        }
        return none && inbox.isEmpty();
    }

    /**
     * Writes only if necessary, since all threads read this cache line. The caller has returned its permit before. So if the flag is set
     * already, the thread that clears it dispatches afterwards and finds the permit.
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

    /** For threads that do not dispatch themselves. */
    private void unlockAndDispatchIfMissed() {
        unlock();
        if (dispatchMissed) {
            dispatchMissed = false;
            dispatch.run();
        }
    }

    private void unlock() {
        boolean left = capacity.isLeftToFast();
        if (leftToFast != left) {
            leftToFast = left;
        }
        lock.unlock();
    }

    /**
     * A check without the lock, to be made before any permit is taken for a task that was not queued. If it is false, {@link #startedDirectly}
     * would refuse the task too, so the task is queued at once. If it is true, {@code startedDirectly} decides.
     *
     * <p>The answer is false in two cases. First, the lock is taken: then {@code startedDirectly} refuses every task. Second, the free permits are
     * left to fast keys, no event is pending that could change that, and the key cannot be fast: it is known, its tasks are not short, and it is
     * not white-listed. The values are read without the lock, so the answer may be a moment old. A wrong false costs one way through the queue,
     * a wrong true costs two permits that are taken and returned.
     */
    @Override
    public boolean mayStartDirectly(Competitor group) {
        if (lock.isLocked()) {
            return false;
        }
        if (!leftToFast || !inbox.isEmpty()) {
            return true;
        }
        KeyState key = stateOf(group);
        return key.isNew() || key.fast || isWhiteListed(group.key());
    }

    /** If the lock is taken, the task is refused. It is queued then, and the event reaches the thread that holds the lock. */
    @Override
    public boolean startedDirectly(Competitor group, long now) {
        if (!lock.tryLock()) {
            return false;
        }
        boolean starts;
        try {
            inbox.drainTo(this);
            KeyState key = stateOf(group);
            key.bindTo(group);
            starts = capacity.mayStart(key, capacity.classify(key, now), now);
            if (starts) {
                capacity.onStarted(key, now);
            }
        } finally {
            unlockAndDispatchIfMissed();
        }
        if (starts) {
            scheduleAgeCheck();
        }
        return starts;
    }

    @Override
    public void removeIf(Predicate<Competitor> leaves) {
        List<KeyState> idle;
        lock.lock();
        try {
            inbox.drainTo(this);
            idle = selector.removeIdle(timer.nanoTime());
        } finally {
            unlock(); // the caller polls next
        }
        for (KeyState key : idle) {
            if (!leaves.test(key.group())) {
                add(key.group());
            }
        }
    }

    // ---- age of running tasks ---------------------------------------------------------------------------------

    /** If the timer has no thread now, the next start tries again: no task fails because its age cannot be checked. */
    private void scheduleAgeCheck() {
        try {
            ageCheck.schedule();
        } catch (Throwable noTimer) {
            listener.ageCheckFailed(noTimer);
        }
    }

    /** Releases the lock now and then, since a dispatching thread that finds it taken gives up. */
    private void checkAges() {
        long now = timer.nanoTime();
        boolean more;
        boolean first = true;
        do {
            lock.lock();
            try {
                inbox.drainTo(this);
                if (first) {
                    capacity.beginAgeCheck();
                }
                more = capacity.checkAges(KEYS_PER_AGE_CHECK, now);
            } finally {
                unlockAndDispatchIfMissed();
            }
            first = false;
        } while (more);
    }

    private boolean mayHaveRunning() {
        lock.lock();
        try {
            inbox.drainTo(this);
            return capacity.mayHaveRunning();
        } finally {
            unlockAndDispatchIfMissed();
        }
    }

    private static KeyState stateOf(Competitor group) {
        return (KeyState) group.fairnessState();
    }

    // ---- views ------------------------------------------------------------------------------------------------

    /** Processes the events that were posted so far. */
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

    CapacityPolicy.Limits limits() {
        return limits;
    }

    boolean isWhiteListed(String key) {
        Set<String> keys = whiteList;
        return !keys.isEmpty() && keys.contains(key);
    }

    /** Whether other keys are queued. Reads without the lock, so the answer may be a moment old. */
    boolean hasOtherQueuedKeys(KeyState key) {
        return queues.size() > (key.isQueued() ? 1 : 0);
    }

    KeyStats statsOf(Group group) {
        KeyState state = stateOf(group);
        lock.lock();
        try {
            inbox.drainTo(this);
            long now = timer.nanoTime();
            boolean slow = capacity.isSlow(state, now);
            Lane lane = isWhiteListed(group.key()) ? Lane.WHITE_LIST : slow ? Lane.SLOW : Lane.FAST;
            Duration typical = Duration.ofNanos((long) state.typicalTime(now));
            return new KeyStats(group.key(), lane, state.running, group.queued(), state.completed, typical);
        } finally {
            unlockAndDispatchIfMissed();
        }
    }
}
