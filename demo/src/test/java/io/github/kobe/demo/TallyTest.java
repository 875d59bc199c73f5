package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Are tasks counted for what they do? */
class TallyTest {

    private static final long MILLI = 1_000_000;

    private long now = 7;
    private final Tally tally = new Tally(new Role("r", "k", 2), () -> now, now);

    private void pass(long millis) {
        now += millis * MILLI;
    }

    @Test
    void aWaitIsFromArrivalToStart() {
        pass(5);
        Tally.Entry entry = tally.arrive();
        pass(30);
        assertThat(tally.line(false)).isEqualTo(new Snapshot.Line("r", 0, 1, 30));
        tally.settle(entry);
        tally.begin();
        pass(100);
        assertThat(tally.line(false)).isEqualTo(new Snapshot.Line("r", 1, 0, 30));
        tally.end();
        RowOutcome row = tally.freeze();
        assertThat(row.samples()).containsExactly(new Sample(5, 30, true));
        assertThat(row.busySeconds()).isCloseTo(0.1, within(1e-9));
        assertThat(row.ended()).isOne();
    }

    @Test
    void theLivePictureForgetsAWaitAfterASecond() {
        tally.settle(tally.arrive());
        Tally.Entry slow = tally.arrive();
        pass(50);
        tally.settle(slow);
        pass(999);
        assertThat(tally.line(false).waitMillis()).isEqualTo(50);
        pass(2);
        assertThat(tally.line(false).waitMillis()).isZero();
    }

    @Test
    void whoStillWaitsAtTheEndCountsWithTheWaitSoFar() {
        tally.arrive();
        pass(40);
        RowOutcome row = tally.freeze();
        assertThat(row.samples()).containsExactly(new Sample(0, 40, false));
        assertThat(row.arrived()).isOne();
    }

    @Test
    void whoBeginsBeyondTheLimitIsCounted() {
        for (int i = 0; i < 3; i++) {
            tally.begin();
        }
        tally.end();
        tally.begin();
        RowOutcome row = tally.freeze();
        assertThat(row.peak()).isEqualTo(3);
        assertThat(row.beyondLimit()).isEqualTo(2);
    }

    @Test
    void whatLeaksIsNoLongerWork() {
        tally.begin();
        tally.begin();
        pass(10);
        tally.leak(2);
        assertThat(tally.line(true)).isEqualTo(new Snapshot.Line("r", 0, 2, 0));
        pass(100);
        tally.endLeaked();
        pass(100);
        RowOutcome row = tally.freeze();
        assertThat(row.busySeconds()).isCloseTo(0.02, within(1e-9));
        assertThat(row.leakedSeconds()).isCloseTo(0.3, within(1e-9));
        assertThat(row.leaked()).isEqualTo(2);
        assertThat(row.leaking()).isOne();
    }

    @Test
    void nothingCountsAfterTheEnd() {
        Tally.Entry entry = tally.arrive();
        tally.begin();
        RowOutcome end = tally.freeze();
        pass(1000);
        tally.settle(entry);
        tally.settle(tally.arrive());
        tally.leak(1);
        tally.endLeaked();
        RowOutcome later = tally.freeze();
        assertThat(later.busySeconds()).isEqualTo(end.busySeconds());
        assertThat(later.arrived()).isEqualTo(end.arrived());
        assertThat(later.leaked()).isZero();
        assertThat(later.leakedSeconds()).isZero();
    }
}
