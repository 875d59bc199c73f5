package io.github.kobe.internal.time;

import org.jspecify.annotations.Nullable;

/**
 * Pending timer entries by the tick at which they are due. Starting and cancelling an entry takes a few steps, however many there are. Not
 * thread-safe: the caller guards the wheel and its entries with one lock.
 *
 * <p>A hierarchical timing wheel after Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987). Ticks are counted from the
 * origin of the wheel; {@link #currentTick} is the one that the wheel has reached. Write the current tick and the due tick of an entry as
 * numbers to the base of 64. The entry is on the level of the leftmost digit in which they differ, in the slot that its own digit names. It
 * follows:
 *
 * <ul>
 *   <li>An entry is due before every entry on a higher level, and before every entry in a higher slot of its level. So the next slot
 *       is found by counting trailing zeros, and a slot is not reused before the current tick has reached it.
 *   <li>The current tick may advance to any tick before that of the next slot, and no entry has to move.
 *   <li>When the current tick reaches a slot above level 0, each entry in it moves down by at least one level. An entry moves at most once
 *       per level.
 * </ul>
 *
 * <p>A slot may be emptied by several calls of {@link #poll}, to keep each of them short. Until it is empty, the current tick stays at the
 * tick of that slot, so no entry that is due later can be polled first.
 */
final class TimerWheel {

    /** A tick is 2^20 ns, about a millisecond. */
    static final int TICK_BITS = 20;

    /** The next tick of an empty wheel. */
    static final long NEVER = Long.MAX_VALUE;

    private static final int DIGIT_BITS = 6;
    private static final int SLOTS = 1 << DIGIT_BITS;
    private static final int LAST_SLOT = SLOTS - 1;

    /** Enough for every tick that a {@code long} of nanoseconds can represent. */
    private static final int LEVELS = (Long.SIZE - TICK_BITS + DIGIT_BITS - 1) / DIGIT_BITS;

    private static final long TICK_MASK = (1L << TICK_BITS) - 1;

    /** 292 years. An entry that is due later is due then. */
    private static final long MAX_NANOS = Long.MAX_VALUE & ~TICK_MASK;

    /** How many entries one {@link #poll} moves down at most. */
    private static final int MAX_MOVES = 64;

    private final long origin;
    private final @Nullable TimerEntry[] heads = new @Nullable TimerEntry[LEVELS * SLOTS];

    /** For each level, one bit for each slot that is not empty. */
    private final long[] occupiedSlots = new long[LEVELS];

    /** One bit for each level that is not empty. */
    private int occupiedLevels;

    private long currentTick;

    /** @param origin the clock's reading when the first tick begins; no reading passed later may be before it */
    TimerWheel(long origin) {
        this.origin = origin;
    }

    /**
     * Adds {@code entry}. It is due {@code delay} after {@code now}, or at most one tick later.
     *
     * @return the tick at which {@link #poll} must be called for it: when it is due, or when it moves down
     * @throws IllegalStateException if the entry is pending
     */
    long add(TimerEntry entry, long now, long delay) {
        if (entry.slot != TimerEntry.NOT_PENDING) {
            throw new IllegalStateException(
                    "started while pending: " + entry.getClass().getName());
        }
        long tick = tickAt(now);
        if (tick > currentTick && tick < nextTick()) {
            currentTick = tick; // the closer it is to the due tick, the lower the level, and the fewer the moves
        }
        entry.due = Math.max(currentTick, dueTick(now, delay));
        link(entry);
        return tickOf(entry.slot);
    }

    /** Removes {@code entry}. Returns whether it was in the wheel. */
    boolean remove(TimerEntry entry) {
        if (entry.slot == TimerEntry.NOT_PENDING) {
            return false;
        }
        unlink(entry);
        return true;
    }

    /**
     * Removes and returns an entry that is due at {@code now}, the earliest tick first.
     *
     * @return {@code null} if no entry is due, or if many entries had to move down: then {@link #nextTick} is not after {@code now}, and the
     *     next call continues
     */
    @Nullable
    TimerEntry poll(long now) {
        long tick = tickAt(now);
        for (int moves = 0; moves < MAX_MOVES; moves++) {
            int slot = nextSlot();
            TimerEntry entry = slot == TimerEntry.NOT_PENDING ? null : heads[slot];
            if (entry == null || tickOf(slot) > tick) {
                currentTick = Math.max(currentTick, tick);
                return null;
            }
            currentTick = tickOf(slot);
            unlink(entry);
            if (slot < SLOTS) {
                return entry;
            }
            link(entry);
        }
        return null;
    }

    /** The tick at which {@link #poll} has work to do: not after the first entry is due. {@link #NEVER} if the wheel is empty. */
    long nextTick() {
        int slot = nextSlot();
        return slot == TimerEntry.NOT_PENDING ? NEVER : tickOf(slot);
    }

    boolean isEmpty() {
        return occupiedLevels == 0;
    }

    /** The tick that contains {@code now}. */
    long tickAt(long now) {
        return (now - origin) >> TICK_BITS;
    }

    /** The time from {@code now} to the beginning of {@code tick}, which is not {@link #NEVER}. */
    long nanosUntil(long tick, long now) {
        return (tick << TICK_BITS) - (now - origin);
    }

    /** The first tick that does not begin before the entry is due. */
    private long dueTick(long now, long delay) {
        long nanos = now - origin + Math.max(0, delay);
        return (nanos < 0 || nanos > MAX_NANOS ? MAX_NANOS : nanos + TICK_MASK) >> TICK_BITS;
    }

    /** The slot with the earliest tick. If several have the current tick, because a higher slot is not emptied yet, the lowest of them. */
    private int nextSlot() {
        int next = TimerEntry.NOT_PENDING;
        long earliest = NEVER;
        for (int rest = occupiedLevels; rest != 0; rest &= rest - 1) {
            int level = Integer.numberOfTrailingZeros(rest);
            int slot = level << DIGIT_BITS | Long.numberOfTrailingZeros(occupiedSlots[level]);
            long tick = tickOf(slot);
            if (tick < earliest) {
                earliest = tick;
                next = slot;
            }
        }
        return next;
    }

    /** The first tick of a slot that is not empty: the digits of the current tick above its level, its own digit, and zeros. */
    private long tickOf(int slot) {
        int shift = (slot >> DIGIT_BITS) * DIGIT_BITS;
        long above = (currentTick >> shift) & -SLOTS;
        return (above | (slot & LAST_SLOT)) << shift;
    }

    private void link(TimerEntry entry) {
        long differingBits = (currentTick ^ entry.due) | 1;
        int level = (Long.SIZE - 1 - Long.numberOfLeadingZeros(differingBits)) / DIGIT_BITS;
        int digit = (int) (entry.due >> (level * DIGIT_BITS)) & LAST_SLOT;
        int slot = level << DIGIT_BITS | digit;
        entry.slot = (short) slot;
        TimerEntry head = heads[slot];
        if (head == null) {
            heads[slot] = entry;
            occupiedSlots[level] |= 1L << digit;
            occupiedLevels |= 1 << level;
        } else {
            entry.prev = head.prev;
            entry.next = head;
            head.prev.next = entry;
            head.prev = entry;
        }
    }

    @SuppressWarnings("ReferenceEquality") // entries are compared by identity
    private void unlink(TimerEntry entry) {
        int slot = entry.slot;
        if (entry.next == entry) {
            markEmpty(slot);
        } else {
            if (heads[slot] == entry) {
                heads[slot] = entry.next;
            }
            entry.next.prev = entry.prev;
            entry.prev.next = entry.next;
            entry.prev = entry; // so that it does not keep other entries alive
            entry.next = entry;
        }
        entry.slot = TimerEntry.NOT_PENDING;
    }

    private void markEmpty(int slot) {
        int level = slot >> DIGIT_BITS;
        heads[slot] = null;
        occupiedSlots[level] &= ~(1L << slot); // a shift uses the low six bits only
        if (occupiedSlots[level] == 0) {
            occupiedLevels &= ~(1 << level);
        }
    }
}
