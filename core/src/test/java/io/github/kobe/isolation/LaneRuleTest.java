package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which lane is a task in? */
class LaneRuleTest {

    @ParameterizedTest
    @CsvSource({
        // slow, late, others queued, running of the key, lane full, backup full
        "false, false, false, 1, false, false, FAST",
        "false, false, true, 3, false, false, FAST",
        "false, false, true, 4, false, false, FAST_BACKUP",
        "false, false, true, 6, false, false, FAST_BACKUP",
        "false, false, true, 7, false, false, ISOLATION",
        "false, false, false, 50, true, true, FAST",
        "false, true, false, 1, false, false, FAST_BACKUP",
        "false, true, true, 1, false, false, FAST_BACKUP",
        "false, false, true, 1, true, false, FAST_BACKUP",
        "false, false, true, 1, true, true, ISOLATION",
        "false, false, true, 4, false, true, ISOLATION",
        "true, false, false, 1, false, false, SLOW",
        "true, true, false, 1, false, false, SLOW_BACKUP",
        "true, false, true, 1, true, false, SLOW_BACKUP",
        "true, false, true, 4, false, false, SLOW_BACKUP",
        "true, false, true, 7, false, false, ISOLATION",
        "true, false, false, 50, true, true, SLOW",
    })
    void followsTheKeyAndTheOthers(
            boolean slow, boolean late, boolean others, int running, boolean full, boolean backupFull, Lane lane) {
        assertThat(new LaneCounters.LaneRule(false, false, slow, late, others, running, 3, full, backupFull).lane())
                .isEqualTo(lane);
    }

    @ParameterizedTest
    @CsvSource({"false, WHITE_LIST", "true, ISOLATION"})
    void whiteListedKeyGoesByItsOwnCapacityAlone(boolean full, Lane lane) {
        assertThat(new LaneCounters.LaneRule(true, full, true, true, true, 50, 3, true, true).lane())
                .isEqualTo(lane);
    }
}
