package io.github.kobe.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Is the busy share what it was over the last minute, and nothing older? */
class UtilizationWindowTest {

    private static final long SECOND = 1_000_000_000;
    private static final long START = 12_345_678_901L;

    private final UtilizationWindow usage = new UtilizationWindow(START);

    private static long at(double seconds) {
        return START + (long) (seconds * SECOND);
    }

    @Test
    void withoutWorkersItIsZero() {
        assertThat(usage.share(at(5), 60)).isZero();
    }

    @Test
    void itIsTheBusyPartOfTheTimeThatWorkersWereThere() {
        usage.set(at(0), 1, 2);
        usage.set(at(10), 2, 2);
        assertThat(usage.share(at(20), 60)).isCloseTo(0.75, within(1e-9));
    }

    @Test
    void timeWithoutWorkersDoesNotCount() {
        usage.set(at(0), 2, 2);
        usage.set(at(1), 0, 0);
        assertThat(usage.share(at(30), 60)).isEqualTo(1);
    }

    @Test
    void whatIsOlderIsForgotten() {
        usage.set(at(0), 1, 1);
        usage.set(at(10), 0, 1);
        assertThat(usage.share(at(40), 60)).isCloseTo(0.25, within(1e-9));
        assertThat(usage.share(at(75), 60)).isZero();
        assertThat(usage.share(at(1000), 60)).isZero();
        usage.set(at(1000), 1, 1);
        assertThat(usage.share(at(1100), 60)).isEqualTo(1);
    }

    @Test
    void aShorterTimeCanBeAskedFor() {
        usage.set(at(0), 0, 1);
        usage.set(at(30), 1, 1);
        assertThat(usage.share(at(32.5), 1)).isEqualTo(1);
        assertThat(usage.share(at(40), 59)).isCloseTo(0.25, within(1e-9));
    }

    @Test
    void aClockThatStandsStillDoesNoHarm() {
        usage.set(at(3), 1, 1);
        usage.set(at(3), 0, 1);
        assertThat(usage.share(at(3), 60)).isZero();
        assertThat(usage.share(at(2), 60)).isZero();
    }
}
