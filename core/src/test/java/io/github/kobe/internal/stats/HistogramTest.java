package io.github.kobe.internal.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every duration is counted once, in the right bucket, also if other threads record and read. */
@Timeout(60)
class HistogramTest {

    private static final long LEAST = 1 << 10;
    private static final long END = 1L << 42;
    private static final int THREADS = 4;
    private static final int EACH = 20_000;
    private static final int FRESH_ONES = 1_000;

    private static long sumIn(long[] snapshot) {
        return snapshot[Histogram.SUM_MICROS] * 1000 + snapshot[Histogram.SUM_REST];
    }

    @Test
    void sumOfVeryLongDurationsDoesNotOverflow() {
        Histogram histogram = new Histogram();
        Histogram other = new Histogram();
        long years = 1L << 60; // 36 years
        for (int i = 0; i < 20; i++) {
            histogram.record(years);
            histogram.record(Long.MAX_VALUE);
            histogram.record(1);
        }
        histogram.addTo(other);
        histogram.addTo(other);
        long micros = years / 1000 * 20 + Long.MAX_VALUE / 1000 * 20;
        assertThat(histogram.snapshot()[Histogram.SUM_MICROS]).isBetween(micros, micros + 40);
        assertThat(histogram.snapshot()[Histogram.SUM_REST]).isBetween(0L, 999L);
        assertThat(other.snapshot()[Histogram.SUM_MICROS]).isBetween(2 * micros, 2 * micros + 80);
    }

    @Test
    void zeroIsCountedAndAddsNothing() {
        Histogram histogram = new Histogram();
        histogram.record(0);
        histogram.record(-5);
        long[] snapshot = histogram.snapshot();
        assertThat(snapshot[0]).isEqualTo(2);
        assertThat(sumIn(snapshot)).isZero();
        assertThat(snapshot[Histogram.MAX]).isZero();
    }

    @Test
    void middleOfABucketIsCloseToAllItsValues() {
        for (long nanos = LEAST; nanos < END; nanos += 1 + nanos / 97) {
            int bucket = Histogram.bucketOf(nanos);
            assertThat(bucket).isBetween(1, Histogram.LAST_BUCKET - 1);
            assertThat(Math.abs(Histogram.middleOf(bucket) - nanos)).isLessThanOrEqualTo(nanos / 16);
        }
    }

    @Test
    void bucketsFollowEachOtherWithoutGaps() {
        int bucket = 0;
        for (long nanos = 0; nanos <= 1 << 16; nanos++) {
            int next = Histogram.bucketOf(nanos);
            assertThat(next).isBetween(bucket, bucket + 1);
            bucket = next;
        }
        for (int i = 0; i < Histogram.LAST_BUCKET; i++) {
            assertThat(Histogram.bucketOf(Histogram.middleOf(i))).isEqualTo(i);
        }
    }

    @Test
    void bucketEdgesAreExact() {
        assertThat(Histogram.bucketOf(0)).isZero();
        assertThat(Histogram.bucketOf(LEAST - 1)).isZero();
        assertThat(Histogram.bucketOf(LEAST)).isEqualTo(1);
        assertThat(Histogram.bucketOf(END - 1)).isEqualTo(Histogram.LAST_BUCKET - 1);
        assertThat(Histogram.bucketOf(END)).isEqualTo(Histogram.LAST_BUCKET);
        assertThat(Histogram.bucketOf(Long.MAX_VALUE)).isEqualTo(Histogram.LAST_BUCKET);
    }

    @Test
    void negativeDurationCountsAsZero() {
        Histogram histogram = new Histogram();
        histogram.record(-5);
        long[] snapshot = histogram.snapshot();
        assertThat(snapshot[0]).isEqualTo(1);
        assertThat(sumIn(snapshot)).isZero();
        assertThat(snapshot[Histogram.MAX]).isZero();
    }

    @Test
    void addToKeepsBothHistograms() {
        Histogram here = recorded(5, 5_000);
        Histogram there = recorded(7_000_000);
        here.addTo(there);
        assertThat(there.snapshot()).isEqualTo(recorded(5, 5_000, 7_000_000).snapshot());
        assertThat(here.snapshot()).isEqualTo(recorded(5, 5_000).snapshot());
    }

    private static Histogram recorded(long... nanos) {
        Histogram histogram = new Histogram();
        Arrays.stream(nanos).forEach(histogram::record);
        return histogram;
    }

    @Test
    void concurrentRecordsAreNotLost() throws Exception {
        Histogram histogram = new Histogram();
        recordFromManyThreads(histogram);
        assertThat(histogram.snapshot()).isEqualTo(allRecorded().snapshot());
    }

    @Test
    void maximumIsNeverBelowARecordedValue() throws Exception {
        Histogram total = new Histogram();
        onFreshHistograms(HistogramTest::recordRising, histogram -> {
            while (histogram.snapshot()[Histogram.LAST_BUCKET] == 0) {
                assertMaximumIsInOrAboveTheTopBucket(histogram);
            }
            histogram.addTo(total);
            assertMaximumIsInOrAboveTheTopBucket(total);
        });
    }

    private static void assertMaximumIsInOrAboveTheTopBucket(Histogram histogram) {
        long[] snapshot = histogram.snapshot();
        int top = Histogram.LAST_BUCKET;
        while (top > 0 && snapshot[top] == 0) {
            top--;
        }
        assertThat(Histogram.bucketOf(snapshot[Histogram.MAX])).isGreaterThanOrEqualTo(top);
    }

    @Test
    void maximumIsTheLongestOfAllThreads() throws Exception {
        onFreshHistograms(histogram -> histogram.record(END - 1), histogram -> histogram.record(END))
                .forEach(histogram ->
                        assertThat(histogram.snapshot()[Histogram.MAX]).isEqualTo(END));
    }

    /** Each record doubles the maximum. */
    private static void recordRising(Histogram histogram) {
        for (long nanos = LEAST; nanos <= END; nanos *= 2) {
            histogram.record(nanos);
        }
    }

    /** Runs two threads in lock step, so that both use the same histogram at the same time. */
    private static List<Histogram> onFreshHistograms(Consumer<Histogram> one, Consumer<Histogram> other)
            throws Exception {
        List<Histogram> histograms =
                Stream.generate(Histogram::new).limit(FRESH_ONES).toList();
        AtomicInteger arrived = new AtomicInteger();
        FutureTask<Boolean> helper = new FutureTask<>(() -> inStep(arrived, histograms, one), true);
        new Thread(helper, "helper").start();
        inStep(arrived, histograms, other);
        assertThat(helper.get(30, TimeUnit.SECONDS)).isTrue();
        return histograms;
    }

    @SuppressWarnings("ThreadPriorityCheck") // it only makes the overlap more likely
    private static void inStep(AtomicInteger arrived, List<Histogram> histograms, Consumer<Histogram> action) {
        int due = 0;
        try {
            for (Histogram histogram : histograms) {
                due += 2;
                arrived.incrementAndGet();
                while (arrived.get() < due) {
                    Thread.yield(); // parking would take longer than the overlap
                }
                action.accept(histogram);
            }
        } finally {
            arrived.addAndGet(2 * FRESH_ONES); // releases the other thread after a failure
        }
    }

    /** Each thread records the same growing durations. */
    private static void recordFromManyThreads(Histogram histogram) throws Exception {
        CountDownLatch ready = new CountDownLatch(THREADS);
        List<FutureTask<Boolean>> recorders = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            FutureTask<Boolean> recorder = new FutureTask<>(() -> {
                ready.countDown();
                ready.await();
                recordAll(histogram);
                return true;
            });
            recorders.add(recorder);
            new Thread(recorder, "recorder").start();
        }
        for (FutureTask<Boolean> recorder : recorders) {
            assertThat(recorder.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void recordAll(Histogram histogram) {
        for (long i = 0; i < EACH; i++) {
            histogram.record(i * i * 17);
        }
    }

    private static Histogram allRecorded() {
        Histogram histogram = new Histogram();
        for (int i = 0; i < THREADS; i++) {
            recordAll(histogram);
        }
        return histogram;
    }

    @Test
    void recordingAllocatesNothing() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        Histogram histogram = new Histogram();
        recordAll(histogram);
        long before = threads.getCurrentThreadAllocatedBytes();
        recordAll(histogram);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).as("bytes for %d records", EACH).isLessThan(EACH);
    }
}
