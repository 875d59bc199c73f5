package io.github.kobe.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Runs a short soak: all faces under load at the same time. */
class SoakTest {

    private static final Duration WAIT_TIMEOUT = Duration.ofMinutes(1);

    @Test
    void tenSecondsOfLoadBreakNoPromise() throws InterruptedException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            CheckRecorder recorder = Soak.run(out, new SoakOptions(Duration.ofSeconds(10), 7, WAIT_TIMEOUT, false));
            String output = bytes.toString(StandardCharsets.UTF_8);
            assertThat(recorder.violations()).as(output).isEmpty();
            assertThat(output)
                    .contains("Violations: 0")
                    .contains("Operations: ")
                    .contains("Before")
                    .contains("seed 7");
            for (Promise promise : Promise.values()) {
                assertThat(checkCount(recorder, promise)).as(promise.text()).isPositive();
            }
        }
    }

    private static long checkCount(CheckRecorder recorder, Promise promise) {
        long sum = 0;
        for (Check check : Check.values()) {
            sum += check.promise() == promise ? recorder.checkCount(check) : 0;
        }
        return sum;
    }
}
