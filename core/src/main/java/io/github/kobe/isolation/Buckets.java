package io.github.kobe.isolation;

import org.jspecify.annotations.Nullable;

/**
 * Lines of keys side by side, by number; each first in, first out. Everything takes the same time however many keys there are: the
 * lines that are not empty are found by a bit for each. Not safe for use by several threads.
 */
final class Buckets {

    private final @Nullable TenantShare[] first;
    private final @Nullable TenantShare[] last;
    private final long[] since; // of the first, so that one who compares lines looks in one place
    private final long[] filled;
    private int size;

    Buckets(int number) {
        first = new TenantShare[number];
        last = new TenantShare[number];
        since = new long[number];
        filled = new long[(number + Long.SIZE - 1) / Long.SIZE];
    }

    /** Puts one that is in no bucket at the end of this one. */
    void add(TenantShare share, int bucket) {
        TenantShare before = last[bucket];
        share.bucket = bucket;
        share.previous = before;
        share.next = null;
        if (before == null) {
            first[bucket] = share;
            since[bucket] = share.since;
            filled[bucket / Long.SIZE] |= 1L << bucket;
        } else {
            before.next = share;
        }
        last[bucket] = share;
        size++;
    }

    /** Takes out one that is in. */
    void remove(TenantShare share) {
        int bucket = share.bucket;
        TenantShare before = share.previous;
        TenantShare after = share.next;
        if (before == null) {
            first[bucket] = after;
            if (after == null) {
                filled[bucket / Long.SIZE] &= ~(1L << bucket);
            } else {
                since[bucket] = after.since;
            }
        } else {
            before.next = after;
        }
        if (after == null) {
            last[bucket] = before;
        } else {
            after.previous = before;
        }
        share.previous = null;
        share.next = null;
        size--;
    }

    int size() {
        return size;
    }

    /** The lowest bucket from {@code from} on that has one in it; -1 if none has. */
    int filledFrom(int from) {
        int word = from / Long.SIZE;
        if (word >= filled.length) {
            return -1;
        }
        long bits = filled[word] & (-1L << from);
        while (bits == 0) {
            if (++word == filled.length) {
                return -1;
            }
            bits = filled[word];
        }
        return word * Long.SIZE + Long.numberOfTrailingZeros(bits);
    }

    /** Who has been in that bucket longest. */
    @Nullable
    TenantShare first(int bucket) {
        return first[bucket];
    }

    /** Since when that one is in line; meaningless if the bucket is empty. */
    long since(int bucket) {
        return since[bucket];
    }
}
