package io.github.kobe.internal.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The cap over all groups: places in its left half, tickets that wait in its right half, in one word.
 *
 * <pre>
 *   free     places not in use; negative while a lowered cap is being paid off
 *   waiting  tickets that wait, whatever for
 * </pre>
 *
 * <p>A ticket counts as waiting from before it is linked into its group's queue until someone takes it out with intent to
 * start it. Taking a place and taking a ticket off the count are one step ({@link #tryTakeQueued}, {@link #reuseOrRelease}), so that
 * {@code waiting - free}, which the queue threshold is about, never shows a ticket twice. Whoever then finds that no group is
 * ready undoes both ({@link #putBack}) and looks once more: a group that became ready in between either was seen by that
 * look, or sees the place that was put back.
 */
final class GlobalLimiter {

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(GlobalLimiter.class, "state", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long ONE_PERMIT = 1L << 32;

    private final int queueThreshold;

    private volatile long state;

    private volatile int limit; // written under this object's monitor

    private volatile boolean open; // likewise, after the places of the first cap are in the word

    GlobalLimiter(int cap, int threshold) {
        this(cap, threshold, true);
    }

    private GlobalLimiter(int cap, int threshold, boolean open) {
        this.limit = cap;
        this.queueThreshold = threshold;
        this.state = cap * ONE_PERMIT;
        this.open = open;
    }

    /** One that lets nobody pass, and nobody is turned away from, until it is given its first cap. */
    static GlobalLimiter closed(int threshold) {
        return new GlobalLimiter(0, threshold, false);
    }

    /** {@code waiting} may be -1 for a moment, see {@link #dequeue}; then it has borrowed from the left half. */
    private static int free(long word) {
        return (int) ((word - queued(word)) >> 32);
    }

    private static int queued(long word) {
        return (int) word;
    }

    private boolean casState(long from, long to) {
        return STATE.compareAndSet(this, from, to);
    }

    /** Takes a place for a ticket that never waited. */
    boolean tryAcquire() {
        for (; ; ) {
            long w = state;
            if (free(w) <= 0) {
                return false;
            }
            if (casState(w, w - ONE_PERMIT)) {
                return true;
            }
        }
    }

    /**
     * Counts one more ticket as waiting, unless as many wait for the cap as may; {@code always} for one that may in any case. While
     * it is shut any number may.
     */
    boolean tryEnqueue(boolean always) {
        for (; ; ) {
            boolean refuses = open && !always; // looked at first: if it is open, the word has the places of its cap
            long w = state;
            if (refuses && isFull(w)) {
                return false;
            }
            if (casState(w, w + 1)) {
                return true;
            }
        }
    }

    private boolean isFull(long w) {
        return queued(w) >= (long) queueThreshold + Math.max(0, free(w)) || queued(w) == Integer.MAX_VALUE;
    }

    /**
     * A ticket stopped waiting without a start. Someone who is about to find out that nobody is ready may hold the last
     * count in hand; then {@code waiting} is -1 until it is put back, which every reader takes for "nobody waits".
     */
    void dequeue() {
        STATE.getAndAdd(this, -1L);
    }

    /** Takes a place and a waiting ticket, if there are both. */
    boolean tryTakeQueued() {
        for (; ; ) {
            long w = state;
            if (free(w) <= 0 || queued(w) <= 0) {
                return false;
            }
            if (casState(w, w - ONE_PERMIT - 1)) {
                return true;
            }
        }
    }

    /** With a place in hand: takes a waiting ticket for it, or gives the place up. */
    boolean reuseOrRelease() {
        for (; ; ) {
            long w = state;
            boolean next = queued(w) > 0 && free(w) >= 0;
            if (casState(w, next ? w - 1 : w + ONE_PERMIT)) {
                return next;
            }
        }
    }

    /** Undoes {@link #tryTakeQueued}, or {@link #reuseOrRelease} and the keeping of its place. */
    void putBack() {
        STATE.getAndAdd(this, ONE_PERMIT + 1);
    }

    /** Counts as in use and as waiting what a group has that was there before the gate. */
    void takeOver(int used, int waiting) {
        STATE.getAndAdd(this, waiting - used * ONE_PERMIT);
    }

    /** Changes the cap. A lowered one is paid off as places come back; nothing starts until it is. */
    synchronized void resize(int newCap) {
        long change = (long) newCap - limit;
        limit = newCap;
        STATE.getAndAdd(this, change * ONE_PERMIT);
        open = true;
    }

    /** Whether its cap is in force; if not, it is still being put over the groups. */
    boolean isOpen() {
        return open;
    }

    int limit() {
        return limit;
    }

    /** Places in use; a figure to look at, which may be off while the cap changes. */
    int inFlight() {
        return Math.max(0, limit - free(state));
    }
}
