package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Are arguments parsed, and wrong ones reported? */
class DemoOptionsTest {

    @Test
    void defaultsToTheIsolationScenarioForUnderAMinute() {
        DemoOptions options = DemoOptions.parse();
        assertThat(options.scenario().name()).isEqualTo("isolation");
        assertThat(options.length()).isEqualTo(Duration.ofSeconds(25));
        assertThat(options.seed()).isEqualTo(42);
        assertThat(options.report()).isNull();
        assertThat(options.console()).isEmpty();
        assertThat(options.help()).isFalse();
    }

    @Test
    void consoleShowsEveryScenarioThatHasAnExecutorOrTheChosenOne() {
        assertThat(DemoOptions.parse("--console").console())
                .extracting(Scenario::name)
                .containsExactly("isolation", "limits", "priorities");
        assertThat(DemoOptions.parse("--console", "--scenario", "limits").console())
                .extracting(Scenario::name)
                .containsExactly("limits");
    }

    @Test
    void optionsMayComeInAnyOrder() {
        DemoOptions options =
                DemoOptions.parse("--seed", "-7", "--report", "a/b.html", "--scenario", "scope", "--seconds", "3");
        assertThat(options.scenario().name()).isEqualTo("scope");
        assertThat(options.length()).isEqualTo(Duration.ofSeconds(3));
        assertThat(options.seed()).isEqualTo(-7);
        assertThat(options.report()).isEqualTo(Path.of("a/b.html"));
    }

    @ParameterizedTest
    @CsvSource({"isolation", "limits", "priorities", "scope"})
    void everyScenarioHasItsName(String name) {
        assertThat(DemoOptions.parse("--scenario", name).scenario().name()).isEqualTo(name);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --fast             | unknown argument '--fast'
                    isolation          | unknown argument 'isolation'
                    --scenario         | --scenario needs a value after it
                    --scenario --help  | --scenario needs a value after it
                    --scenario chaos   | --scenario must be one of isolation, limits, priorities, scope, but is 'chaos'
                    --seconds          | --seconds needs a value after it
                    --seconds soon     | --seconds must be a whole number, but is 'soon'
                    --seconds 0        | --seconds must be from 1 to 120, but is 0
                    --seconds 121      | --seconds must be from 1 to 120, but is 121
                    --seed 1.5         | --seed must be a whole number, but is '1.5'
                    --report           | --report needs a value after it
                    --console --seconds 9      | --console goes on until it is stopped, without --seconds and --report
                    --report x --console       | --console goes on until it is stopped, without --seconds and --report
                    --console --scenario scope | --console shows executors, and the scenario 'scope' has none
                    """)
    void wrongArgumentsAreNamedWithTheirValue(String args, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DemoOptions.parse(args.split(" +", -1)))
                .withMessage(message);
    }
}
