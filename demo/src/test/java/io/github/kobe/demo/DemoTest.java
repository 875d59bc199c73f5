package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DemoTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String live, String... args) throws InterruptedException {
        return Demo.run(args, live, stream(out), stream(err));
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"always", "never"})
    void endsWithASummaryThatSaysNoLimitWasExceeded(String live) throws InterruptedException {
        assertThat(run(live, "--seconds", "1", "--seed", "7")).isEqualTo(Demo.OK);
        assertThat(text(out))
                .contains("peak/limit")
                .contains("No limit was exceeded")
                .doesNotContain("add up");
        assertThat(text(err)).isEmpty();
        assertThat(text(out).contains("\033")).as("has escape sequences").isEqualTo(live.equals("always"));
    }

    @Test
    void helpRunsNothing() throws InterruptedException {
        assertThat(run("auto", "--help")).isEqualTo(Demo.OK);
        assertThat(text(out)).isEqualTo(Options.HELP);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --fast           | unknown argument '--fast'
                    --seconds        | --seconds needs a number after it
                    --seconds soon   | --seconds needs a whole number, but got 'soon'
                    --seconds 0      | --seconds must be from 1 to 60, but is 0
                    --seconds 61     | --seconds must be from 1 to 60, but is 61
                    --seed 1.5       | --seed needs a whole number, but got '1.5'
                    """)
    void wrongArgumentsAreOneLineAndExitCode2(String args, String message) throws InterruptedException {
        assertThat(run("never", args.split(" "))).isEqualTo(Demo.WRONG_ARGUMENTS);
        assertThat(text(err)).startsWith("demo: " + message).hasLineCount(1);
        assertThat(text(out)).isEmpty();
    }

    @Test
    void anUnknownWayToShowItIsAWrongArgument() throws InterruptedException {
        assertThat(run("perhaps")).isEqualTo(Demo.WRONG_ARGUMENTS);
        assertThat(text(err)).contains("demo.live").contains("perhaps");
    }
}
