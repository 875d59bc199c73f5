package io.github.kobe.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the arguments of the command line. */
class ArgumentsTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) throws InterruptedException {
        return Soak.run(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                args);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--minuets 3   | unknown argument '--minuets'",
                "--minutes     | --minutes needs a number after it",
                "--minutes ten | --minutes needs a whole number, but got 'ten'",
                "--seconds 0   | --seconds must be from 1 to 604800, but is 0",
                "--patience -1 | --patience must be from 1 to 3600, but is -1",
            })
    void invalidArgumentsPrintOneMessageAndReturnTwo(String args, String message) throws InterruptedException {
        assertThat(run(args.split(" "))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains(message).hasLineCount(1);
        assertThat(out.size()).isZero();
    }

    @Test
    void helpNamesEveryArgument() throws InterruptedException {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("--minutes", "--seconds", "--seed", "--patience", "-Dsoak.args");
    }

    @Test
    void validArgumentsAreParsed() {
        SoakOptions options = SoakOptions.parse("--minutes", "10", "--seed", "7", "--patience", "5");
        assertThat(options).isEqualTo(new SoakOptions(Duration.ofMinutes(10), 7, Duration.ofSeconds(5), false));
        assertThat(SoakOptions.parse("--seconds", "90").time()).isEqualTo(Duration.ofSeconds(90));
    }
}
