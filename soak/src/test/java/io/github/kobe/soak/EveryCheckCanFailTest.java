package io.github.kobe.soak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Would each check notice? Each is shown something that is in order, and something that is not. */
class EveryCheckCanFailTest {

    @BeforeAll
    static void disableLibraryLog() {
        Soak.disableLibraryLog();
    }

    private final Recorder recorder = new Recorder(violation -> {});

    @ParameterizedTest
    @EnumSource
    void whatIsInOrderIsNoViolation(Check check) throws Exception {
        Sabotage.of(check).play(recorder, false);
        assertThat(recorder.checkCount(check)).isPositive();
        assertThat(recorder.violations()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNotInOrderIsNoticed(Check check) throws Exception {
        Sabotage.of(check).play(recorder, true);
        assertThat(recorder.violationCount(check)).isPositive();
        assertThat(recorder.violations()).anySatisfy(violation -> {
            assertThat(violation.check()).isEqualTo(check);
            assertThat(violation.details()).isNotBlank();
        });
    }
}
