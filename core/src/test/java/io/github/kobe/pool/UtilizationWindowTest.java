package io.github.kobe.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Is the busy share that of the last minute? */
class UtilizationWindowTest {

    private static final long SECOND = 1_000_000_000;
    private static final long START = 12_345_678_901L;

    private final UtilizationWindow window = new UtilizationWindow(START);

    private static long at(double seconds) {
        return START + (long) (seconds * SECOND);
    }

    @Test
    void busyShareWithoutWorkersIsZero() {
        assertThat(window.busyShare(at(5), 60)).isZero();
    }

    @Test
    void busyShareIsTheBusyFractionOfTheTimeOfWorkers() {
        window.set(at(0), 1, 2);
        window.set(at(10), 2, 2);
        assertThat(window.busyShare(at(20), 60)).isCloseTo(0.75, within(1e-9));
    }

    @Test
    void timeWithoutWorkersDoesNotCount() {
        window.set(at(0), 2, 2);
        window.set(at(1), 0, 0);
        assertThat(window.busyShare(at(30), 60)).isEqualTo(1);
    }

    @Test
    void olderTimeIsForgotten() {
        window.set(at(0), 1, 1);
        window.set(at(10), 0, 1);
        assertThat(window.busyShare(at(40), 60)).isCloseTo(0.25, within(1e-9));
        assertThat(window.busyShare(at(75), 60)).isZero();
        assertThat(window.busyShare(at(1000), 60)).isZero();
        window.set(at(1000), 1, 1);
        assertThat(window.busyShare(at(1100), 60)).isEqualTo(1);
    }

    @Test
    void shorterWindowIsSupported() {
        window.set(at(0), 0, 1);
        window.set(at(30), 1, 1);
        assertThat(window.busyShare(at(32.5), 1)).isEqualTo(1);
        assertThat(window.busyShare(at(40), 59)).isCloseTo(0.25, within(1e-9));
    }

    @Test
    void clockThatStandsStillChangesNothing() {
        window.set(at(3), 1, 1);
        window.set(at(3), 0, 1);
        assertThat(window.busyShare(at(3), 60)).isZero();
        assertThat(window.busyShare(at(2), 60)).isZero();
    }
}
