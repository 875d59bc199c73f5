package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.github.kobe.internal.stats.Histogram;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How close are the statistics to the recorded durations? */
class TimeStatsTest {

    private static final double ERROR = 1 / 16.0;
    private static final Duration HUNDRED_YEARS = Duration.ofDays(36_500);

    private static TimeStats of(long... nanos) {
        Histogram histogram = new Histogram();
        Arrays.stream(nanos).forEach(histogram::record);
        return TimeStats.fromArray(histogram.snapshot());
    }

    static Stream<Arguments> distributions() {
        return Stream.of(
                row("even up to 1 s", x -> 1e3 + x * 1e9),
                row("all scales from 1 µs to 1 h", x -> 1.1e3 * Math.pow(3e9, x)),
                row("many short, few long", x -> 2e5 / Math.pow(1 - x, 1.2)),
                row("two peaks", x -> x < 0.95 ? 1e6 + x * 1e5 : 3e9 + x));
    }

    private static Arguments row(String name, DoubleUnaryOperator quantile) {
        return Arguments.of(Named.of(name, quantile));
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void percentilesAreCloseToTheTrueValues(DoubleUnaryOperator quantile) {
        Random random = new Random(42);
        long[] nanos = LongStream.range(0, 20_000)
                .map(i -> (long) quantile.applyAsDouble(random.nextDouble()))
                .toArray();
        TimeStats stats = of(nanos);
        Arrays.sort(nanos);
        for (double percent : new double[] {0, 0.1, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100}) {
            double exact = (double) nanos[Math.max(0, (int) Math.ceil(percent / 100 * nanos.length) - 1)];
            assertThat((double) stats.percentile(percent).toNanos())
                    .as("p%s", percent)
                    .isCloseTo(exact, within(exact * ERROR));
        }
        assertThat(stats.count()).isEqualTo(nanos.length);
        assertThat(stats.max().toNanos()).isEqualTo(nanos[nanos.length - 1]);
        assertThat((double) stats.mean().toNanos())
                .isCloseTo(Arrays.stream(nanos).average().orElseThrow(), within(1.0));
    }

    @Test
    void totalIsExactAndDoesNotOverflow() {
        assertThat(of().total()).isZero();
        assertThat(of(1, 999, 1_000, 2_000_001).total()).isEqualTo(Duration.ofNanos(2_002_001));
        TimeStats long100Years = of(HUNDRED_YEARS.toNanos(), HUNDRED_YEARS.toNanos(), HUNDRED_YEARS.toNanos());
        assertThat(long100Years.total()).isEqualTo(HUNDRED_YEARS.multipliedBy(3));
        assertThat(of(5).merge(of(7)).total()).isEqualTo(Duration.ofNanos(12));
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void countUpToALimitIsWrongOnlyCloseToTheLimit(DoubleUnaryOperator quantile) {
        Random random = new Random(7);
        long[] nanos = LongStream.range(0, 5_000)
                .map(i -> (long) quantile.applyAsDouble(random.nextDouble()))
                .toArray();
        TimeStats stats = of(nanos);
        long before = 0;
        for (long limit = 1; limit < 1L << 42; limit += 1 + limit / 3) {
            long counted = stats.countUpTo(Duration.ofNanos(limit));
            double tolerance = Math.max(1_000, limit * ERROR / (1 - ERROR));
            double far = limit - tolerance;
            double near = limit + tolerance;
            assertThat(counted)
                    .as("up to %d ns", limit)
                    .isBetween(
                            Arrays.stream(nanos).filter(n -> n < far).count(),
                            Arrays.stream(nanos).filter(n -> n <= near).count())
                    .isGreaterThanOrEqualTo(before);
            before = counted;
        }
    }

    @Test
    void countUpToALimitNeverFallsWhenDurationsAreAdded() {
        Random random = new Random(3);
        Histogram histogram = new Histogram();
        long[] counted = new long[45];
        for (int i = 0; i < 2_000; i++) {
            histogram.record(random.nextLong(1L << (1 + random.nextInt(44))));
            TimeStats stats = TimeStats.fromArray(histogram.snapshot());
            for (int bits = 0; bits < counted.length; bits++) {
                long now = stats.countUpTo(Duration.ofNanos(1L << bits));
                assertThat(now).isBetween(counted[bits], stats.count());
                counted[bits] = now;
            }
        }
    }

    @Test
    void durationAboveTheRangeIsInNoBucket() {
        TimeStats stats = of(1_000_000, Duration.ofHours(2).toNanos());
        assertThat(stats.countUpTo(Duration.ofHours(1))).isEqualTo(1);
        assertThat(stats.countUpTo(HUNDRED_YEARS.multipliedBy(10))).isEqualTo(1);
        assertThat(stats.count()).isEqualTo(2);
    }

    @Test
    void negativeLimitIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> of(1).countUpTo(Duration.ofNanos(-1)))
                .withMessage("limit must not be negative, but is PT-0.000000001S");
    }

    @Test
    void gettersReturnWhatTheMethodsWithoutGetReturn() {
        try (GroupExecutor executor = TestKit.executor(policy -> policy.recordTimes(true))) {
            TestKit.resultOf(executor.submit("g", () -> "value"));
            TimeStats times = executor.stats().runningTime();
            assertThat(times.getCount()).isEqualTo(times.count()).isEqualTo(1);
            assertThat(times.getTotal()).isEqualTo(times.total()).isPositive();
            assertThat(times.getMean()).isEqualTo(times.mean());
            assertThat(times.getP50()).isEqualTo(times.p50());
            assertThat(times.getP90()).isEqualTo(times.p90());
            assertThat(times.getP99()).isEqualTo(times.p99());
            assertThat(times.getMax()).isEqualTo(times.max()).isPositive();
        }
    }

    @Test
    void namedPercentilesEqualPercentile() {
        TimeStats stats = of(LongStream.range(1, 1000).map(i -> i * 1_000_000).toArray());
        assertThat(stats.p50()).isEqualTo(stats.percentile(50));
        assertThat(stats.p90()).isEqualTo(stats.percentile(90));
        assertThat(stats.p99()).isEqualTo(stats.percentile(99));
        assertThat(stats.p50()).isLessThan(stats.p90());
        assertThat(stats.p90()).isLessThan(stats.p99());
    }

    @Test
    void percentilesIncreaseUpToTheMaximum() {
        Random random = new Random(7);
        for (int round = 0; round < 500; round++) {
            TimeStats stats =
                    of(random.longs(1 + round % 7, 0, 1L << (1 + round % 62)).toArray());
            Duration before = Duration.ZERO;
            for (double percent = 0; percent <= 100; percent += 12.5) {
                assertThat(stats.percentile(percent)).isBetween(before, stats.max());
                before = stats.percentile(percent);
            }
            assertThat(stats.mean()).isLessThanOrEqualTo(stats.max());
        }
    }

    @Test
    void singleDurationIsExact() {
        Duration only = Duration.ofNanos(123_456_789);
        TimeStats stats = of(only.toNanos());
        assertThat(Stream.of(stats.mean(), stats.max(), stats.p50(), stats.p99(), stats.percentile(0)))
                .containsOnly(only);
    }

    @Test
    void percentileBelowAMicrosecondIsBelowAMicrosecond() {
        TimeStats stats = of(0, 10, 900, 1000);
        assertThat(stats.p50()).isLessThan(Duration.ofNanos(1000));
        assertThat(stats.mean()).isEqualTo(Duration.ofNanos(478));
    }

    @Test
    void percentileBeyondTheRangeIsTheMaximum() {
        TimeStats stats = of(Duration.ofHours(3).toNanos(), HUNDRED_YEARS.toNanos());
        assertThat(stats.p50()).isEqualTo(HUNDRED_YEARS);
    }

    @Test
    void meanOfVeryLongDurationsDoesNotOverflow() {
        long[] nanos = new long[1000];
        Arrays.fill(nanos, HUNDRED_YEARS.toNanos());
        assertThat(of(nanos).mean()).isEqualTo(HUNDRED_YEARS);
    }

    @Test
    void noneIsAllZero() {
        TimeStats none = TimeStats.none();
        assertThat(none.count()).isZero();
        assertThat(Stream.of(none.mean(), none.max(), none.p50(), none.p99(), none.percentile(100)))
                .containsOnly(Duration.ZERO);
        assertThat(TimeStats.fromArray(new Histogram().snapshot())).isSameAs(none);
    }

    @Test
    void mergedStatisticsCoverAllDurations() {
        TimeStats left = of(1_000_000, 2_000_000);
        TimeStats right = of(3_000, 4_000_000_000L, 10);
        TimeStats all = of(1_000_000, 2_000_000, 3_000, 4_000_000_000L, 10);
        assertThat(left.merge(right)).isEqualTo(all).hasSameHashCodeAs(all);
        assertThat(right.merge(left)).isEqualTo(all);
        assertThat(left.merge(TimeStats.none())).isEqualTo(left).isNotEqualTo(right);
        assertThat(left)
                .as("merge does not change it")
                .isEqualTo(of(1_000_000, 2_000_000))
                .isNotEqualTo("something else");
        assertThat(TimeStats.none().merge(TimeStats.none())).isSameAs(TimeStats.none());
    }

    @Test
    void snapshotDoesNotChange() {
        Histogram histogram = new Histogram();
        histogram.record(1000);
        TimeStats before = TimeStats.fromArray(histogram.snapshot());
        histogram.record(2000);
        assertThat(before.count()).isEqualTo(1);
        assertThat(before.max()).isEqualTo(Duration.ofNanos(1000));
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 100.1, Double.NaN})
    void percentOutOfRangeThrows(double percent) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimeStats.none().percentile(percent))
                .withMessage("percent must be between 0.0 and 100.0, but is " + percent);
    }

    @Test
    void toStringIsShort() {
        assertThat(TimeStats.none()).hasToString("n=0");
        assertThat(of(1_200_000, 1_200_000)).hasToString("n=2 mean=1.2ms p50=1.2ms p90=1.2ms p99=1.2ms max=1.2ms");
    }
}
