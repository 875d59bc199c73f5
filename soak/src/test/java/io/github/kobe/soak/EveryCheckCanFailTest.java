package io.github.kobe.soak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that every check passes on correct behavior and fails on broken behavior. */
class EveryCheckCanFailTest {

    @BeforeAll
    static void disableLibraryLog() {
        Soak.disableLibraryLog();
    }

    private final CheckRecorder recorder = new CheckRecorder(violation -> {});

    @ParameterizedTest
    @EnumSource
    void correctBehaviorIsNoViolation(Check check) throws Exception {
        CheckSabotage.of(check).run(recorder, false);
        assertThat(recorder.checkCount(check)).isPositive();
        assertThat(recorder.violations()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void brokenBehaviorIsReported(Check check) throws Exception {
        CheckSabotage.of(check).run(recorder, true);
        assertThat(recorder.violationCount(check)).isPositive();
        assertThat(recorder.violations()).anySatisfy(violation -> {
            assertThat(violation.check()).isEqualTo(check);
            assertThat(violation.details()).isNotBlank();
        });
    }
}
