package io.github.kobe.isolation;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A line of keys, first in, first out, that any of them can be taken out of. In an array rather than linked to each other: keys live
 * for long and are far apart in memory, and a collector has to look at each that comes to refer to another. Not safe for use by several
 * threads.
 */
final class KeyFifo {

    private static final int MIN_SLOTS = 8;
    private static final @Nullable KeyState[] NO_SLOTS = new KeyState[0];

    private @Nullable KeyState[] slots = NO_SLOTS; // as many as a power of two, or none

    /** The position of the first, if there is one. Positions wrap around; their last bits are the slot. */
    private int head;

    /** The position of the next one to come. */
    private int tail;

    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    @Nullable
    KeyState first() {
        return size == 0 ? null : slots[slotOf(head)];
    }

    private int slotOf(int position) {
        return position & (slots.length - 1);
    }

    /** Puts one that is in no ring at the end. */
    void add(KeyState share) {
        if (tail - head == slots.length) {
            grow();
        }
        slots[slotOf(tail)] = share;
        share.position = tail++;
        size++;
    }

    /** Takes out one that is in. */
    void remove(KeyState share) {
        slots[slotOf(share.position)] = null;
        size--;
        while (head != tail && slots[slotOf(head)] == null) {
            head++;
        }
        if (slots.length > MIN_SLOTS && size <= slots.length / 8) {
            compact(slots.length / 2); // as many again would have to leave for the next time
        }
    }

    /** As many slots again, unless most of them are of some who were taken out from between others. */
    private void grow() {
        if (size < slots.length / 2) {
            compact(slots.length);
            return;
        }
        @Nullable KeyState[] more = new KeyState[Math.max(MIN_SLOTS, 2 * slots.length)];
        for (int position = head; position != tail; position++) {
            more[position & (more.length - 1)] = slots[slotOf(position)];
        }
        slots = more;
    }

    private void compact(int length) {
        @Nullable KeyState[] old = slots;
        int from = head;
        int until = tail;
        slots = new KeyState[length];
        head = 0;
        tail = 0;
        for (int position = from; position != until; position++) {
            KeyState share = old[position & (old.length - 1)];
            if (share != null) {
                slots[tail] = share;
                share.position = tail++;
            }
        }
    }

    /** How much memory it takes. */
    int slots() {
        return slots.length;
    }

    void forEach(Consumer<KeyState> action) {
        for (int position = head; position != tail; position++) {
            KeyState share = slots[slotOf(position)];
            if (share != null) {
                action.accept(share);
            }
        }
    }
}
