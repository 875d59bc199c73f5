package io.github.kobe.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of a group that are on a thread now, so that a shutdown can reach them.
 *
 * <p>Entering is one compare-and-set on a slot that is nearly always free, leaving is one store, and neither allocates. The
 * slots are arrays of growing length, newest first, each with the one before it at index 0. A new one is made when a few
 * probes of the newest find it crowded; all of them go with the group when it falls idle.
 */
final class RunningSet {

    private static final VarHandle NEWEST;
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);

    static {
        try {
            NEWEST = MethodHandles.lookup().findVarHandle(RunningSet.class, "newest", Object[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int MOST_FIRST_BITS = 4;
    private static final int GROWTH_BITS = 2;
    private static final int MOST_BITS = 26;
    private static final int PROBES = 8;
    private static final int OTHER_PLACES = 3;
    private static final int CROWDED = 0;

    /** References to a cache line of 64 bytes. */
    private static final int LINE_BITS = 4;

    private final int firstBits;
    private final int spread; // in the first array, each slot is 2^spread references from the next
    private volatile @Nullable Object @Nullable [] newest; // 1 + a power of two long

    /** @param cap how many there will be at most, as far as is known; twice as many slots keep the probes few */
    RunningSet(int cap) {
        this(cap, false);
    }

    /**
     * @param steady whether it is the same few threads that enter again and again, or a great many at once: then each had better have a
     *     line of the cache to itself, which for many groups of a few threads each would be a waste
     */
    RunningSet(int cap, boolean steady) {
        spread = steady ? LINE_BITS : 0;
        firstBits = Math.min(MOST_FIRST_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, cap)));
    }

    /**
     * Enters {@code ticket}; a {@link #forEach} that starts after this returned sees it until it is removed. Has the effect
     * of a full fence.
     *
     * @return where it is, for {@link #remove}
     */
    int add(Ticket<?> ticket) {
        for (; ; ) {
            @Nullable Object[] slots = newest;
            if (slots != null) {
                int index = enter(ticket, slots, (int) Thread.currentThread().threadId());
                // around there, maybe only by tickets that this thread left in here to wait for another attempt
                for (int i = 0; i < OTHER_PLACES && index == CROWDED; i++) {
                    index = enter(ticket, slots, ThreadLocalRandom.current().nextInt());
                }
                if (index != CROWDED) {
                    return bits(slots) << MOST_BITS | index;
                }
            }
            NEWEST.compareAndSet(this, slots, grown(slots));
        }
    }

    private int enter(Ticket<?> ticket, @Nullable Object[] slots, int start) {
        int step = step(slots);
        int mask = mask(slots, step);
        for (int i = 0; i < PROBES; i++) {
            int index = index(start + i, mask, step);
            if (slots[index] == null && SLOT.compareAndSet(slots, index, null, ticket)) {
                return index;
            }
        }
        return CROWDED;
    }

    /** Slot n is at n + 1 times two to the power of this. There are more than a few, if the first ones did not do. */
    private int step(@Nullable Object[] slots) {
        return slots[0] == null ? spread : 0;
    }

    private static int index(int n, int mask, int step) {
        return ((n & mask) + 1) << step;
    }

    private static int mask(@Nullable Object[] slots, int step) {
        return ((slots.length - 1) >>> step) - 1;
    }

    private static int bits(@Nullable Object[] slots) {
        return Integer.numberOfTrailingZeros(slots.length - 1);
    }

    private @Nullable Object[] grown(@Nullable Object @Nullable [] older) {
        int bits = older == null ? firstBits + spread : Math.min(MOST_BITS, bits(older) + GROWTH_BITS);
        @Nullable Object[] slots = new @Nullable Object[1 + (1 << bits)];
        slots[0] = older;
        return slots;
    }

    /** Takes out the ticket that {@link #add} put at {@code place}. */
    void remove(int place) {
        int bits = place >>> MOST_BITS;
        @Nullable Object[] slots = Objects.requireNonNull(newest);
        while (bits(slots) != bits) {
            slots = (@Nullable Object[]) Objects.requireNonNull(slots[0]);
        }
        SLOT.setRelease(slots, place & ((1 << MOST_BITS) - 1), null);
    }

    /** The ticket whose work is on {@code thread}; {@code null} if there is none. Mostly found where that would have entered it. */
    @SuppressWarnings("ReferenceEquality") // a thread is itself
    @Nullable
    Ticket<?> on(Thread thread) {
        int start = (int) thread.threadId();
        for (@Nullable Object[] slots = newest; slots != null; slots = (@Nullable Object[]) slots[0]) {
            int step = step(slots);
            int mask = mask(slots, step);
            for (int i = 0; i < PROBES; i++) {
                Object at = SLOT.getVolatile(slots, index(start + i, mask, step));
                if (at instanceof Ticket<?> ticket && ticket.thread() == thread) {
                    return ticket;
                }
            }
        }
        return onAny(thread);
    }

    /** It may have come again on another thread than the one that entered it. */
    @SuppressWarnings("ReferenceEquality")
    private @Nullable Ticket<?> onAny(Thread thread) {
        for (@Nullable Object[] slots = newest; slots != null; slots = (@Nullable Object[]) slots[0]) {
            for (int i = 1; i < slots.length; i++) {
                if (SLOT.getVolatile(slots, i) instanceof Ticket<?> ticket && ticket.thread() == thread) {
                    return ticket;
                }
            }
        }
        return null;
    }

    /** About how many slots there are to look at, taken or not; there are never fewer again. */
    int length() {
        @Nullable Object[] slots = newest;
        return slots == null ? 0 : slots.length;
    }

    /** Shows every ticket that is in here for the whole of the call, and maybe others, to {@code action}. */
    void forEach(Consumer<Ticket<?>> action) {
        for (@Nullable Object[] slots = newest; slots != null; slots = (@Nullable Object[]) slots[0]) {
            for (int i = 1; i < slots.length; i++) {
                if (SLOT.getVolatile(slots, i) instanceof Ticket<?> ticket) {
                    action.accept(ticket);
                }
            }
        }
    }
}
