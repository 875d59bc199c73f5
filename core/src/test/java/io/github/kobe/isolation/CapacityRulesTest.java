package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When is a key slow, fast or stuck? */
class CapacityRulesTest {

    @ParameterizedTest
    @CsvSource({"999, false, false", "1000, false, true", "900, true, true", "799, true, false"})
    void slowFromTheThresholdOnAndNotSlowWellBelowIt(double time, boolean before, boolean slow) {
        assertThat(CapacityPolicy.isSlow(time, 1000, before)).isEqualTo(slow);
    }

    @ParameterizedTest
    @CsvSource({"100, 300, false, true", "101, 300, false, false", "120, 300, true, true", "130, 300, true, false"})
    void fastIfThreeTimesShorterThanTheAverageHoldingTime(double time, double average, boolean before, boolean fast) {
        assertThat(CapacityPolicy.isFast(time, average, before)).isEqualTo(fast);
    }

    @ParameterizedTest
    @CsvSource({"100, 1000, 1", "500, 1000, 1", "1000, 1000, 0.5", "5000, 1000, 0.1"})
    void keyWithSomeLongTasksGetsFewerFastPermits(double holding, double average, double fraction) {
        assertThat(CapacityPolicy.fastFraction(holding, average)).isEqualTo(fraction);
    }

    @ParameterizedTest
    @CsvSource({"10e6, 40e6, false", "10e6, 42e6, true", "0, 1e6, false"})
    void stuckIfMuchOlderThanTheMean(double mean, double age, boolean stuck) {
        assertThat(CapacityPolicy.isStuck(mean, age)).isEqualTo(stuck);
    }
}
