package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.stats.Histogram;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Are the times of tasks that waited, and of those that did not, in both histograms? */
class RecordedTimesTest {

    private static final int ZERO = 0;

    private final TaskTimes times = new TaskTimes();

    private static long[] sum(Consumer<Histogram> addTo) {
        Histogram sum = new Histogram();
        addTo.accept(sum);
        return sum.snapshot();
    }

    private static long count(long[] snapshot) {
        long count = 0;
        for (int bucket = 0; bucket < Histogram.BUCKETS; bucket++) {
            count += snapshot[bucket];
        }
        return count;
    }

    @Test
    void taskThatDidNotWaitCountsAsAWaitOfZero() {
        times.record(0, 5_000);
        times.record(-1, 7_000);
        long[] waiting = sum(times::addWaitingTo);
        long[] running = sum(times::addRunningTo);
        assertThat(waiting[ZERO]).isEqualTo(2);
        assertThat(waiting[Histogram.MAX]).isZero();
        assertThat(waiting[Histogram.SUM_MICROS]).isZero();
        assertThat(count(running)).isEqualTo(2);
        assertThat(running[Histogram.MAX]).isEqualTo(7_000);
        assertThat(running[Histogram.SUM_MICROS]).isEqualTo(12);
    }

    @Test
    void bothKindsOfTasksAddUpAlsoInOtherTimes() {
        TaskTimes other = new TaskTimes();
        times.record(0, 5_000);
        times.record(30_000, 9_000);
        other.record(0, 1_000);
        times.addTo(other);
        long[] waiting = sum(other::addWaitingTo);
        long[] running = sum(other::addRunningTo);
        assertThat(count(waiting)).isEqualTo(3);
        assertThat(waiting[ZERO]).isEqualTo(2);
        assertThat(waiting[Histogram.MAX]).isEqualTo(30_000);
        assertThat(waiting[Histogram.SUM_MICROS]).isEqualTo(30);
        assertThat(count(running)).isEqualTo(3);
        assertThat(running[Histogram.MAX]).isEqualTo(9_000);
        assertThat(running[Histogram.SUM_MICROS]).isEqualTo(15);
    }
}
