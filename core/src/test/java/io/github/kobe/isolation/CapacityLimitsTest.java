package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.isolation.CapacityPolicy.Limits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which limits follow from a budget? */
class CapacityLimitsTest {

    @ParameterizedTest
    @CsvSource({
        // budget, share -> size of a lane, limits of a key in one lane, of a fast key
        "50, 0.3, 10, 3, 6",
        "64, 0.3, 12, 3, 7",
        "50, 1.0, 10, 10, 20",
        "1, 0.3, 1, 1, 1",
    })
    void maxShareIsTheShareOfALane(int budget, double share, int laneSize, int keyLaneLimit, int fastKeyLimit) {
        Limits limits =
                Limits.of(budget, IsolationPolicy.builder().maxShare(share).build());
        assertThat(limits.laneSize()).isEqualTo(laneSize);
        assertThat(limits.keyLaneLimit()).isEqualTo(keyLaneLimit);
        assertThat(limits.fastKeyLimit()).isEqualTo(fastKeyLimit);
    }

    @ParameterizedTest
    @CsvSource({"50, 0.3, 15", "64, 0.3, 19", "50, 1.0, 50", "2, 0.3, 1", "1, 0.3, 1"})
    void theOtherSharesAreSharesOfTheBudget(int budget, double share, int limit) {
        assertThat(Limits.of(
                                budget,
                                IsolationPolicy.builder().whiteListShare(share).build())
                        .whiteListLimit())
                .isEqualTo(limit);
        assertThat(Limits.of(
                                budget,
                                IsolationPolicy.builder().newKeyShare(share).build())
                        .newKeyLimit())
                .isEqualTo(limit);
    }

    @ParameterizedTest
    @CsvSource({"1.0, 0.3, 0.3", "0.3, 1.0, 0.3", "0.3, 0.3, 1.0"})
    void noShareChangesWhatAnotherOneMeans(double lane, double whiteList, double newKey) {
        Limits limits = Limits.of(
                50,
                IsolationPolicy.builder()
                        .maxShare(lane)
                        .whiteListShare(whiteList)
                        .newKeyShare(newKey)
                        .build());
        assertThat(limits.keyLaneLimit()).isEqualTo((int) (lane * 10));
        assertThat(limits.whiteListLimit()).isEqualTo((int) (whiteList * 50));
        assertThat(limits.newKeyLimit()).isEqualTo((int) (newKey * 50));
    }
}
