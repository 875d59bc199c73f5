package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What does a budget come to? */
class DerivedLimitsTest {

    @ParameterizedTest
    @CsvSource({
        // budget, part of a lane -> lane, key's share, of two lanes, white-listed
        "50, 0.3, 10, 3, 6, 15",
        "64, 0.3, 12, 3, 7, 19",
        "50, 1.0, 10, 10, 20, 50",
        "1, 0.3, 1, 1, 1, 1",
    })
    void followsFromTheStandards(int budget, double maxShare, int lane, int keyShare, int light, int white) {
        assertThat(DerivedLimits.of(budget, maxShare))
                .isEqualTo(new DerivedLimits(budget, lane, keyShare, light, white));
    }
}
