package io.github.kobe.internal.fair;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A binary heap of shares by rank, then by sequence; each knows its index, so that it can be moved when its rank changes. A share is in
 * one heap at most.
 *
 * @param <S> the kind of share
 */
public final class IndexedHeap<S extends HeapEntry> {

    private static final int FIRST_CAPACITY = 16;

    private @Nullable HeapEntry[] entries = new HeapEntry[FIRST_CAPACITY];
    private int size;

    /** Whether none is in it. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** The one with the lowest rank, if there is any. */
    @SuppressWarnings("unchecked") // only add puts any in
    public @Nullable S peek() {
        return (S) entries[0];
    }

    /** Puts in one that is in no heap. */
    public void add(S share) {
        if (size == entries.length) {
            entries = Arrays.copyOf(entries, size * 2);
        }
        share.index = size++;
        siftUp(share);
    }

    /** Takes out the one with the lowest rank; there has to be one. */
    public void removeFirst() {
        remove(at(0));
    }

    /** Takes out one that is in it. */
    @SuppressWarnings("ReferenceEquality") // shares are themselves
    public void remove(HeapEntry share) {
        int hole = share.index;
        HeapEntry last = at(--size);
        entries[size] = null;
        share.index = -1;
        if (last != share) {
            last.index = hole;
            siftUp(last);
            siftDown(last);
        }
    }

    /** The rank of one that is in it has changed. */
    public void moved(HeapEntry share) {
        siftUp(share);
        siftDown(share);
    }

    private void siftUp(HeapEntry share) {
        while (share.index > 0) {
            HeapEntry parent = at((share.index - 1) / 2);
            if (!before(share, parent)) {
                break;
            }
            int free = parent.index;
            put(parent, share.index);
            share.index = free;
        }
        put(share, share.index);
    }

    private void siftDown(HeapEntry share) {
        for (int left = 2 * share.index + 1; left < size; left = 2 * share.index + 1) {
            HeapEntry child = at(left);
            if (left + 1 < size && before(at(left + 1), child)) {
                child = at(left + 1);
            }
            if (!before(child, share)) {
                break;
            }
            int free = child.index;
            put(child, share.index);
            share.index = free;
        }
        put(share, share.index);
    }

    private void put(HeapEntry share, int index) {
        entries[index] = share;
        share.index = index;
    }

    @SuppressWarnings("NullAway") // below size there is no null
    private HeapEntry at(int index) {
        return entries[index];
    }

    private static boolean before(HeapEntry a, HeapEntry b) {
        return a.rank < b.rank || (a.rank == b.rank && a.sequence < b.sequence);
    }
}
