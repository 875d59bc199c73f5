package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of which tickets in line is it known since when they are there? */
class QueueTimestampTest {

    private static final int NO_CAP = Integer.MAX_VALUE;

    /** One runs, and the others are in line. */
    private static List<Boolean> timed(int tickets, boolean displaces) {
        StepRunner crank = new StepRunner(
                key -> new GroupLimits(1, NO_CAP, NO_CAP),
                new DispatcherConfig(
                        NO_CAP,
                        NO_CAP,
                        Long.MAX_VALUE,
                        false,
                        false,
                        DispatcherConfig.NO_AGEING,
                        displaces,
                        DispatcherConfig.DEFAULT_SWEEP_CAPACITY));
        crank.timer.advance(1); // from 0, which would be no time at all
        crank.submit("g");
        List<Boolean> timed = new ArrayList<>();
        for (int i = 0; i < tickets; i++) {
            timed.add(crank.submit("g").queuedAt() != 0);
        }
        return timed;
    }

    @Test
    void ofEachInAShortLine() {
        assertThat(timed(8, false)).containsOnly(true);
    }

    @Test
    void ofAboutEveryEighthInALongOne() {
        List<Boolean> timed = timed(8008, false);
        assertThat(timed.subList(8, 8008).stream().filter(known -> known)).hasSizeBetween(900, 1100);
    }

    /** Whatever the order in which priorities come, since some of each are. */
    @Test
    void inNoRegularOrder() {
        List<Boolean> timed = timed(8000, false);
        for (int stride = 1; stride <= 64; stride++) {
            for (int first = 0; first < stride; first++) {
                int known = 0;
                for (int i = first; i < timed.size(); i += stride) {
                    known += timed.get(i) ? 1 : 0;
                }
                assertThat(known).as("every %d. from %d on", stride, first).isPositive();
            }
        }
    }

    @Test
    void ofEachIfOneMayHaveToMakeRoomForAnother() {
        assertThat(timed(100, true)).containsOnly(true);
    }
}
