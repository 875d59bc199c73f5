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
 * start it. Taking a place and taking a ticket off the count are one step ({@link #take}, {@link #pass}), so that
 * {@code waiting - free}, which the queue threshold is about, never shows a ticket twice. Whoever then finds that no group is
 * ready undoes both ({@link #putBack}) and looks once more: a group that became ready in between either was seen by that
 * look, or sees the place that was put back.
 */
final class GlobalLimiter {

    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(GlobalLimiter.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long PLACE = 1L << 32;

    private final int threshold;

    private volatile long word;

    private volatile int cap; // written under this object's monitor

    private volatile boolean open; // likewise, after the places of the first cap are in the word

    GlobalLimiter(int cap, int threshold) {
        this(cap, threshold, true);
    }

    private GlobalLimiter(int cap, int threshold, boolean open) {
        this.cap = cap;
        this.threshold = threshold;
        this.word = cap * PLACE;
        this.open = open;
    }

    /** One that lets nobody pass, and nobody is turned away from, until it is given its first cap. */
    static GlobalLimiter shut(int threshold) {
        return new GlobalLimiter(0, threshold, false);
    }

    /** {@code waiting} may be -1 for a moment, see {@link #leave}; then it has borrowed from the left half. */
    private static int free(long word) {
        return (int) ((word - waiting(word)) >> 32);
    }

    private static int waiting(long word) {
        return (int) word;
    }

    private boolean swap(long from, long to) {
        return WORD.compareAndSet(this, from, to);
    }

    /** Takes a place for a ticket that never waited. */
    boolean tryPlace() {
        for (; ; ) {
            long w = word;
            if (free(w) <= 0) {
                return false;
            }
            if (swap(w, w - PLACE)) {
                return true;
            }
        }
    }

    /**
     * Counts one more ticket as waiting, unless as many wait for the cap as may; {@code always} for one that may in any case. While
     * it is shut any number may.
     */
    boolean enter(boolean always) {
        for (; ; ) {
            boolean refuses = open && !always; // looked at first: if it is open, the word has the places of its cap
            long w = word;
            if (refuses && isFull(w)) {
                return false;
            }
            if (swap(w, w + 1)) {
                return true;
            }
        }
    }

    private boolean isFull(long w) {
        return waiting(w) >= (long) threshold + Math.max(0, free(w)) || waiting(w) == Integer.MAX_VALUE;
    }

    /**
     * A ticket stopped waiting without a start. Someone who is about to find out that nobody is ready may hold the last
     * count in hand; then {@code waiting} is -1 until it is put back, which every reader takes for "nobody waits".
     */
    void leave() {
        WORD.getAndAdd(this, -1L);
    }

    /** Takes a place and a waiting ticket, if there are both. */
    boolean take() {
        for (; ; ) {
            long w = word;
            if (free(w) <= 0 || waiting(w) <= 0) {
                return false;
            }
            if (swap(w, w - PLACE - 1)) {
                return true;
            }
        }
    }

    /** With a place in hand: takes a waiting ticket for it, or gives the place up. */
    boolean pass() {
        for (; ; ) {
            long w = word;
            boolean next = waiting(w) > 0 && free(w) >= 0;
            if (swap(w, next ? w - 1 : w + PLACE)) {
                return next;
            }
        }
    }

    /** Undoes {@link #take}, or {@link #pass} and the keeping of its place. */
    void putBack() {
        WORD.getAndAdd(this, PLACE + 1);
    }

    /** Counts as in use and as waiting what a group has that was there before the gate. */
    void takeOver(int used, int waiting) {
        WORD.getAndAdd(this, waiting - used * PLACE);
    }

    /** Changes the cap. A lowered one is paid off as places come back; nothing starts until it is. */
    synchronized void resize(int newCap) {
        long change = (long) newCap - cap;
        cap = newCap;
        WORD.getAndAdd(this, change * PLACE);
        open = true;
    }

    /** Whether its cap is in force; if not, it is still being put over the groups. */
    boolean isOpen() {
        return open;
    }

    int cap() {
        return cap;
    }

    /** Places in use; a figure to look at, which may be off while the cap changes. */
    int used() {
        return Math.max(0, cap - free(word));
    }
}
