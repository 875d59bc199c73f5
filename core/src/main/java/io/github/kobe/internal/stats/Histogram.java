package io.github.kobe.internal.stats;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts durations in buckets of bounded number, from many threads at once, without a lock and without allocating.
 *
 * <p>Each power of two of nanoseconds from 2^10 (1 µs) to 2^42 (73 minutes) is cut into 8 buckets of equal width, so that a
 * bucket's middle is at most 1/16 away from anything in it. What is shorter shares the first bucket, what is longer the last.
 *
 * <p>A snapshot is taken while others record, so its parts need not belong to one instant. But what is recorded raises the
 * maximum before it is counted, and a snapshot reads the counts before the maximum, so that nothing counted is above it.
 */
public final class Histogram {

    private static final int LEAST_EXPONENT = 10;
    private static final int END_EXPONENT = 42;
    private static final int SUB_BITS = 3;
    private static final int SUB_BUCKETS = 1 << SUB_BITS;

    /** How many buckets there are; in a snapshot they come first. */
    public static final int BUCKETS = 2 + (END_EXPONENT - LEAST_EXPONENT) * SUB_BUCKETS;

    /** The bucket of what is too long for any other. */
    public static final int LAST_BUCKET = BUCKETS - 1;

    /** Where a snapshot has the sum, in whole microseconds: in nanoseconds a million tasks that wait for hours would overflow it. */
    public static final int SUM_MICROS = BUCKETS;

    /** Where a snapshot has what {@link #SUM_MICROS} leaves out of each duration, in nanoseconds. */
    public static final int SUM_REST = BUCKETS + 1;

    /** Where a snapshot has the longest duration, in nanoseconds. */
    public static final int MAX = BUCKETS + 2;

    /** The length of a snapshot. */
    public static final int SIZE = BUCKETS + 3;

    private final AtomicLongArray cells = new AtomicLongArray(SIZE);

    /** Counts a duration; a negative one as zero. */
    public void record(long nanos) {
        long duration = Math.max(0, nanos);
        raiseMax(duration);
        cells.getAndAdd(SUM_MICROS, duration / 1000);
        cells.getAndAdd(SUM_REST, duration % 1000);
        cells.getAndIncrement(bucketOf(duration));
    }

    private void raiseMax(long nanos) {
        if (nanos > cells.get(MAX)) { // most are not, and should not write where others write too
            cells.accumulateAndGet(MAX, nanos, Math::max);
        }
    }

    /** Adds what was recorded here to {@code other}; it stays here too. */
    public void addTo(Histogram other) {
        other.add(snapshot());
    }

    /** In the order of {@link #record}. */
    private void add(long[] amounts) {
        raiseMax(amounts[MAX]);
        for (int i = MAX - 1; i >= 0; i--) {
            if (amounts[i] != 0) {
                cells.getAndAdd(i, amounts[i]);
            }
        }
    }

    /** The counts of all buckets, and what the other constants name. */
    public long[] snapshot() {
        long[] copy = new long[SIZE];
        for (int i = 0; i < SIZE; i++) {
            copy[i] = cells.get(i);
        }
        return copy;
    }

    /** The bucket that counts durations of that many nanoseconds, which are not negative. */
    static int bucketOf(long nanos) {
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
        if (exponent < LEAST_EXPONENT) {
            return 0;
        }
        if (exponent >= END_EXPONENT) {
            return LAST_BUCKET;
        }
        int sub = (int) (nanos >>> (exponent - SUB_BITS)) & (SUB_BUCKETS - 1);
        return 1 + (exponent - LEAST_EXPONENT) * SUB_BUCKETS + sub;
    }

    /** The middle of a bucket other than the last, in nanoseconds. */
    public static long middleOf(int bucket) {
        if (bucket == 0) {
            return 1L << (LEAST_EXPONENT - 1);
        }
        int shift = LEAST_EXPONENT - SUB_BITS + (bucket - 1) / SUB_BUCKETS;
        long width = 1L << shift;
        return (SUB_BUCKETS + (bucket - 1) % SUB_BUCKETS) * width + width / 2;
    }
}
