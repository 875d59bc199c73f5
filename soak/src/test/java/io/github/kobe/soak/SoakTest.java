package io.github.kobe.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Do all promises hold while everything happens at once? */
class SoakTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Test
    void tenSecondsOfEverythingBreakNoPromise() throws InterruptedException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8)) {
            Recorder book = Soak.run(out, new Options(Duration.ofSeconds(10), 7, PATIENCE, false));
            String page = text.toString(StandardCharsets.UTF_8);
            assertThat(book.violations()).as(page).isEmpty();
            assertThat(page)
                    .contains("Violations: 0")
                    .contains("Operations: ")
                    .contains("Before")
                    .contains("seed 7");
            for (Promise promise : Promise.values()) {
                assertThat(checksOf(book, promise)).as(promise.text()).isPositive();
            }
        }
    }

    private static long checksOf(Recorder book, Promise promise) {
        long sum = 0;
        for (Check check : Check.values()) {
            sum += check.promise() == promise ? book.checks(check) : 0;
        }
        return sum;
    }
}
