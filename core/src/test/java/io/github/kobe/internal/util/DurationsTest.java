package io.github.kobe.internal.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Durations are readable in messages. */
class DurationsTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0 ms",
        "1, 1 ns",
        "999, 999 ns",
        "1000, 1 µs",
        "1049, 1 µs",
        "1050, 1.1 µs",
        "9949, 9.9 µs",
        "9950, 10 µs",
        "10499, 10 µs",
        "10500, 11 µs",
        "1234567, 1.2 ms",
        "100000000, 100 ms",
        "1000000000, 1 s",
        "1500000000, 1.5 s",
        "61000000000, 61 s",
        "600000000000, 10 min",
        "35999000000000, 600 min",
        "36000000000000, 10 h",
        "-1500000, -1.5 ms",
        "9223372036854775807, 2562048 h",
        "-9223372036854775808, -2562048 h"
    })
    void textHasASuitableUnit(long nanos, String text) {
        assertThat(Durations.text(Duration.ofNanos(nanos))).isEqualTo(text);
        assertThat(Durations.shortText(Duration.ofNanos(nanos))).isEqualTo(text.replace(" ", ""));
    }

    @Test
    void longestDurationsSaturate() {
        assertThat(Durations.saturatedNanos(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
        assertThat(Durations.saturatedNanos(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo(Long.MIN_VALUE);
        assertThat(Durations.text(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo("2562048 h");
    }
}
