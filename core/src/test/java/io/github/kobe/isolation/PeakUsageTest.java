package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How many permits did other keys hold? */
class PeakUsageTest {

    private static final long WINDOW = 100;

    private final PeakUsage usage = new PeakUsage(WINDOW, 0);
    private final KeyState one = new KeyState();
    private final KeyState other = new KeyState();

    private void start(KeyState key, int tasks, long now) {
        for (int i = 0; i < tasks; i++) {
            key.recordStart(now);
            usage.record(key, now);
        }
    }

    private static void complete(KeyState key, int tasks, long now) {
        for (int i = 0; i < tasks; i++) {
            key.recordCompletion(now, now);
        }
    }

    @Test
    void eachKeyCountsWithItsPeakAndNotForItself() {
        start(one, 3, 1);
        complete(one, 2, 2);
        start(one, 1, 3);
        start(other, 5, 4);
        assertThat(usage.peakOfOthers(one, 5)).isEqualTo(5);
        assertThat(usage.peakOfOthers(other, 5)).isEqualTo(3);
        assertThat(usage.peakOfOthers(new KeyState(), 5)).isEqualTo(8);
    }

    @Test
    void peakOfThePreviousPeriodCountsToo() {
        start(one, 3, 1);
        start(other, 2, 1);
        complete(one, 3, 40);
        start(one, 1, 60);
        assertThat(usage.peakOfOthers(other, 70)).isEqualTo(3);
        assertThat(usage.peakOfOthers(one, 70)).isEqualTo(2);
    }

    @Test
    void earlierPeakDoesNotCount() {
        start(one, 3, 1);
        complete(one, 3, 2);
        assertThat(usage.peakOfOthers(other, 99)).isEqualTo(3);
        assertThat(usage.peakOfOthers(other, 101)).isZero();
        start(other, 1, 10_000);
        assertThat(usage.peakOfOthers(one, 10_000)).isEqualTo(1);
        assertThat(usage.peakOfOthers(other, 10_000)).isZero();
    }

    @Test
    void permitHeldForLongCountsUntilItIsReturned() {
        start(one, 3, 1);
        usage.record(one, 1_000);
        complete(one, 3, 1_000);
        assertThat(usage.peakOfOthers(other, 1_001)).isEqualTo(3);
    }

    @Test
    void forgottenPeakDoesNotCount() {
        start(one, 3, 1);
        start(other, 2, 1);
        start(one, 1, 60);
        usage.forget(one, 70);
        assertThat(usage.peakOfOthers(other, 70)).isZero();
        assertThat(usage.peakOfOthers(one, 70)).isEqualTo(2);
        usage.record(one, 80);
        assertThat(usage.peakOfOthers(other, 80)).isEqualTo(4);
        usage.forget(other, 120);
        usage.forget(other, 120);
        assertThat(usage.peakOfOthers(new KeyState(), 120)).isEqualTo(4);
    }
}
