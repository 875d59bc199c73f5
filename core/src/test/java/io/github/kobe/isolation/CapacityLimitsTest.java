package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which limits follow from a budget? */
class CapacityLimitsTest {

    @ParameterizedTest
    @CsvSource({
        // budget, maxShare -> size of a lane, limits of a key in one lane, of a fast key, of white-listed keys
        "50, 0.3, 10, 3, 6, 15",
        "64, 0.3, 12, 3, 7, 19",
        "50, 1.0, 10, 10, 20, 50",
        "1, 0.3, 1, 1, 1, 1",
    })
    void followFromBudgetAndMaxShare(
            int budget, double maxShare, int laneSize, int keyLaneLimit, int fastKeyLimit, int whiteListLimit) {
        assertThat(CapacityPolicy.Limits.of(budget, maxShare))
                .isEqualTo(new CapacityPolicy.Limits(budget, laneSize, keyLaneLimit, fastKeyLimit, whiteListLimit));
    }
}
