package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How large is the reserve for a given demand? */
class ReserveCalculatorTest {

    @ParameterizedTest(name = "{0}: of {2} permits, {3} for a demand of {1}")
    @CsvSource({
        "no demand, '0:1000', 50, 0",
        "nothing is known, '', 50, 0",
        "always the same, '8:1000', 50, 8",
        "half of the time, '7:500 8:500', 50, 8",
        "a spike that hardly counts, '8:10000 12:20', 50, 8",
        "a spike that counts, '8:10000 12:100', 50, 12",
        "a burst now and then, '0:4950 6:50', 50, 6",
        "a burst too large to reserve permits for, '0:4900 40:100', 50, 6",
        "high use allows a larger reserve, '20:5000 40:5000', 50, 32",
        "at least one permit, '0:9990 1:10', 50, 1",
        "at least one permit of few, '0:500 3:500', 4, 2",
        "other keys have at least one permit, '2:1000', 2, 1",
        "never the only one, '1:1000', 1, 0",
        "large, '0:10 100:1000', 500, 100"
    })
    void reserveFollowsDemand(String name, String demand, int budget, int permits) {
        long[] ticks = new long[128];
        for (String level : demand.isEmpty() ? new String[0] : demand.split(" ")) {
            String[] parts = level.split(":");
            ticks[Integer.parseInt(parts[0])] = Long.parseLong(parts[1]);
        }
        assertThat(ReserveCalculator.STANDARD.permits(ticks, budget)).as(name).isEqualTo(permits);
    }
}
