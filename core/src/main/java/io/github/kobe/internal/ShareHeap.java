package io.github.kobe.internal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A binary heap of shares by rank, then by sequence; each knows its index, so that it can be moved when its rank changes. */
final class ShareHeap {

    private static final int FIRST_CAPACITY = 16;

    private @Nullable TimeShare[] shares = new TimeShare[FIRST_CAPACITY];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /** The one with the lowest rank, if there is any. */
    @Nullable
    TimeShare peek() {
        return shares[0];
    }

    void add(TimeShare share) {
        if (size == shares.length) {
            shares = Arrays.copyOf(shares, size * 2);
        }
        share.index = size++;
        siftUp(share);
    }

    /** Takes out the one with the lowest rank; there has to be one. */
    void removeFirst() {
        TimeShare first = at(0);
        TimeShare last = at(--size);
        shares[size] = null;
        first.index = -1;
        if (last != first) {
            last.index = 0;
            siftDown(last);
        }
    }

    /** Its rank has changed. */
    void moved(TimeShare share) {
        siftUp(share);
        siftDown(share);
    }

    private void siftUp(TimeShare share) {
        while (share.index > 0) {
            TimeShare parent = at((share.index - 1) / 2);
            if (!before(share, parent)) {
                break;
            }
            int free = parent.index;
            put(parent, share.index);
            share.index = free;
        }
        put(share, share.index);
    }

    private void siftDown(TimeShare share) {
        for (int left = 2 * share.index + 1; left < size; left = 2 * share.index + 1) {
            TimeShare child = at(left);
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

    private void put(TimeShare share, int index) {
        shares[index] = share;
        share.index = index;
    }

    @SuppressWarnings("NullAway") // below size there is no null
    private TimeShare at(int index) {
        return shares[index];
    }

    private static boolean before(TimeShare a, TimeShare b) {
        return a.rank < b.rank || (a.rank == b.rank && a.sequence < b.sequence);
    }
}
