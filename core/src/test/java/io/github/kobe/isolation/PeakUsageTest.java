package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How many places have others had? */
class PeakUsageTest {

    private static final long WINDOW = 100;

    private final PeakUsage usage = new PeakUsage(WINDOW, 0);
    private final KeyState one = new KeyState();
    private final KeyState other = new KeyState();

    private void begin(KeyState share, int tasks, long now) {
        for (int i = 0; i < tasks; i++) {
            share.recordStart(now);
            usage.record(share, now);
        }
    }

    private static void end(KeyState share, int tasks, long now) {
        for (int i = 0; i < tasks; i++) {
            share.recordCompletion(now, now);
        }
    }

    @Test
    void eachCountsAtItsMostAndNotForItself() {
        begin(one, 3, 1);
        end(one, 2, 2);
        begin(one, 1, 3);
        begin(other, 5, 4);
        assertThat(usage.peakOfOthers(one, 5)).isEqualTo(5);
        assertThat(usage.peakOfOthers(other, 5)).isEqualTo(3);
        assertThat(usage.peakOfOthers(new KeyState(), 5)).isEqualTo(8);
    }

    @Test
    void whatWasHadInTheHalfBeforeCountsToo() {
        begin(one, 3, 1);
        begin(other, 2, 1);
        end(one, 3, 40);
        begin(one, 1, 60);
        assertThat(usage.peakOfOthers(other, 70)).isEqualTo(3);
        assertThat(usage.peakOfOthers(one, 70)).isEqualTo(2);
    }

    @Test
    void whatIsLongAgoDoesNot() {
        begin(one, 3, 1);
        end(one, 3, 2);
        assertThat(usage.peakOfOthers(other, 99)).isEqualTo(3);
        assertThat(usage.peakOfOthers(other, 101)).isZero();
        begin(other, 1, 10_000);
        assertThat(usage.peakOfOthers(one, 10_000)).isEqualTo(1);
        assertThat(usage.peakOfOthers(other, 10_000)).isZero();
    }

    @Test
    void whatIsHeldForLongIsHadUntilItEnds() {
        begin(one, 3, 1);
        usage.record(one, 1_000);
        end(one, 3, 1_000);
        assertThat(usage.peakOfOthers(other, 1_001)).isEqualTo(3);
    }

    @Test
    void whatIsForgottenIsNotKept() {
        begin(one, 3, 1);
        begin(other, 2, 1);
        begin(one, 1, 60);
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
