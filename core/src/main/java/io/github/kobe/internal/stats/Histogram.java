package io.github.kobe.internal.stats;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Counts durations in a fixed number of buckets. Thread-safe. Takes a lock and allocates only for the first duration in a row of buckets.
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

    /** How many rows of buckets there are: one for each power of two, and one for {@link #LAST_BUCKET}. */
    private static final int ROWS = 1 + MAX_EXPONENT - MIN_EXPONENT;

    private static final VarHandle SHORT_COUNT;
    private static final VarHandle SUM_OF_NANOS;
    private static final VarHandle SUM_OF_MICROS;
    private static final VarHandle LONGEST;
    private static final VarHandle BUCKET = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle ROW = MethodHandles.arrayElementVarHandle(long[][].class);

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SHORT_COUNT = lookup.findVarHandle(Histogram.class, "shortCount", long.class);
            SUM_OF_NANOS = lookup.findVarHandle(Histogram.class, "sumOfNanos", long.class);
            SUM_OF_MICROS = lookup.findVarHandle(Histogram.class, "sumOfMicros", long.class);
            LONGEST = lookup.findVarHandle(Histogram.class, "longest", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The first bucket. In the same cache line as the sum, because most durations are short. */
    private volatile long shortCount;

    private volatile long sumOfNanos; // what sumOfMicros leaves out
    private volatile long longest;
    private volatile long sumOfMicros;

    /**
     * The other buckets, by power of two. Each row is created for its first duration: a histogram of a group has durations in a few rows, and
     * there are many groups. Written under the monitor.
     */
    private volatile long @Nullable [] @Nullable [] rows;

    /** Records a duration. A negative one counts as zero. */
    public void record(long nanos) {
        if (nanos <= 0) {
            SHORT_COUNT.getAndAdd(this, 1L);
            return;
        }
        raiseMax(nanos);
        if (nanos >= CARRY || (long) SUM_OF_NANOS.getAndAdd(this, nanos) >= CARRY - nanos) {
            carry(nanos);
        }
        count(bucketOf(nanos), 1);
    }

    private void count(int bucket, long number) {
        if (bucket == 0) {
            SHORT_COUNT.getAndAdd(this, number);
        } else {
            BUCKET.getAndAdd(row(rowOf(bucket)), indexOf(bucket), number);
        }
    }

    /** Of a bucket other than the first. */
    private static int rowOf(int bucket) {
        return (bucket - 1) >> SUB_BITS;
    }

    private static int indexOf(int bucket) {
        return (bucket - 1) & (SUB_BUCKETS - 1);
    }

    private long[] row(int number) {
        long @Nullable [] known = rowOrNull(number);
        return known == null ? createRow(number) : known;
    }

    private long @Nullable [] rowOrNull(int number) {
        long @Nullable [] @Nullable [] known = rows;
        return known == null ? null : (long[]) ROW.getAcquire(known, number);
    }

    private synchronized long[] createRow(int number) {
        long @Nullable [] @Nullable [] known = rows;
        if (known == null) {
            known = new long @Nullable [ROWS] @Nullable [];
            rows = known;
        }
        long[] row = known[number];
        if (row == null) {
            row = new long[SUB_BUCKETS];
            ROW.setRelease(known, number, row);
        }
        return row;
    }

    /** One of the threads that find the sum too large moves it. */
    private void carry(long nanos) {
        if (nanos >= CARRY) {
            SUM_OF_MICROS.getAndAdd(this, nanos / NANOS_PER_MICRO); // it was not added
            return;
        }
        long rest = sumOfNanos;
        if (rest >= CARRY && SUM_OF_NANOS.compareAndSet(this, rest, rest % NANOS_PER_MICRO)) {
            SUM_OF_MICROS.getAndAdd(this, rest / NANOS_PER_MICRO);
        }
    }

    private void raiseMax(long nanos) {
        long known = longest;
        while (nanos > known && !LONGEST.weakCompareAndSet(this, known, nanos)) {
            known = longest;
        }
    }

    /** Adds all recorded durations to {@code other}. They stay in this histogram too. */
    public void addTo(Histogram other) {
        other.add(snapshot());
    }

    /** Adds to {@code other} as many durations of zero as are recorded here. */
    public void addZerosTo(Histogram other) {
        long[] amounts = snapshot();
        long count = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            count += amounts[bucket];
        }
        other.count(0, count);
    }

    /** Writes in the same order as {@link #record}. */
    private void add(long[] amounts) {
        raiseMax(amounts[MAX]);
        SUM_OF_NANOS.getAndAdd(this, amounts[SUM_REST]);
        SUM_OF_MICROS.getAndAdd(this, amounts[SUM_MICROS]);
        for (int bucket = LAST_BUCKET; bucket >= 0; bucket--) {
            if (amounts[bucket] != 0) {
                count(bucket, amounts[bucket]);
            }
        }
    }

    /** The counts of all buckets, and the values that the other constants name. */
    public long[] snapshot() {
        long[] copy = new long[SIZE];
        copy[0] = shortCount;
        for (int number = 0; number < ROWS; number++) {
            long[] row = rowOrNull(number);
            int first = 1 + number * SUB_BUCKETS;
            for (int i = 0; row != null && i < SUB_BUCKETS && first + i < BUCKETS; i++) {
                copy[first + i] = (long) BUCKET.getVolatile(row, i);
            }
        }
        long nanos = sumOfNanos;
        copy[SUM_MICROS] = sumOfMicros + nanos / NANOS_PER_MICRO; // so that the sum of many snapshots does not overflow
        copy[SUM_REST] = nanos % NANOS_PER_MICRO;
        copy[MAX] = longest;
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
