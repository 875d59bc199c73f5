package io.github.kobe.isolation;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lines of keys side by side, by number; each first in, first out. Everything takes the same time however many keys there are: the
 * lines that are not empty are found by a bit for each. Not safe for use by several threads.
 */
final class BucketQueue {

    private final @Nullable KeyFifo[] fifos; // each made when the first comes
    private final long[] ranks; // of the first of each, so that one who compares lines looks in one place
    private final long[] delays;
    private final long[] nonEmpty;
    private int size;

    /** @param handicap what is added, for each line, to the time since which its first is there, for a comparison with others */
    BucketQueue(int number, IntToLongFunction handicap) {
        fifos = new KeyFifo[number];
        ranks = new long[number];
        delays = new long[number];
        Arrays.setAll(delays, handicap);
        nonEmpty = new long[(number + Long.SIZE - 1) / Long.SIZE];
    }

    private KeyFifo fifo(int bucket) {
        KeyFifo known = fifos[bucket];
        if (known == null) {
            known = new KeyFifo();
            fifos[bucket] = known;
        }
        return known;
    }

    /** Puts one that is in no bucket at the end of this one. */
    void add(KeyState share, int bucket) {
        KeyFifo ring = fifo(bucket);
        if (ring.isEmpty()) {
            ranks[bucket] = rank(share, bucket);
            nonEmpty[bucket / Long.SIZE] |= 1L << bucket;
        }
        share.bucket = bucket;
        ring.add(share);
        size++;
    }

    /** Takes out one that is in. */
    void remove(KeyState share) {
        int bucket = share.bucket;
        KeyFifo ring = fifo(bucket);
        boolean wasFirst = ring.first() == share;
        ring.remove(share);
        size--;
        if (wasFirst) {
            KeyState first = ring.first();
            if (first == null) {
                nonEmpty[bucket / Long.SIZE] &= ~(1L << bucket);
            } else {
                ranks[bucket] = rank(first, bucket);
            }
        }
    }

    int size() {
        return size;
    }

    /** The lowest bucket from {@code from} on that has one in it; -1 if none has. */
    int nextNonEmpty(int from) {
        int word = from / Long.SIZE;
        if (word >= nonEmpty.length) {
            return -1;
        }
        long bits = nonEmpty[word] & (-1L << from);
        while (bits == 0) {
            if (++word == nonEmpty.length) {
                return -1;
            }
            bits = nonEmpty[word];
        }
        return word * Long.SIZE + Long.numberOfTrailingZeros(bits);
    }

    /** Who has been in that bucket longest. */
    @Nullable
    KeyState first(int bucket) {
        return fifo(bucket).first();
    }

    /** The filled bucket whose first has the lowest rank; -1 if there is none. */
    int lowestRanked() {
        int best = nextNonEmpty(0);
        for (int bucket = best; bucket >= 0; bucket = nextNonEmpty(bucket + 1)) {
            if (ranks[bucket] - ranks[best] < 0) {
                best = bucket;
            }
        }
        return best;
    }

    /** What the key's rank is, or would be, as the first of that bucket. */
    long rank(KeyState share, int bucket) {
        return share.queuedSince + delays[bucket];
    }

    void forEach(Consumer<KeyState> action) {
        for (int bucket = nextNonEmpty(0); bucket >= 0; bucket = nextNonEmpty(bucket + 1)) {
            fifo(bucket).forEach(action);
        }
    }
}
