package io.github.kobe.internal.kernel;

import io.github.kobe.internal.util.PaddedSlots;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a container that are on a thread, await a retry, or are about to publish their outcome, so that a shutdown can find them. Also
 * the queued tasks whose time in the queue a sweep checks. Permits of callers are not here.
 *
 * <p>Adding a task is one compare-and-set on a slot that is nearly always free. Removing it is one store. Neither allocates. The slots are
 * arrays of growing length, the newest first; index 0 of each array links to the older one. If a few probes of the newest array find no
 * free slot, a larger array is created. The arrays are released with the group when it retires.
 *
 * <p><b>Padded slots.</b> If the same few threads add tasks again and again, or if a great many tasks run at once, the first few slots are
 * objects that are padded to cache lines of their own. For many groups of a few threads each that would waste memory.
 */
final class RunningTasks {

    private static final VarHandle NEWEST;
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            NEWEST = lookup.findVarHandle(RunningTasks.class, "newest", Object[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int PADDED_SLOTS = 16; // a power of two
    private static final int MAX_FIRST_BITS = 4;
    private static final int GROWTH_BITS = 2;
    private static final int MAX_BITS = 26;
    private static final int PROBES = 8;
    private static final int RANDOM_STARTS = 3;
    private static final int NO_SLOT = PaddedSlots.NONE;

    private final int firstBits;
    private final @Nullable PaddedSlots<KernelTask<?>> paddedSlots;
    private volatile @Nullable Object @Nullable [] newest; // 1 + a power of two long

    /**
     * @param expectedTasks how many tasks will run at once at most, as far as is known; twice as many slots keep the probes few
     * @param padded whether the same few threads add tasks again and again, or a great many tasks run at once
     */
    RunningTasks(int expectedTasks, boolean padded) {
        paddedSlots = padded ? new PaddedSlots<>(PADDED_SLOTS) : null;
        firstBits = Math.min(MAX_FIRST_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, expectedTasks)));
    }

    /**
     * Adds {@code task}. A {@link #forEach} that begins after this has returned sees the task until it is removed. Has the effect of a full
     * fence.
     *
     * @return its slot, for {@link #remove}
     */
    int add(KernelTask<?> task) {
        int slot = paddedSlots == null ? NO_SLOT : paddedSlots.tryAdd(task);
        return slot == NO_SLOT ? addToSlots(task) : slot;
    }

    private int addToSlots(KernelTask<?> task) {
        for (; ; ) {
            @Nullable Object[] slots = newest;
            if (slots != null) {
                int index = tryPut(task, slots, (int) Thread.currentThread().threadId());
                // the slots near that start may all be taken by tasks of this thread that await a retry
                for (int i = 0; i < RANDOM_STARTS && index == NO_SLOT; i++) {
                    index = tryPut(task, slots, ThreadLocalRandom.current().nextInt());
                }
                if (index != NO_SLOT) {
                    return bits(slots) << MAX_BITS | index;
                }
            }
            NEWEST.compareAndSet(this, slots, grown(slots));
        }
    }

    private static int tryPut(KernelTask<?> task, @Nullable Object[] slots, int start) {
        for (int i = 0; i < PROBES; i++) {
            int index = index(start + i, slots);
            if (slots[index] == null && SLOT.compareAndSet(slots, index, null, task)) {
                return index;
            }
        }
        return NO_SLOT;
    }

    private static int index(int n, @Nullable Object[] slots) {
        return (n & (slots.length - 2)) + 1;
    }

    /** Never 0, so no slot number of an array is below {@link #PADDED_SLOTS}. */
    private static int bits(@Nullable Object[] slots) {
        return Integer.numberOfTrailingZeros(slots.length - 1);
    }

    private @Nullable Object[] grown(@Nullable Object @Nullable [] older) {
        int bits = older == null ? firstBits : bits(older);
        boolean first = older == null && paddedSlots == null;
        @Nullable
        Object[] slots = new @Nullable Object[1 + (1 << Math.min(MAX_BITS, first ? bits : bits + GROWTH_BITS))];
        slots[0] = older;
        return slots;
    }

    /** Removes the task that {@link #add} stored in {@code slot}. */
    void remove(int slot) {
        if (slot < PADDED_SLOTS) {
            Objects.requireNonNull(paddedSlots).remove(slot);
            return;
        }
        int bits = slot >>> MAX_BITS;
        @Nullable Object[] slots = Objects.requireNonNull(newest);
        while (bits(slots) != bits) {
            slots = (@Nullable Object[]) Objects.requireNonNull(slots[0]);
        }
        SLOT.setRelease(slots, slot & ((1 << MAX_BITS) - 1), null);
    }

    // ---- reading -------------------------------------------------------------------------------------------------

    /** The task whose work is on {@code thread}; {@code null} if there is none. First probes where that thread would add it. */
    @Nullable
    KernelTask<?> taskOn(Thread thread) {
        int start = (int) thread.threadId();
        for (int i = 0; paddedSlots != null && i < PaddedSlots.probes(); i++) {
            KernelTask<?> task = paddedSlots.get(start + i);
            if (isOn(thread, task)) {
                return task;
            }
        }
        for (@Nullable Object[] slots = newest; slots != null; slots = (@Nullable Object[]) slots[0]) {
            for (int i = 0; i < PROBES; i++) {
                Object at = SLOT.getVolatile(slots, index(start + i, slots));
                if (at instanceof KernelTask<?> task && isOn(thread, task)) {
                    return task;
                }
            }
        }
        return searchAll(thread);
    }

    @SuppressWarnings("ReferenceEquality") // threads are compared by identity
    private static boolean isOn(Thread thread, @Nullable KernelTask<?> task) {
        return task != null && task.thread() == thread;
    }

    /** A retry may run on another thread than the one that added the task. */
    private @Nullable KernelTask<?> searchAll(Thread thread) {
        @Nullable KernelTask<?>[] found = new @Nullable KernelTask<?>[1];
        forEach(task -> found[0] = isOn(thread, task) ? task : found[0]);
        return found[0];
    }

    /** About how many slots {@link #forEach} reads, free or not. Never falls. */
    int slotCount() {
        @Nullable Object[] slots = newest;
        return (paddedSlots == null ? 0 : PADDED_SLOTS) + (slots == null ? 0 : slots.length);
    }

    /** Whether every task that is registered has completed. */
    boolean allCompleted() {
        for (int i = 0; paddedSlots != null && i < PADDED_SLOTS; i++) {
            KernelTask<?> task = paddedSlots.get(i);
            if (task != null && !task.isCompleted()) {
                return false;
            }
        }
        for (@Nullable Object[] slots = newest; slots != null; slots = (@Nullable Object[]) slots[0]) {
            for (int i = 1; i < slots.length; i++) {
                if (SLOT.getVolatile(slots, i) instanceof KernelTask<?> task && !task.isCompleted()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Passes some of the registered tasks to {@code action}; all if there are few. Reads at most about {@code maxSlots} slots. */
    void forSome(int maxSlots, Consumer<KernelTask<?>> action) {
        int left = maxSlots;
        for (int i = 0; paddedSlots != null && i < PADDED_SLOTS; i++, left--) {
            KernelTask<?> task = paddedSlots.get(i);
            if (task != null) {
                action.accept(task);
            }
        }
        for (@Nullable Object[] slots = newest; slots != null && left > 0; slots = (@Nullable Object[]) slots[0]) {
            int start =
                    slots.length - 1 <= left ? 0 : ThreadLocalRandom.current().nextInt();
            for (int i = 0; i < slots.length - 1 && left > 0; i++, left--) {
                if (SLOT.getVolatile(slots, index(start + i, slots)) instanceof KernelTask<?> task) {
                    action.accept(task);
                }
            }
        }
    }

    /** Passes every task that is registered for the whole of the call, and maybe others, to {@code action}. */
    void forEach(Consumer<KernelTask<?>> action) {
        for (int i = 0; paddedSlots != null && i < PADDED_SLOTS; i++) {
            KernelTask<?> task = paddedSlots.get(i);
            if (task != null) {
                action.accept(task);
            }
        }
        for (@Nullable Object[] slots = newest; slots != null; slots = (@Nullable Object[]) slots[0]) {
            for (int i = 1; i < slots.length; i++) {
                if (SLOT.getVolatile(slots, i) instanceof KernelTask<?> task) {
                    action.accept(task);
                }
            }
        }
    }
}
