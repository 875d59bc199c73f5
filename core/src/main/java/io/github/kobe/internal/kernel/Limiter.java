package io.github.kobe.internal.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The word of a {@link Limit}: free permits in the upper half, what is queued in the lower half.
 *
 * <pre>
 *   free    permits not in use; negative while a lowered limit is being paid off
 *   queued  of the global limit, the queued tasks of all groups, whatever they wait for; of a shared limit, the groups in its ready queue
 * </pre>
 *
 * <p>A task counts as queued from before it is linked into the queue of its group until a thread takes it out to start it. Taking a permit
 * and taking a task off the count are one step ({@link #tryTakeQueued}, {@link #reuseOrRelease}), so {@code queued - free}, which is
 * compared with the queue threshold, never counts a task twice.
 *
 * <p>A thread that then finds no ready group undoes both ({@link #putBack}) and checks the ready queue again. A thread that makes a group
 * ready adds the group, and then tries to take a permit. Either the check sees the group, or that thread sees the permit that was put back.
 */
final class Limiter {

    private static final VarHandle STATE;
    private static final VarHandle TYPICAL_RUN;
    private static final VarHandle NO_START_SINCE;
    private static final VarHandle RELEASES;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(Limiter.class, "state", long.class);
            TYPICAL_RUN = lookup.findVarHandle(Limiter.class, "typicalRun", long.class);
            NO_START_SINCE = lookup.findVarHandle(Limiter.class, "noStartSince", long.class);
            RELEASES = lookup.findVarHandle(Limiter.class, "releases", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long ONE_PERMIT = 1L << 32;

    private volatile int queueThreshold;

    private volatile long state;

    /** See {@link RunTimes}. Beside the state, which the same threads write. */
    long typicalRun;

    /**
     * No task has started since about then, so each running task is at least that old; 0 if not known. A start that does not read the clock writes
     * 0, and the next task that is queued writes its time. If both happen at once, the time may be too early by as much as the two are apart.
     */
    long noStartSince;

    /**
     * How often permits were released, in an executor with shared limits. Beside the state, which the same threads write: elsewhere it would be in the cache line of fields that every
     * task reads. Threads that count at once may lose a step: it is only compared with an earlier value.
     */
    long releases;

    private volatile int limit; // written under this object's monitor

    private volatile boolean open; // likewise, after the state has the permits of the first limit

    /** Called after permits were released that may not be used again, or when none is in use any more. */
    private final @Nullable Runnable onSurplus;

    Limiter(int limit, int queueThreshold) {
        this(limit, queueThreshold, true, null);
    }

    Limiter(int limit, int queueThreshold, @Nullable Runnable onSurplus) {
        this(limit, queueThreshold, true, onSurplus);
    }

    private Limiter(int limit, int queueThreshold, boolean open, @Nullable Runnable onSurplus) {
        this.onSurplus = onSurplus;
        this.limit = limit;
        this.queueThreshold = queueThreshold;
        this.state = limit * ONE_PERMIT;
        this.open = open;
    }

    /** A limiter that grants no permit and rejects no task, until {@link #resize} sets its first limit. */
    static Limiter closed(int queueThreshold) {
        return new Limiter(0, queueThreshold, false, null);
    }

    /** {@code queued} may be -1 for a moment, see {@link #dequeue}; then it has borrowed from the upper half. */
    private static int free(long s) {
        return (int) ((s - queued(s)) >> 32);
    }

    private static int queued(long s) {
        return (int) s;
    }

    private boolean casState(long from, long to) {
        return STATE.compareAndSet(this, from, to);
    }

    /** Takes {@code n} permits for a task that was not queued. */
    boolean tryAcquire(int n) {
        for (; ; ) {
            long s = state;
            if (free(s) < n) {
                return false;
            }
            if (casState(s, s - n * ONE_PERMIT)) {
                return true;
            }
        }
    }

    /** As {@link #tryAcquire}, if one permit is left for each group that is queued. Of a shared limit. */
    boolean tryAcquireBeyondQueued(int n) {
        for (; ; ) {
            long s = state;
            if (free(s) - Math.max(0, queued(s)) < n) {
                return false;
            }
            if (casState(s, s - n * ONE_PERMIT)) {
                return true;
            }
        }
    }

    /**
     * Takes {@code n} permits for a task that is counted as queued, and its count. Another thread may have that count in hand, which it will put back: then
     * {@code queued} is -1 until it does.
     */
    boolean tryTakeCounted(int n) {
        for (; ; ) {
            long s = state;
            if (free(s) < n) {
                return false;
            }
            if (casState(s, s - n * ONE_PERMIT - 1)) {
                return true;
            }
        }
    }

    /** Releases {@code n} permits. Returns the state before. */
    long release(int n) {
        return returned((long) STATE.getAndAdd(this, n * ONE_PERMIT));
    }

    private long returned(long before) {
        if (onSurplus != null && (isOver(before) || isIdle())) {
            onSurplus.run();
        }
        return before;
    }

    /** Counts one more group or task as queued, in any case. */
    void enqueue() {
        STATE.getAndAdd(this, 1L);
    }

    /**
     * Counts one more task as queued, unless the queues are full. A closed limiter is never full.
     *
     * @param always whether the task is counted even if the queues are full
     * @param now the time
     */
    boolean tryEnqueue(boolean always, long now) {
        if ((long) NO_START_SINCE.getOpaque(this) == 0) {
            NO_START_SINCE.setOpaque(this, now);
        }
        for (; ; ) {
            boolean rejects = open && !always; // read before the state, which then has the permits of the limit
            long s = state;
            if (rejects && isFull(s)) {
                return false;
            }
            if (casState(s, s + 1)) {
                return true;
            }
        }
    }

    private boolean isFull(long s) {
        return queued(s) >= (long) queueThreshold + Math.max(0, free(s)) || queued(s) == Integer.MAX_VALUE;
    }

    /**
     * A task was withdrawn from its queue without a start. A thread that is about to find no ready group may hold the last count. Then
     * {@code queued} is -1 until that thread puts the count back; every reader treats -1 as none.
     */
    void dequeue() {
        STATE.getAndAdd(this, -1L);
    }

    /** Takes {@code n} permits and the count of what is queued, if there are both. */
    boolean tryTakeQueued(int n) {
        for (; ; ) {
            long s = state;
            if (free(s) < n || queued(s) <= 0) {
                return false;
            }
            if (casState(s, s - n * ONE_PERMIT - 1)) {
                return true;
            }
        }
    }

    /**
     * With a permit in hand: takes the count of a queued task for it, or releases the permit.
     *
     * @return the state before, which {@link #isReused} tells what was done
     */
    long reuseOrRelease() {
        for (; ; ) {
            long s = state;
            if (casState(s, isReused(s) ? s - 1 : s + ONE_PERMIT)) {
                return s;
            }
        }
    }

    /** Whether a permit that was brought to the state {@code before} is for a queued task; otherwise it was released. */
    static boolean isReused(long before) {
        return queued(before) > 0 && free(before) >= 0;
    }

    /**
     * Undoes {@link #tryTakeQueued}, or {@link #reuseOrRelease} that reused the permit: releases {@code n} permits and restores the count.
     *
     * @return the state before
     */
    long putBack(int n) {
        return returned((long) STATE.getAndAdd(this, n * ONE_PERMIT + 1));
    }

    /** Whether more permits were in use than the limit allows. */
    static boolean isOver(long before) {
        return free(before) < 0;
    }

    /** Whether no permit is in use. */
    boolean isIdle() {
        return inFlight() == 0;
    }

    /** Whether {@code n} permits are free. */
    boolean hasFree(int n) {
        return free(state) >= n;
    }

    /** How many permits are free; negative while a lowered limit is being paid off. */
    int free() {
        return free(state);
    }

    /** Whether no permit is free. */
    boolean isExhausted() {
        return free(state) <= 0;
    }

    /** Takes {@code n} permits whether they are free or not. They are paid off as after the limit was lowered. */
    void takeByForce(int n) {
        STATE.getAndAdd(this, -n * ONE_PERMIT);
    }

    /** Whether more permits are in use than the limit allows. */
    boolean isOver() {
        return free(state) < 0;
    }

    /** Whether nothing is queued, and no more permits are in use than the limit allows. */
    boolean isUncontended() {
        long s = state;
        return queued(s) <= 0 && free(s) >= 0;
    }

    /** Whether {@link #tryAcquireBeyondQueued} would succeed now. */
    boolean hasRoomBeyondQueued(int n) {
        long s = state;
        return free(s) - Math.max(0, queued(s)) >= n;
    }

    /** The limit; 0 if it is paused. */
    int limit() {
        return limit;
    }

    /** Counts the permits in use and the queued tasks of a group that existed before the limiter. */
    void takeOver(int used, int queued) {
        STATE.getAndAdd(this, queued - used * ONE_PERMIT);
    }

    /**
     * Changes the limit. A lowered limit is paid off as permits are released; nothing starts until it is.
     *
     * @param newLimit is asked under the monitor, so that of two concurrent changes the later one has both
     * @return how many permits are in use, read after the change
     */
    synchronized int resize(IntSupplier newLimit) {
        int before = limit;
        limit = newLimit.getAsInt();
        STATE.getAndAdd(this, ((long) limit - before) * ONE_PERMIT);
        open = true;
        return inFlight();
    }

    void setQueueThreshold(int threshold) {
        queueThreshold = threshold;
    }

    /** Whether the limit is in force. If not, the limiter is still taking over the groups. */
    boolean isOpen() {
        return open;
    }

    /** A task starts at {@code now}; 0 if the clock was not read. */
    void started(long now) {
        NO_START_SINCE.setOpaque(this, now);
    }

    /** A permit was held for {@code nanos}. */
    void ran(long nanos) {
        TYPICAL_RUN.setOpaque(this, RunTimes.next((long) TYPICAL_RUN.getOpaque(this), nanos));
    }

    /** A release is counted, see {@link Limit#releases}. */
    void countRelease() {
        RELEASES.setOpaque(this, (long) RELEASES.getOpaque(this) + 1);
    }

    long releases() {
        return (long) RELEASES.getOpaque(this);
    }

    /** How many queued tasks count for the queue threshold: those beyond the free permits. */
    int queuedBeyondFree() {
        long s = state;
        return Math.max(0, queued(s) - Math.max(0, free(s)));
    }

    /** About how long a task that is queued now would wait for a permit; 0 if that is not known. */
    long estimatedWaitNanos(long now) {
        long idleSince = (long) NO_START_SINCE.getOpaque(this);
        long held = Math.max((long) TYPICAL_RUN.getOpaque(this), idleSince == 0 ? 0 : now - idleSince);
        return held == 0 ? 0 : RunTimes.wait(queuedBeyondFree() + 1L, (double) inFlight() / held);
    }

    /** What is counted as queued. */
    int queued() {
        return Math.max(0, queued(state));
    }

    /** As {@link #inFlight}, also while the limit changes. */
    synchronized int inUse() {
        return inFlight();
    }

    /** Permits in use. May be off while the limit changes. */
    int inFlight() {
        return Math.max(0, limit - free(state));
    }
}
