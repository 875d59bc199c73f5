package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** Who is far ahead of tasks that get on stands back, for a moment; nobody else does. */
class PaceTest {

    private static final int FEW = Pace.AHEAD / 2;
    private static final int MANY = 2 * Pace.AHEAD;

    /** A look that is followed by no others: it went on. */
    private static final int WENT_ON = 1;

    private long present;
    private int looks;
    private LongUnaryOperator whileItLooks = n -> n;
    private final Pace pace = new Pace(() -> {
        looks++;
        present = whileItLooks.applyAsLong(present);
        return present;
    });
    private long submitted;

    /** Submits until one of them looks, when so many are there; how often it does. */
    private int looksWith(long there) {
        present = there;
        int before = looks;
        do {
            pace.submitted(++submitted);
        } while (submitted % Pace.EVERY != 0);
        return looks - before;
    }

    /** As many are there as were submitted but for those that have ended. */
    private int looksWhenEnded(long ended) {
        long next = submitted + Pace.EVERY;
        return looksWith(next - ended);
    }

    @Test
    void oneInSixteenLooks() {
        for (int i = 1; i < Pace.EVERY; i++) {
            pace.submitted(++submitted);
        }
        assertThat(looks).isZero();
        pace.submitted(++submitted);
        assertThat(looks).isPositive();
    }

    @Test
    void whoIsNotFarAheadGoesOn() {
        for (int i = 0; i < 100; i++) {
            assertThat(looksWith(FEW)).isEqualTo(WENT_ON);
        }
        assertThat(looksWith(Pace.AHEAD)).isEqualTo(WENT_ON);
    }

    @Test
    void whoIsFarAheadStandsBackEachTimeIfTasksGetOn() {
        submitted = 100L * MANY;
        for (int i = 0; i < 100; i++) {
            assertThat(looksWith(MANY)).isGreaterThan(WENT_ON);
        }
    }

    @Test
    void standingBackComesToAnEndWhateverTasksDo() {
        submitted = 100L * MANY;
        assertThat(looksWith(MANY)).isLessThanOrEqualTo(WENT_ON + Pace.MOST_STEPS);
    }

    @Test
    void itIsOverWhenEnoughHaveEnded() {
        submitted = 100L * MANY;
        whileItLooks = there -> there - 1;
        assertThat(looksWith(Pace.AHEAD + 2)).isEqualTo(2);
    }

    @Test
    void nobodyWaitsForTasksThatTakeLong() {
        submitted = 100L * MANY;
        looksWhenEnded(5);
        for (int i = 0; i < 100; i++) {
            assertThat(looksWhenEnded(5)).isEqualTo(WENT_ON);
        }
        assertThat(looksWhenEnded(6)).as("one has ended since").isGreaterThan(WENT_ON);
        assertThat(looksWhenEnded(6)).isEqualTo(WENT_ON);
    }
}
