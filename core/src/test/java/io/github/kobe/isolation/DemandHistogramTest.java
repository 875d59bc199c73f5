package io.github.kobe.isolation;

import static io.github.kobe.isolation.DemandHistogram.TICK;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** For how long does the histogram count each level of demand? */
class DemandHistogramTest {

    private final DemandHistogram demand = new DemandHistogram(8, 400 * TICK, 5);

    private void set(int level, double ticks) {
        demand.set(level, 5 + (long) (ticks * TICK));
    }

    private long[] ticks() {
        return Arrays.stream(demand.nanosByLevel()).map(nanos -> nanos / TICK).toArray();
    }

    @Test
    void eachLevelIsCountedForAsLongAsItLasted() {
        set(3, 0);
        set(5, 10);
        set(2, 30);
        set(0, 33);
        assertThat(ticks()).containsExactly(1, 0, 3, 10, 0, 19, 0, 0);
    }

    @Test
    void levelThatLastsLessThanATickDoesNotCount() {
        set(3, 0.1);
        set(3, 1);
        for (int i = 1; i < 100; i++) {
            set(7, i + 0.2);
            set(3, i + 0.9);
        }
        demand.advance(5 + 100 * TICK);
        assertThat(ticks()).containsExactly(1, 0, 0, 99, 0, 0, 0, 0);
    }

    @Test
    void tickFollowsTheTimeOfTasks() {
        demand.setTick(TICK / 10.0);
        set(3, 0);
        for (int i = 1; i < 100; i++) {
            set(7, i + 0.25);
            set(5, i + 0.53);
            set(3, i + 0.57);
        }
        demand.advance(5 + 100 * TICK);
        assertThat(demand.nanosByLevel()[7]).as("two whole ticks each").isEqualTo(99 * 2 * TICK / 10);
        assertThat(demand.nanosByLevel()[5]).as("less than a tick").isZero();
    }

    @Test
    void tickIsAtMostAMillisecondAndNotZero() {
        demand.setTick(1e12);
        set(3, 0.5);
        set(0, 3);
        assertThat(ticks()[3]).isEqualTo(2);
        demand.setTick(0);
        set(4, 5.5);
        set(0, 6.5);
        assertThat(demand.nanosByLevel()[4]).isBetween(TICK * 9 / 10, TICK);
    }

    @Test
    void levelBeforeTheWindowIsForgotten() {
        set(4, 0);
        set(1, 50);
        set(0, 399);
        assertThat(ticks()[4]).isEqualTo(49);
        set(0, 450);
        assertThat(ticks()[4]).isZero();
        assertThat(ticks()[1]).isEqualTo(299);
        set(0, 100_000);
        assertThat(ticks()).containsExactly(300, 0, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void higherLevelCountsAsTheHighest() {
        set(100, 0);
        set(1000, 1);
        demand.advance(5 + 3 * TICK);
        assertThat(ticks()[7]).isEqualTo(2);
    }

    @Test
    void clockThatStandsStillOrGoesBackCountsNothing() {
        set(3, 10);
        set(4, 10);
        set(5, 9);
        assertThat(ticks()[0]).isEqualTo(10);
        assertThat(ticks()[3] + ticks()[4] + ticks()[5]).isZero();
    }

    @Test
    void longGapCostsNoMoreThanAShortOne() {
        set(3, 0);
        set(2, 1e9); // a billion ticks, or ten million quarters
        assertThat(ticks()[3]).isBetween(300L, 400L);
        set(0, 1e9 + 10);
        assertThat(ticks()[2]).isEqualTo(10);
    }
}
