package io.github.kobe.isolation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The queued keys: one queue for each {@link KeyClass}, by the class that the key had when it was last classified.
 *
 * <p>Fast keys are ordered by the time for which a permit would be held, and by the time in the queue. Other keys are ordered by the number
 * of running tasks, lowest first. Both numbers are rounded to buckets, so every operation takes the same time for any number of keys. Not
 * thread-safe.
 */
final class KeyQueues {

    /** A fast key waits behind keys with shorter tasks for at most this many times the time that it would hold a permit. */
    private static final int MAX_STRETCH = 8;

    /** Times are rounded to half octaves, up to about a minute. */
    private static final int TIME_BITS = 1;

    private static final int TIME_BUCKETS = 72;

    /** Counts below this number are exact; larger ones are rounded to eighths of octaves. */
    private static final int EXACT_COUNTS = 64;

    private static final int COUNT_BITS = 3;

    private static final int COUNT_BUCKETS = EXACT_COUNTS + (Integer.SIZE << COUNT_BITS);

    private final BucketQueue fast = new BucketQueue(TIME_BUCKETS, bucket -> (long) (MAX_STRETCH * timeOf(bucket)));
    private final BucketQueue established = new BucketQueue(COUNT_BUCKETS, bucket -> 0);
    private final BucketQueue unproven = new BucketQueue(COUNT_BUCKETS, bucket -> 0);
    private final BucketQueue atLimit = new BucketQueue(COUNT_BUCKETS, bucket -> 0);

    private BucketQueue queueOf(KeyClass keyClass) {
        return switch (keyClass) {
            case FAST -> fast;
            case ESTABLISHED -> established;
            case UNPROVEN -> unproven;
            case AT_LIMIT -> atLimit;
        };
    }

    private BucketQueue queueOf(KeyState key) {
        if (key.isQueuedAs(KeyClass.FAST)) {
            return fast;
        }
        return key.isQueuedAs(KeyClass.ESTABLISHED)
                ? established
                : key.isQueuedAs(KeyClass.UNPROVEN) ? unproven : atLimit;
    }

    /** @param expectedTime how long a task of the key is expected to hold its permit */
    void add(KeyState key, KeyClass keyClass, double expectedTime) {
        queueOf(keyClass).add(key, keyClass == KeyClass.FAST ? timeBucket(key, expectedTime) : countBucket(key));
        key.setQueuedAs(keyClass);
    }

    void remove(KeyState key) {
        if (key.isQueued()) {
            queueOf(key).remove(key);
            key.setQueuedAs(null);
        }
    }

    @Nullable
    KeyState first(KeyClass keyClass) {
        BucketQueue queue = queueOf(keyClass);
        int bucket = keyClass == KeyClass.FAST ? queue.lowestRanked() : queue.nextNonEmpty(0);
        return bucket < 0 ? null : queue.first(bucket);
    }

    /** Whether {@code key}, which is in another queue, would be ahead of {@code fastKey} in the fast queue. */
    boolean isBefore(KeyState key, double expectedTime, KeyState fastKey) {
        return fast.rank(key, timeBucket(key, expectedTime)) - fast.rank(fastKey, fastKey.bucket) < 0;
    }

    /** The number of queued keys. If the caller does not hold the lock of the queue, the number may be slightly old. */
    int size() {
        return fast.size() + established.size() + unproven.size() + atLimit.size();
    }

    /** The keys of the class {@link KeyClass#AT_LIMIT}. There are few, since each holds many permits. */
    List<KeyState> atLimit() {
        List<KeyState> keys = new ArrayList<>();
        atLimit.forEach(keys::add);
        return keys;
    }

    /** Whether keys are queued that may become entitled to a free permit by time alone. */
    boolean hasOtherThanFast() {
        return established.size() + unproven.size() > 0;
    }

    /** Removes the keys without a queued task: all their queued tasks were withdrawn. */
    List<KeyState> removeIdle() {
        List<KeyState> idle = new ArrayList<>();
        for (KeyClass keyClass : KeyClass.values()) {
            queueOf(keyClass).forEach(key -> {
                if (key.group().queued() == 0) {
                    idle.add(key);
                }
            });
        }
        idle.forEach(this::remove);
        return idle;
    }

    // ---- rounding: the exponent and the first bits of the fraction of a double number the buckets -------------

    private static int ratioBucket(double value, int bits) {
        return (int) (Double.doubleToRawLongBits(value) >>> (52 - bits));
    }

    private static int timeBucket(double nanos) {
        return Math.min(TIME_BUCKETS - 1, ratioBucket(Math.max(1, nanos), TIME_BITS) - ratioBucket(1, TIME_BITS));
    }

    private static int timeBucket(KeyState key, double expectedTime) {
        return timeBucket((key.running + 1) * expectedTime);
    }

    private static double timeOf(int bucket) {
        return Double.longBitsToDouble((long) (bucket + ratioBucket(1, TIME_BITS)) << (52 - TIME_BITS));
    }

    private static int countBucket(KeyState key) {
        int count = key.running;
        return count < EXACT_COUNTS
                ? count
                : EXACT_COUNTS + ratioBucket(count, COUNT_BITS) - ratioBucket(EXACT_COUNTS, COUNT_BITS);
    }

    /** Numbered buckets of keys, each first in, first out. A bit for each bucket tells whether it is empty. */
    private static final class BucketQueue {

        private final @Nullable KeyFifo[] fifos; // each is created when it is first used
        private final long[]
                ranks; // the rank of the first key of each bucket, so that comparing buckets reads one array
        private final long[] delays;
        private final long[] nonEmpty;
        private int size;

        /** @param delay for each bucket, what is added to the time when a key was queued to get its rank among all buckets */
        BucketQueue(int buckets, IntToLongFunction delay) {
            fifos = new KeyFifo[buckets];
            ranks = new long[buckets];
            delays = new long[buckets];
            Arrays.setAll(delays, delay);
            nonEmpty = new long[(buckets + Long.SIZE - 1) / Long.SIZE];
        }

        private KeyFifo fifo(int bucket) {
            KeyFifo known = fifos[bucket];
            if (known == null) {
                known = new KeyFifo();
                fifos[bucket] = known;
            }
            return known;
        }

        /** Appends a key that is in no bucket. */
        void add(KeyState key, int bucket) {
            KeyFifo fifo = fifo(bucket);
            if (fifo.isEmpty()) {
                ranks[bucket] = rank(key, bucket);
                nonEmpty[bucket / Long.SIZE] |= 1L << bucket;
            }
            key.bucket = bucket;
            fifo.add(key);
            size++;
        }

        /** Removes a key that is in a bucket. */
        void remove(KeyState key) {
            int bucket = key.bucket;
            KeyFifo fifo = fifo(bucket);
            boolean wasFirst = fifo.first() == key;
            fifo.remove(key);
            size--;
            if (wasFirst) {
                KeyState first = fifo.first();
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

        /** The lowest bucket from {@code from} on that is not empty; -1 if there is none. */
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

        @Nullable
        KeyState first(int bucket) {
            return fifo(bucket).first();
        }

        /** The bucket whose first key has the lowest rank; -1 if all are empty. */
        int lowestRanked() {
            int best = nextNonEmpty(0);
            for (int bucket = best; bucket >= 0; bucket = nextNonEmpty(bucket + 1)) {
                if (ranks[bucket] - ranks[best] < 0) {
                    best = bucket;
                }
            }
            return best;
        }

        /** The rank of the key if it is the first of that bucket. */
        long rank(KeyState key, int bucket) {
            return key.queuedSince + delays[bucket];
        }

        void forEach(Consumer<KeyState> action) {
            for (int bucket = nextNonEmpty(0); bucket >= 0; bucket = nextNonEmpty(bucket + 1)) {
                fifo(bucket).forEach(action);
            }
        }
    }
}
