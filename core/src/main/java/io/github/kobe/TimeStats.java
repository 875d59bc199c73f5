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
 * How durations were distributed, at one moment. Immutable; about 2 KB, however many durations went in.
 *
 * <p>Count, mean and maximum are exact. A percentile is at most 6.25 % away from the true one, as far as that is between 1 µs and
 * 73 minutes; below, it is at most 1 µs away, and above, it is the maximum. It is never above the maximum.
 */
public final class TimeStats {

    private static final TimeStats NONE = new TimeStats(new long[Histogram.SIZE], 0);

    private final long[] cells;
    private final long count;

    private TimeStats(long[] cells, long count) {
        this.cells = cells;
        this.count = count;
    }

    /** What the histogram holds now. */
    static TimeStats of(Histogram histogram) {
        return of(histogram.snapshot());
    }

    private static TimeStats of(long[] cells) {
        long count = 0;
        for (int i = 0; i < Histogram.BUCKETS; i++) {
            count += cells[i];
        }
        return count == 0
                ? NONE
                : new TimeStats(cells, count); // one that is not counted yet has left traces in sum and maximum
    }

    /** No durations at all; this is also what there is to see if nobody asked for times to be recorded. */
    public static TimeStats none() {
        return NONE;
    }

    /** How many durations there were. */
    public long count() {
        return count;
    }

    /** Their mean; zero if there were none. */
    public Duration mean() {
        if (count == 0) {
            return Duration.ZERO;
        }
        long micros = cells[Histogram.SUM_MICROS];
        double rest = micros % count * 1000.0 + cells[Histogram.SUM_REST];
        Duration mean = Duration.of(micros / count, ChronoUnit.MICROS).plusNanos(Math.round(rest / count));
        return mean.compareTo(max()) > 0 ? max() : mean; // the sum may be ahead of the count
    }

    /** The longest; zero if there were none. */
    public Duration max() {
        return Duration.ofNanos(cells[Histogram.MAX]);
    }

    /** The median. */
    public Duration p50() {
        return percentile(50);
    }

    /** What 90 % do not exceed. */
    public Duration p90() {
        return percentile(90);
    }

    /** What 99 % do not exceed. */
    public Duration p99() {
        return percentile(99);
    }

    /**
     * The shortest time that {@code percent} percent do not exceed; zero if there were no durations.
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

    /** The figures of all durations of both. */
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

    /** Such as "n=1000 mean=1.2ms p50=1ms p90=2ms p99=9ms max=12ms". */
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
