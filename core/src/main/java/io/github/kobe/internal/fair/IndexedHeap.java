package io.github.kobe.internal.fair;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A binary heap, sorted by rank and then by sequence. Each entry stores its index, so an entry whose rank changes is moved in O(log n). An
 * entry is in at most one heap. Not thread-safe.
 *
 * @param <E> the type of the entries
 */
public final class IndexedHeap<E extends HeapEntry> {

    private static final int FIRST_CAPACITY = 16;

    private @Nullable HeapEntry[] entries = new HeapEntry[FIRST_CAPACITY];
    private int size;

    /** Whether the heap has no entry. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** The entry with the lowest rank; {@code null} if the heap is empty. */
    @SuppressWarnings("unchecked") // only add stores entries
    public @Nullable E peek() {
        return (E) entries[0];
    }

    /** Adds an entry that is in no heap. */
    public void add(E entry) {
        if (size == entries.length) {
            entries = Arrays.copyOf(entries, size * 2);
        }
        entry.index = size++;
        siftUp(entry);
    }

    /** Removes the entry with the lowest rank. The heap must not be empty. */
    public void removeFirst() {
        remove(at(0));
    }

    /** Removes an entry that is in this heap. */
    @SuppressWarnings("ReferenceEquality") // entries are compared by identity
    public void remove(HeapEntry entry) {
        int hole = entry.index;
        HeapEntry last = at(--size);
        entries[size] = null;
        entry.index = -1;
        if (last != entry) {
            last.index = hole;
            siftUp(last);
            siftDown(last);
        }
    }

    /** Restores the order after the rank of an entry in this heap has changed. */
    public void rankChanged(HeapEntry entry) {
        siftUp(entry);
        siftDown(entry);
    }

    private void siftUp(HeapEntry entry) {
        while (entry.index > 0) {
            HeapEntry parent = at((entry.index - 1) / 2);
            if (!before(entry, parent)) {
                break;
            }
            int free = parent.index;
            put(parent, entry.index);
            entry.index = free;
        }
        put(entry, entry.index);
    }

    private void siftDown(HeapEntry entry) {
        for (int left = 2 * entry.index + 1; left < size; left = 2 * entry.index + 1) {
            HeapEntry child = at(left);
            if (left + 1 < size && before(at(left + 1), child)) {
                child = at(left + 1);
            }
            if (!before(child, entry)) {
                break;
            }
            int free = child.index;
            put(child, entry.index);
            entry.index = free;
        }
        put(entry, entry.index);
    }

    private void put(HeapEntry entry, int index) {
        entries[index] = entry;
        entry.index = index;
    }

    @SuppressWarnings("NullAway") // no slot below size is null
    private HeapEntry at(int index) {
        return entries[index];
    }

    private static boolean before(HeapEntry a, HeapEntry b) {
        return a.rank < b.rank || (a.rank == b.rank && a.sequence < b.sequence);
    }
}
