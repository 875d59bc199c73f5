package io.github.kobe.internal.stats;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts durations in a fixed number of buckets. Thread-safe, without a lock and without allocation.
 *
 * <p>Each power of two of nanoseconds from 2^10 (1 µs) to 2^42 (73 minutes) is divided into 8 buckets of equal width, so the midpoint of a
 * bucket differs by at most 1/16 from every duration in it. Shorter durations are in the first bucket, longer ones in the last.
 *
 * <p>A snapshot is taken while other threads record, so its parts need not belong to one instant. A recording thread raises the maximum
 * before it counts the duration, and a snapshot reads the counts before the maximum. So no counted duration is above the maximum. When the sum of
 * nanoseconds has reached 73 years, one thread moves it to that of microseconds in two steps, and a snapshot in between misses it.
 */
public final class Histogram {

    private static final int MIN_EXPONENT = 10;
    private static final int MAX_EXPONENT = 42; // exclusive
    private static final int SUB_BITS = 3;
    private static final int SUB_BUCKETS = 1 << SUB_BITS;
    private static final long NANOS_PER_MICRO = 1000;

    /** How many buckets there are. They are the first slots of a snapshot. */
    public static final int BUCKETS = 2 + (MAX_EXPONENT - MIN_EXPONENT) * SUB_BUCKETS;

    /** The bucket of the durations that are too long for every other bucket. */
    public static final int LAST_BUCKET = BUCKETS - 1;

    /** The slot of the sum in whole microseconds. A sum in nanoseconds would overflow after a million tasks that wait for hours. */
    public static final int SUM_MICROS = BUCKETS;

    /** The slot of the sum, in nanoseconds, of what {@link #SUM_MICROS} leaves out; below 1000 in a snapshot. */
    public static final int SUM_REST = BUCKETS + 1;

    /** The slot of the longest duration, in nanoseconds. */
    public static final int MAX = BUCKETS + 2;

    /** The length of a snapshot. */
    public static final int SIZE = BUCKETS + 3;

    /** From here on, nanoseconds are moved from {@link #SUM_REST} to {@link #SUM_MICROS}: 73 years, so that this is rare. */
    private static final long CARRY = 1L << 61;

    /** What is not a bucket comes first: most durations are short, so that their bucket is in the same cache line or in the next one. */
    private static final int FIRST_BUCKET = SIZE - BUCKETS;

    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    /** Not an {@code AtomicLongArray}, which is one object more on the way of each record, and with many groups one cache miss more. */
    private final long[] cells = new long[SIZE];

    /** Where a slot of the snapshot is. */
    private static int cell(int slot) {
        return slot < BUCKETS ? slot + FIRST_BUCKET : slot - BUCKETS;
    }

    private long get(int cell) {
        return (long) CELL.getVolatile(cells, cell);
    }

    /** Returns what was there before. */
    private long add(int cell, long amount) {
        return (long) CELL.getAndAdd(cells, cell, amount);
    }

    /** Records a duration. A negative one counts as zero. */
    public void record(long nanos) {
        if (nanos <= 0) {
            add(cell(0), 1);
            return;
        }
        raiseMax(nanos);
        if (nanos >= CARRY || add(cell(SUM_REST), nanos) >= CARRY - nanos) {
            carry(nanos);
        }
        add(cell(bucketOf(nanos)), 1);
    }

    /** One of the threads that find the sum too large moves it. */
    private void carry(long nanos) {
        if (nanos >= CARRY) {
            add(cell(SUM_MICROS), nanos / NANOS_PER_MICRO); // it was not added
            return;
        }
        long rest = get(cell(SUM_REST));
        if (rest >= CARRY && CELL.compareAndSet(cells, cell(SUM_REST), rest, rest % NANOS_PER_MICRO)) {
            add(cell(SUM_MICROS), rest / NANOS_PER_MICRO);
        }
    }

    private void raiseMax(long nanos) {
        long known = get(cell(MAX));
        while (nanos > known && !CELL.weakCompareAndSet(cells, cell(MAX), known, nanos)) {
            known = get(cell(MAX));
        }
    }

    /** Adds all recorded durations to {@code other}. They stay in this histogram too. */
    public void addTo(Histogram other) {
        other.add(snapshot());
    }

    /** Adds to {@code other} as many durations of zero as are recorded here. */
    public void addZerosTo(Histogram other) {
        long count = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            count += get(cell(bucket));
        }
        other.add(cell(0), count);
    }

    /** Writes in the same order as {@link #record}. */
    private void add(long[] amounts) {
        raiseMax(amounts[MAX]);
        for (int i = MAX - 1; i >= 0; i--) {
            if (amounts[i] != 0) {
                add(cell(i), amounts[i]);
            }
        }
    }

    /** The counts of all buckets, and the values that the other constants name. */
    public long[] snapshot() {
        long[] copy = new long[SIZE];
        for (int i = 0; i < SIZE; i++) {
            copy[i] = get(cell(i));
        }
        copy[SUM_MICROS] += copy[SUM_REST] / NANOS_PER_MICRO; // so that the sum of many snapshots does not overflow
        copy[SUM_REST] %= NANOS_PER_MICRO;
        return copy;
    }

    /** The bucket for a duration, which is not negative. */
    static int bucketOf(long nanos) {
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
        if (exponent < MIN_EXPONENT) {
            return 0;
        }
        if (exponent >= MAX_EXPONENT) {
            return LAST_BUCKET;
        }
        int sub = (int) (nanos >>> (exponent - SUB_BITS)) & (SUB_BUCKETS - 1);
        return 1 + (exponent - MIN_EXPONENT) * SUB_BUCKETS + sub;
    }

    /** The midpoint of a bucket other than the last, in nanoseconds. */
    public static long middleOf(int bucket) {
        if (bucket == 0) {
            return 1L << (MIN_EXPONENT - 1);
        }
        int shift = MIN_EXPONENT - SUB_BITS + (bucket - 1) / SUB_BUCKETS;
        long width = 1L << shift;
        return (SUB_BUCKETS + (bucket - 1) % SUB_BUCKETS) * width + width / 2;
    }
}
