package io.github.kobe.internal.util;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A few slots with cache lines of their own, for objects that threads add and remove at high rates. Adding is one compare-and-set on a slot that is
 * nearly always free. Neither adding nor removing allocates, except for the first use of a slot.
 *
 * @param <T> what is in a slot
 */
public final class PaddedSlots<T> {

    /** No slot: all that were probed are taken. */
    public static final int NONE = -1;

    private static final int PROBES = 8;
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Slot[].class);

    private final @Nullable Slot[] slots; // each created when it is first needed

    /** A slot with cache lines of its own. */
    private static final class Slot extends CacheLinePadding {
        private static final VarHandle VALUE;

        static {
            try {
                VALUE = MethodHandles.lookup().findVarHandle(Slot.class, "value", Object.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private volatile @Nullable Object value;
    }

    /** @param size how many slots there are; a power of two, at least 8 */
    public PaddedSlots(int size) {
        slots = new @Nullable Slot[size];
    }

    /** How many slots there are. */
    public int size() {
        return slots.length;
    }

    /**
     * Puts {@code value} into a free slot, first near the one that the calling thread prefers. Has the effect of a full fence if it succeeds.
     *
     * @return the slot; {@link #NONE} if a few probes find no free one
     */
    public int tryAdd(T value) {
        int start = (int) Thread.currentThread().threadId();
        for (int i = 0; i < PROBES; i++) {
            int index = (start + i) & (slots.length - 1);
            Slot slot = slot(index);
            if (slot.value == null && Slot.VALUE.compareAndSet(slot, null, value)) {
                return index;
            }
        }
        return NONE;
    }

    /** How many slots {@link #tryAdd} probes, from that of a thread on. */
    public static int probes() {
        return PROBES;
    }

    private Slot slot(int index) {
        Slot known = (Slot) SLOT.getAcquire(slots, index);
        if (known != null) {
            return known;
        }
        Slot created = new Slot();
        Slot first = (Slot) SLOT.compareAndExchange(slots, index, null, created);
        return first == null ? created : first;
    }

    /** Removes what {@link #tryAdd} put into the slot. For the thread that owns it. */
    public void remove(int index) {
        Slot.VALUE.setRelease(slot(index), null);
    }

    /** Removes {@code value} if it is still in the slot. Of several threads that try, one succeeds. */
    public boolean tryRemove(int index, T value) {
        return Slot.VALUE.compareAndSet(slot(index), value, null);
    }

    /** What is in the slot; {@code null} if it is free. A volatile read. */
    @SuppressWarnings("unchecked")
    public @Nullable T get(int index) {
        Slot slot = (Slot) SLOT.getVolatile(slots, index & (slots.length - 1));
        return slot == null ? null : (T) slot.value;
    }
}
