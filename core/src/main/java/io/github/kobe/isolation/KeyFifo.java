package io.github.kobe.isolation;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A first-in, first-out queue of keys from which any key can be removed in constant time. Uses an array instead of links between keys:
 * keys live long and are far apart in memory, and each new link between old objects costs the garbage collector work. Not thread-safe.
 */
final class KeyFifo {

    private static final int MIN_SLOTS = 8;
    private static final @Nullable KeyState[] NO_SLOTS = new KeyState[0];

    private @Nullable KeyState[] slots = NO_SLOTS; // the length is a power of two, or 0

    /** The position of the first key, if there is one. Positions overflow; the low bits are the index of the slot. */
    private int head;

    /** The position of the next key that is added. */
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

    /** Appends a key that is in no queue. */
    void add(KeyState key) {
        if (tail - head == slots.length) {
            grow();
        }
        slots[slotOf(tail)] = key;
        key.position = tail++;
        size++;
    }

    /** Removes a key that is in this queue. */
    void remove(KeyState key) {
        slots[slotOf(key.position)] = null;
        size--;
        while (head != tail && slots[slotOf(head)] == null) {
            head++;
        }
        if (slots.length > MIN_SLOTS && size <= slots.length / 8) {
            compact(slots.length / 2);
        }
    }

    /** Doubles the slots. If most slots are empty because keys between others were removed, closes the gaps instead. */
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
            KeyState key = old[position & (old.length - 1)];
            if (key != null) {
                slots[tail] = key;
                key.position = tail++;
            }
        }
    }

    /** The length of the array. */
    int slots() {
        return slots.length;
    }

    void forEach(Consumer<KeyState> action) {
        for (int position = head; position != tail; position++) {
            KeyState key = slots[slotOf(position)];
            if (key != null) {
                action.accept(key);
            }
        }
    }
}
