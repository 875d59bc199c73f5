package io.github.kobe.internal.kernel;

import io.github.kobe.internal.util.CacheLinePadding;
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
 *
 * <p>Where it is the same few threads that enter again and again, or a great many at once, the first few slots are objects, each with
 * lines of the cache to itself; for many groups of a few threads each that would be a waste. There a ticket counts that its work
 * begins, which costs next to nothing: the line is at hand, and nobody else writes to it.
 */
final class RunningTasks {

    private static final VarHandle NEWEST;
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final VarHandle PADDED_SLOT = MethodHandles.arrayElementVarHandle(PaddedSlot[].class);
    private static final VarHandle OUTSIDE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            NEWEST = lookup.findVarHandle(RunningTasks.class, "newest", Object[].class);
            OUTSIDE = lookup.findVarHandle(RunningTasks.class, "outside", PaddedSlot.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int PADDED_SLOTS = 16; // a power of two
    private static final int MOST_FIRST_BITS = 4;
    private static final int GROWTH_BITS = 2;
    private static final int MOST_BITS = 26;
    private static final int PROBES = 8;
    private static final int RANDOM_STARTS = 3;
    private static final int NO_SLOT = -1;

    /** A slot with lines of the cache to itself, and what those who are in there count. */
    private static final class PaddedSlot extends CacheLinePadding {
        static final VarHandle TASK;
        static final VarHandle BEGUN;

        static {
            try {
                MethodHandles.Lookup lookup = MethodHandles.lookup();
                TASK = lookup.findVarHandle(PaddedSlot.class, "task", KernelTask.class);
                BEGUN = lookup.findVarHandle(PaddedSlot.class, "begun", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private volatile @Nullable KernelTask<?> task;
        private long begun; // written by whoever is in here, one after the other; by all who are in no room

        boolean enter(KernelTask<?> entering) {
            return task == null && TASK.compareAndSet(this, null, entering);
        }

        void leave() {
            TASK.setRelease(this, null);
        }

        void began() {
            BEGUN.setOpaque(this, begun + 1);
        }

        void oneOfManyBegan() {
            BEGUN.getAndAdd(this, 1L);
        }

        long begunSoFar() {
            return (long) BEGUN.getOpaque(this);
        }
    }

    private final int firstBits;
    private final @Nullable PaddedSlot @Nullable [] paddedSlots; // each made when it is first needed
    private volatile @Nullable Object @Nullable [] newest; // 1 + a power of two long

    /** Nobody is in there: those in no room count in it. Made when it is first needed. */
    private volatile @Nullable PaddedSlot outside;

    /**
     * @param cap how many there will be at most, as far as is known; twice as many slots keep the probes few
     * @param steady whether it is the same few threads that enter again and again, or a great many at once
     */
    RunningTasks(int cap, boolean steady) {
        paddedSlots = steady ? new @Nullable PaddedSlot[PADDED_SLOTS] : null;
        firstBits = Math.min(MOST_FIRST_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, cap)));
    }

    /**
     * Enters {@code ticket}; a {@link #forEach} that starts after this returned sees it until it is removed. Has the effect
     * of a full fence.
     *
     * @return where it is, for {@link #remove}
     */
    int add(KernelTask<?> ticket) {
        int room = paddedSlots == null ? NO_SLOT : addToPaddedSlots(ticket, paddedSlots);
        return room == NO_SLOT ? addToSlots(ticket) : room;
    }

    private static int addToPaddedSlots(KernelTask<?> ticket, @Nullable PaddedSlot[] rooms) {
        int start = (int) Thread.currentThread().threadId();
        for (int i = 0; i < PROBES; i++) {
            int number = (start + i) & (PADDED_SLOTS - 1);
            if (paddedSlot(number, rooms).enter(ticket)) {
                return number;
            }
        }
        return NO_SLOT;
    }

    private static PaddedSlot paddedSlot(int number, @Nullable PaddedSlot[] rooms) {
        PaddedSlot known = (PaddedSlot) PADDED_SLOT.getAcquire(rooms, number);
        if (known != null) {
            return known;
        }
        PaddedSlot made = new PaddedSlot();
        PaddedSlot first = (PaddedSlot) PADDED_SLOT.compareAndExchange(rooms, number, null, made);
        return first == null ? made : first;
    }

    private int addToSlots(KernelTask<?> ticket) {
        for (; ; ) {
            @Nullable Object[] slots = newest;
            if (slots != null) {
                int index = enter(ticket, slots, (int) Thread.currentThread().threadId());
                // around there, maybe only by tickets that this thread left in here to wait for another attempt
                for (int i = 0; i < RANDOM_STARTS && index == NO_SLOT; i++) {
                    index = enter(ticket, slots, ThreadLocalRandom.current().nextInt());
                }
                if (index != NO_SLOT) {
                    return bits(slots) << MOST_BITS | index;
                }
            }
            NEWEST.compareAndSet(this, slots, grown(slots));
        }
    }

    private static int enter(KernelTask<?> ticket, @Nullable Object[] slots, int start) {
        for (int i = 0; i < PROBES; i++) {
            int index = index(start + i, slots);
            if (slots[index] == null && SLOT.compareAndSet(slots, index, null, ticket)) {
                return index;
            }
        }
        return NO_SLOT;
    }

    private static int index(int n, @Nullable Object[] slots) {
        return (n & (slots.length - 2)) + 1;
    }

    /** Never 0, so no place in an array is below {@link #PADDED_SLOTS}. */
    private static int bits(@Nullable Object[] slots) {
        return Integer.numberOfTrailingZeros(slots.length - 1);
    }

    private @Nullable Object[] grown(@Nullable Object @Nullable [] older) {
        int bits = older == null ? firstBits : bits(older);
        boolean first = older == null && paddedSlots == null;
        @Nullable
        Object[] slots = new @Nullable Object[1 + (1 << Math.min(MOST_BITS, first ? bits : bits + GROWTH_BITS))];
        slots[0] = older;
        return slots;
    }

    /** Takes out the ticket that {@link #add} put at {@code place}. */
    void remove(int place) {
        if (place < PADDED_SLOTS) {
            paddedSlotAt(place).leave();
            return;
        }
        int bits = place >>> MOST_BITS;
        @Nullable Object[] slots = Objects.requireNonNull(newest);
        while (bits(slots) != bits) {
            slots = (@Nullable Object[]) Objects.requireNonNull(slots[0]);
        }
        SLOT.setRelease(slots, place & ((1 << MOST_BITS) - 1), null);
    }

    private PaddedSlot paddedSlotAt(int place) {
        return Objects.requireNonNull(Objects.requireNonNull(paddedSlots)[place]);
    }

    // ---- a count -------------------------------------------------------------------------------------------------

    /** Counts that the work of the ticket at {@code place} begins. For its thread. */
    void countStart(int place) {
        if (place < PADDED_SLOTS) {
            paddedSlotAt(place).began();
        } else {
            outside().oneOfManyBegan();
        }
    }

    private PaddedSlot outside() {
        PaddedSlot known = outside;
        if (known == null) {
            OUTSIDE.compareAndSet(this, null, new PaddedSlot());
            known = Objects.requireNonNull(outside);
        }
        return known;
    }

    /** How often {@link #countStart} has been called. */
    long startedCount() {
        PaddedSlot many = outside;
        long sum = many == null ? 0 : many.begunSoFar();
        for (int i = 0; paddedSlots != null && i < PADDED_SLOTS; i++) {
            PaddedSlot room = (PaddedSlot) PADDED_SLOT.getAcquire(paddedSlots, i);
            sum += room == null ? 0 : room.begunSoFar();
        }
        return sum;
    }

    // ---- looking -------------------------------------------------------------------------------------------------

    /** The ticket whose work is on {@code thread}; {@code null} if there is none. Mostly found where that would have entered it. */
    @Nullable
    KernelTask<?> taskOn(Thread thread) {
        int start = (int) thread.threadId();
        for (int i = 0; paddedSlots != null && i < PROBES; i++) {
            KernelTask<?> ticket = taskInPaddedSlot((start + i) & (PADDED_SLOTS - 1), paddedSlots);
            if (isOn(thread, ticket)) {
                return ticket;
            }
        }
        for (@Nullable Object[] slots = newest; slots != null; slots = (@Nullable Object[]) slots[0]) {
            for (int i = 0; i < PROBES; i++) {
                Object at = SLOT.getVolatile(slots, index(start + i, slots));
                if (at instanceof KernelTask<?> ticket && isOn(thread, ticket)) {
                    return ticket;
                }
            }
        }
        return searchAll(thread);
    }

    @SuppressWarnings("ReferenceEquality") // a thread is itself
    private static boolean isOn(Thread thread, @Nullable KernelTask<?> ticket) {
        return ticket != null && ticket.thread() == thread;
    }

    /** It may have come again on another thread than the one that entered it. */
    private @Nullable KernelTask<?> searchAll(Thread thread) {
        @Nullable KernelTask<?>[] found = new @Nullable KernelTask<?>[1];
        forEach(ticket -> found[0] = isOn(thread, ticket) ? ticket : found[0]);
        return found[0];
    }

    private static @Nullable KernelTask<?> taskInPaddedSlot(int number, @Nullable PaddedSlot[] rooms) {
        PaddedSlot room = (PaddedSlot) PADDED_SLOT.getVolatile(rooms, number);
        return room == null ? null : room.task;
    }

    /** About how many slots there are to look at, taken or not; there are never fewer again. */
    int length() {
        @Nullable Object[] slots = newest;
        return (paddedSlots == null ? 0 : PADDED_SLOTS) + (slots == null ? 0 : slots.length);
    }

    /** Shows every ticket that is in here for the whole of the call, and maybe others, to {@code action}. */
    void forEach(Consumer<KernelTask<?>> action) {
        for (int i = 0; paddedSlots != null && i < PADDED_SLOTS; i++) {
            KernelTask<?> ticket = taskInPaddedSlot(i, paddedSlots);
            if (ticket != null) {
                action.accept(ticket);
            }
        }
        for (@Nullable Object[] slots = newest; slots != null; slots = (@Nullable Object[]) slots[0]) {
            for (int i = 1; i < slots.length; i++) {
                if (SLOT.getVolatile(slots, i) instanceof KernelTask<?> ticket) {
                    action.accept(ticket);
                }
            }
        }
    }
}
