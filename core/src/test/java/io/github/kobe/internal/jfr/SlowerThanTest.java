package io.github.kobe.internal.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which tasks does the setting of a recording accept? */
class SlowerThanTest {

    @ParameterizedTest
    @CsvSource({
        "0 ns, 0",
        "0ns, 0",
        "7, 7",
        "3 us, 3000",
        "20 ms, 20000000",
        "20ms, 20000000",
        "2 s, 2000000000",
        "1 m, 60000000000",
        "1 h, 3600000000000",
        "1 d, 86400000000000",
        "nonsense, 20000000",
        "-1 s, 20000000"
    })
    void timesAreReadAsInOtherSettings(String text, long nanos) {
        assertThat(SlowerThan.nanosOf(text)).isEqualTo(nanos);
    }

    @Test
    void smallestOfSeveralRecordingsApplies() {
        assertThat(new SlowerThan().combine(Set.of("1 s", "30 ms", "2 m"))).isEqualTo("30 ms");
    }

    @Test
    void valueApplies() {
        SlowerThan setting = new SlowerThan();
        assertThat(setting.accepts(19_999_999)).isFalse();
        assertThat(setting.accepts(20_000_000)).isTrue();
        setting.setValue("1 s");
        assertThat(setting.getValue()).isEqualTo("1 s");
        assertThat(setting.accepts(20_000_000)).isFalse();
    }
}
