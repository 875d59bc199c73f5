package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which changes are kept, and which are logged? */
class ChangeLogTest {

    @Test
    void latest200ChangesAreKeptTheNewestFirst() {
        ChangeLog log = new ChangeLog();
        try (ConsoleKit.Log lines = new ConsoleKit.Log()) {
            for (int i = 1; i <= 250; i++) {
                log.add("me", "limit", "" + i, "" + (i + 1));
            }
            assertThat(lines.lines()).hasSize(250);
        }
        assertThat(log.latest()).hasSize(200);
        assertThat(log.latest().getFirst().number()).isEqualTo(250);
        assertThat(log.latest().getLast().number()).isEqualTo(51);
        assertThat(log.count()).isEqualTo(250);
    }

    @Test
    void everyChangeIsLogged() {
        try (ConsoleKit.Log lines = new ConsoleKit.Log()) {
            new ChangeLog().add("eva at 10.0.0.1", "limit of group 'a' of 'orders'", "4", "8");
            assertThat(lines.lines())
                    .containsExactly(
                            "INFO console: eva at 10.0.0.1 changed limit of group 'a' of 'orders' from 4 to 8");
        }
    }
}
