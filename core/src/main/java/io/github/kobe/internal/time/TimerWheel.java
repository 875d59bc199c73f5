package io.github.kobe.internal.time;

import org.jspecify.annotations.Nullable;

/**
 * Pending timeouts by the tick they are due at: starting and cancelling one is a few steps, however many there are. Not safe
 * for use by several threads at once; whoever shares it guards it, and the timeouts in it, with one lock.
 *
 * <p>A hierarchical timing wheel after Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987). Ticks are
 * counted from the wheel's origin, and {@link #hand} is the one it has come to. Read hand and due tick as numbers with
 * digits to the base of 64: a timeout lies on the level of the first digit, from the left, in which they differ, in the slot
 * that its own digit says. From that follows:
 *
 * <ul>
 *   <li>What is on a level is due before anything on the levels above, and a slot before those of higher number. The next
 *       slot is thus found by counting trailing zeros, and no slot is ever reused before the hand was there.
 *   <li>The hand may be put forward to any tick before that of the next slot without moving anything.
 *   <li>When the hand comes to a slot above level 0, each timeout in it moves at least one level down. It does so at most once
 *       per level.
 * </ul>
 *
 * <p>The slot that the hand has come to may be emptied in several goes, to keep each of them short. Until it is empty its
 * tick is that of the hand, and the hand stays: nothing that is due later can come first.
 */
final class TimerWheel {

    /** A tick is 2^20 ns, about a millisecond. */
    static final int TICK_BITS = 20;

    /** The tick of nothing. */
    static final long NEVER = Long.MAX_VALUE;

    private static final int DIGIT_BITS = 6;
    private static final int SLOTS = 1 << DIGIT_BITS;
    private static final int LAST_SLOT = SLOTS - 1;

    /** Enough for every tick that a {@code long} of nanoseconds can come to. */
    private static final int LEVELS = (Long.SIZE - TICK_BITS + DIGIT_BITS - 1) / DIGIT_BITS;

    private static final long BELOW_TICK = (1L << TICK_BITS) - 1;

    /** In 292 years: what is to happen later happens then. */
    private static final long LAST_NANOS = Long.MAX_VALUE & ~BELOW_TICK;

    /** How many timeouts one {@link #poll} moves down at most. */
    private static final int MOST_MOVES = 64;

    private final long origin;
    private final @Nullable TimerEntry[] first = new @Nullable TimerEntry[LEVELS * SLOTS];

    /** For each level a bit for each slot that is not empty. */
    private final long[] slots = new long[LEVELS];

    /** A bit for each level that is not empty. */
    private int levels;

    private long hand;

    /** @param origin the clock's reading when its first tick begins; no later one may be before it */
    TimerWheel(long origin) {
        this.origin = origin;
    }

    /**
     * Puts {@code timeout} in, to be due {@code delay} after {@code now}, or one tick later at most.
     *
     * @return the tick at which it wants to be looked at: when it is due, or when it moves down
     * @throws IllegalStateException if it is pending
     */
    long add(TimerEntry timeout, long now, long delay) {
        if (timeout.slot != TimerEntry.NOT_PENDING) {
            throw new IllegalStateException(
                    "started while pending: " + timeout.getClass().getName());
        }
        long tick = tickAt(now);
        if (tick > hand && tick < nextTick()) {
            hand = tick; // the nearer it is, the lower the level, and the fewer the moves
        }
        timeout.due = Math.max(hand, dueTick(now, delay));
        link(timeout);
        return tickOf(timeout.slot);
    }

    /** Takes {@code timeout} out; returns whether it was in. */
    boolean remove(TimerEntry timeout) {
        if (timeout.slot == TimerEntry.NOT_PENDING) {
            return false;
        }
        unlink(timeout);
        return true;
    }

    /**
     * Takes out a timeout that is due at {@code now}, the one of the earliest tick first.
     *
     * @return {@code null} if there is none, or if there was much to move down: then {@link #nextTick} has been reached, and
     *     the next call goes on
     */
    @Nullable
    TimerEntry poll(long now) {
        long tick = tickAt(now);
        for (int moves = 0; moves < MOST_MOVES; moves++) {
            int place = nextSlot();
            TimerEntry timeout = place == TimerEntry.NOT_PENDING ? null : first[place];
            if (timeout == null || tickOf(place) > tick) {
                hand = Math.max(hand, tick);
                return null;
            }
            hand = tickOf(place);
            unlink(timeout);
            if (place < SLOTS) {
                return timeout;
            }
            link(timeout);
        }
        return null;
    }

    /** When {@link #poll} will have something to do: no later than the first timeout is due, {@link #NEVER} if there is none. */
    long nextTick() {
        int place = nextSlot();
        return place == TimerEntry.NOT_PENDING ? NEVER : tickOf(place);
    }

    boolean isEmpty() {
        return levels == 0;
    }

    /** The tick that {@code now} is in. */
    long tickAt(long now) {
        return (now - origin) >> TICK_BITS;
    }

    /** From {@code now} to the beginning of {@code tick}, which is not {@link #NEVER}. */
    long nanosUntil(long tick, long now) {
        return (tick << TICK_BITS) - (now - origin);
    }

    /** The first tick that begins no earlier than it is due. */
    private long dueTick(long now, long delay) {
        long nanos = now - origin + Math.max(0, delay);
        return (nanos < 0 || nanos > LAST_NANOS ? LAST_NANOS : nanos + BELOW_TICK) >> TICK_BITS;
    }

    /** The slot of the earliest tick; the lowest, if that is the hand's and a slot above has not been emptied yet. */
    private int nextSlot() {
        int next = TimerEntry.NOT_PENDING;
        long earliest = NEVER;
        for (int rest = levels; rest != 0; rest &= rest - 1) {
            int level = Integer.numberOfTrailingZeros(rest);
            int place = level << DIGIT_BITS | Long.numberOfTrailingZeros(slots[level]);
            long tick = tickOf(place);
            if (tick < earliest) {
                earliest = tick;
                next = place;
            }
        }
        return next;
    }

    /** The first tick of a slot that is not empty: the hand's digits above its level, its own, and zeros. */
    private long tickOf(int place) {
        int shift = (place >> DIGIT_BITS) * DIGIT_BITS;
        long above = (hand >> shift) & -SLOTS;
        return (above | (place & LAST_SLOT)) << shift;
    }

    private void link(TimerEntry timeout) {
        long differing = (hand ^ timeout.due) | 1;
        int level = (Long.SIZE - 1 - Long.numberOfLeadingZeros(differing)) / DIGIT_BITS;
        int slot = (int) (timeout.due >> (level * DIGIT_BITS)) & LAST_SLOT;
        int place = level << DIGIT_BITS | slot;
        timeout.slot = (short) place;
        TimerEntry head = first[place];
        if (head == null) {
            first[place] = timeout;
            slots[level] |= 1L << slot;
            levels |= 1 << level;
        } else {
            timeout.prev = head.prev;
            timeout.next = head;
            head.prev.next = timeout;
            head.prev = timeout;
        }
    }

    @SuppressWarnings("ReferenceEquality") // the very same is meant
    private void unlink(TimerEntry timeout) {
        int place = timeout.slot;
        if (timeout.next == timeout) {
            empty(place);
        } else {
            if (first[place] == timeout) {
                first[place] = timeout.next;
            }
            timeout.next.prev = timeout.prev;
            timeout.prev.next = timeout.next;
            timeout.prev = timeout; // and so keeps no other alive
            timeout.next = timeout;
        }
        timeout.slot = TimerEntry.NOT_PENDING;
    }

    private void empty(int place) {
        int level = place >> DIGIT_BITS;
        first[place] = null;
        slots[level] &= ~(1L << place); // a shift takes the low six bits only
        if (slots[level] == 0) {
            levels &= ~(1 << level);
        }
    }
}
