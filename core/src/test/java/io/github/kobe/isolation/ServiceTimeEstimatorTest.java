package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is thought of a key? */
class ServiceTimeEstimatorTest {

    @ParameterizedTest
    @CsvSource({"999, false, false", "1000, false, true", "900, true, true", "799, true, false"})
    void slowFromTheThresholdOnAndQuickAgainWellBelow(double typical, boolean before, boolean slow) {
        assertThat(ServiceTimeEstimator.isSlow(typical, 1000, before)).isEqualTo(slow);
    }

    @ParameterizedTest
    @CsvSource({"100, 300, false, true", "101, 300, false, false", "120, 300, true, true", "130, 300, true, false"})
    void quickIfThreeTimesAsQuickAsWhatElseHoldsPlaces(double typical, double across, boolean before, boolean quick) {
        assertThat(ServiceTimeEstimator.isFast(typical, across, before)).isEqualTo(quick);
    }

    @ParameterizedTest
    @CsvSource({"100, 1000, 1", "500, 1000, 1", "1000, 1000, 0.5", "5000, 1000, 0.1"})
    void lessTrustInWhatTakesLongNowAndThen(double holding, double across, double trust) {
        assertThat(ServiceTimeEstimator.fastFraction(holding, across)).isEqualTo(trust);
    }

    @ParameterizedTest
    @CsvSource({"10e6, 40e6, false", "10e6, 42e6, true", "0, 1e6, false"})
    void stuckIfMuchOlderThanUsual(double mean, double age, boolean stuck) {
        assertThat(ServiceTimeEstimator.isStuck(mean, age)).isEqualTo(stuck);
    }
}
