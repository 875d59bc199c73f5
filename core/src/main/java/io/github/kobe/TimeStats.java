package io.github.kobe;

import io.github.kobe.internal.stats.Histogram;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the distribution of durations. Immutable. It takes about 2 KB, however many durations were recorded.
 *
 * <p>Count, total, mean and maximum are exact. A percentile between 1 µs and 73 minutes differs from the true value by at most 6.25 %. Below that
 * range it differs by at most 1 µs; above it, the maximum is returned. A percentile is never greater than the maximum.
 *
 * <p>The getters repeat the methods without "get" for JSON libraries and templates, which look for them.
 */
public final class TimeStats {

    private static final TimeStats NONE = new TimeStats(new long[Histogram.SIZE], 0);

    private final long[] cells;
    private final long count;

    private TimeStats(long[] cells, long count) {
        this.cells = cells;
        this.count = count;
    }

    /**
     * Restores what {@link #toArray} returned, for example in another JVM that merges the statistics of several.
     *
     * @param snapshot as returned by {@link #toArray} of the same version of this library; copied
     * @throws IllegalArgumentException if its length is wrong
     */
    public static TimeStats fromArray(long[] snapshot) {
        Checks.check(snapshot.length == Histogram.SIZE, "snapshot.length", Histogram.SIZE + "", snapshot.length);
        return of(snapshot.clone());
    }

    /** Returns the contents as numbers, to store or to send; see {@link #fromArray}. A new array each time. */
    public long[] toArray() {
        return cells.clone();
    }

    private static TimeStats of(long[] cells) {
        long count = 0;
        for (int i = 0; i < Histogram.BUCKETS; i++) {
            count += cells[i];
        }
        return count == 0
                ? NONE
                : new TimeStats(cells, count); // a recording in progress may already be in sum and maximum
    }

    /** Returns statistics of no durations. They are also returned if times are not recorded. */
    public static TimeStats none() {
        return NONE;
    }

    /** Returns the number of durations. */
    public long count() {
        return count;
    }

    /** Returns the sum of all durations. */
    public Duration total() {
        return Duration.of(cells[Histogram.SUM_MICROS], ChronoUnit.MICROS).plusNanos(cells[Histogram.SUM_REST]);
    }

    /**
     * Returns how many durations are not longer than {@code limit}, for cumulative buckets such as those of Prometheus. A duration that differs
     * from {@code limit} by at most 6.25 %, or by at most 1 µs, may be on either side; all others are counted exactly. A duration above 73 minutes
     * is in no bucket: it is in {@link #count()} only.
     *
     * <p>The number never falls: not for a longer limit, and not in a later snapshot of the same statistics.
     *
     * @throws IllegalArgumentException if {@code limit} is negative
     */
    public long countUpTo(Duration limit) {
        Objects.requireNonNull(limit, "limit");
        long nanos = Durations.saturatedNanos(Checks.notNegative("limit", limit));
        long sum = 0;
        for (int bucket = 0; bucket < Histogram.LAST_BUCKET && Histogram.middleOf(bucket) <= nanos; bucket++) {
            sum += cells[bucket];
        }
        return sum;
    }

    /** Returns the mean; zero if there are no durations. */
    public Duration mean() {
        if (count == 0) {
            return Duration.ZERO;
        }
        long micros = cells[Histogram.SUM_MICROS];
        double rest = micros % count * 1000.0 + cells[Histogram.SUM_REST];
        Duration mean = Duration.of(micros / count, ChronoUnit.MICROS).plusNanos(Math.round(rest / count));
        return mean.compareTo(max()) > 0
                ? max()
                : mean; // a recording in progress may be in the sum but not in the count
    }

    /** Returns the longest duration; zero if there are none. */
    public Duration max() {
        return Duration.ofNanos(cells[Histogram.MAX]);
    }

    /** Returns the median. */
    public Duration p50() {
        return percentile(50);
    }

    /** Returns the 90th percentile. */
    public Duration p90() {
        return percentile(90);
    }

    /** Returns the 99th percentile. */
    public Duration p99() {
        return percentile(99);
    }

    /** As {@link #count()}. */
    public long getCount() {
        return count();
    }

    /** As {@link #total()}. */
    public Duration getTotal() {
        return total();
    }

    /** As {@link #mean()}. */
    public Duration getMean() {
        return mean();
    }

    /** As {@link #p50()}. */
    public Duration getP50() {
        return p50();
    }

    /** As {@link #p90()}. */
    public Duration getP90() {
        return p90();
    }

    /** As {@link #p99()}. */
    public Duration getP99() {
        return p99();
    }

    /** As {@link #max()}. */
    public Duration getMax() {
        return max();
    }

    /**
     * Returns the shortest duration that {@code percent} percent of the durations do not exceed; zero if there are no durations.
     *
     * @throws IllegalArgumentException if {@code percent} is not between 0 and 100
     */
    public Duration percentile(double percent) {
        Checks.between(0, 100, "percent", percent);
        long rank = Math.max(1, (long) Math.ceil(percent / 100 * count));
        if (rank >= count) {
            return max();
        }
        int bucket = bucketOfRank(rank);
        return bucket == Histogram.LAST_BUCKET
                ? max()
                : Duration.ofNanos(Math.min(Histogram.middleOf(bucket), cells[Histogram.MAX]));
    }

    private int bucketOfRank(long rank) {
        long seen = cells[0];
        int bucket = 0;
        while (seen < rank) {
            seen += cells[++bucket];
        }
        return bucket;
    }

    /** Returns the statistics of the durations of both. */
    public TimeStats merge(TimeStats other) {
        Objects.requireNonNull(other, "other");
        long[] sum = cells.clone();
        for (int i = 0; i < Histogram.SIZE; i++) {
            sum[i] = i == Histogram.MAX ? Math.max(sum[i], other.cells[i]) : sum[i] + other.cells[i];
        }
        return of(sum);
    }

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof TimeStats other && Arrays.equals(cells, other.cells);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(cells);
    }

    /** Returns a text such as "n=1000 mean=1.2ms p50=1ms p90=2ms p99=9ms max=12ms". */
    @Override
    public String toString() {
        return "n=" + count
                + (count == 0
                        ? ""
                        : " mean=" + Durations.shortText(mean()) + " p50=" + Durations.shortText(p50()) + " p90="
                                + Durations.shortText(p90()) + " p99=" + Durations.shortText(p99()) + " max="
                                + Durations.shortText(max()));
    }
}
