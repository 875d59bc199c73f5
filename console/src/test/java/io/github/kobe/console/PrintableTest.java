package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Can a key begin a line of the log, hide text or fill the log? */
class PrintableTest {

    @Test
    void ordinaryTextStays() {
        assertThat(Printable.of("tenant-1 grün 中文")).isEqualTo("tenant-1 grün 中文");
    }

    @Test
    void charactersThatCannotBeSeenAreReplaced() {
        assertThat(Printable.of("a\nb\rc\u0000d\u001be\u202ef\u2028g\u2029h\u200bi\ud800j"))
                .isEqualTo("a?b?c?d?e?f?g?h?i?j");
    }

    @Test
    void longTextIsCut() {
        assertThat(Printable.of("x".repeat(10_000))).isEqualTo("x".repeat(100) + "…");
    }
}
