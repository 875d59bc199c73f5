package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many places are kept, for what was wanted? */
class ReserveCalculatorTest {

    @ParameterizedTest(name = "{0}: of {2} places, {3} for wants of {1}")
    @CsvSource({
        "nobody has asked, '0:1000', 50, 0",
        "nothing is known, '', 50, 0",
        "always the same, '8:1000', 50, 8",
        "half of the time, '7:500 8:500', 50, 8",
        "a spike that hardly counts, '8:10000 12:20', 50, 8",
        "a spike that counts, '8:10000 12:100', 50, 12",
        "a burst now and then, '0:4950 6:50', 50, 6",
        "a burst too large to keep places for, '0:4900 40:100', 50, 6",
        "the more is used the more is kept, '20:5000 40:5000', 50, 32",
        "one place at least, '0:9990 1:10', 50, 1",
        "one place at least of few, '0:500 3:500', 4, 2",
        "the others have one place at least, '2:1000', 2, 1",
        "never the only one, '1:1000', 1, 0",
        "large, '0:10 100:1000', 500, 100"
    })
    void placesByWhatWasWanted(String name, String wanted, int budget, int places) {
        long[] ticks = new long[128];
        for (String level : wanted.isEmpty() ? new String[0] : wanted.split(" ")) {
            String[] parts = level.split(":");
            ticks[Integer.parseInt(parts[0])] = Long.parseLong(parts[1]);
        }
        assertThat(ReserveCalculator.STANDARD.permits(ticks, budget)).as(name).isEqualTo(places);
    }
}
