package io.github.kobe.soak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Would each check notice? Each is shown something that is in order, and something that is not. */
class EveryCheckCanFailTest {

    @BeforeAll
    static void silenceReports() {
        Soak.silenceReports();
    }

    private final Recorder book = new Recorder(violation -> {});

    @ParameterizedTest
    @EnumSource
    void whatIsInOrderIsNoViolation(Check check) throws Exception {
        Sabotage.of(check).play(book, false);
        assertThat(book.checks(check)).isPositive();
        assertThat(book.violations()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNotInOrderIsNoticed(Check check) throws Exception {
        Sabotage.of(check).play(book, true);
        assertThat(book.broken(check)).isPositive();
        assertThat(book.violations()).anySatisfy(violation -> {
            assertThat(violation.check()).isEqualTo(check);
            assertThat(violation.facts()).isNotBlank();
        });
    }
}
