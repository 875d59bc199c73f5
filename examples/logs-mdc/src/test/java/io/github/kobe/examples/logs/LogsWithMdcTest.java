package io.github.kobe.examples.logs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does the example print what its README says? */
class LogsWithMdcTest {

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void printsWhatTheReadmeSays() throws Exception {
        List<String> readme = Files.readAllLines(Path.of("README.md"));
        List<String> block = readme.subList(readme.indexOf("```") + 1, readme.lastIndexOf("```"));
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            LogsWithMdc.main(new String[0]);
        } finally {
            System.setOut(before);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8).lines()).hasSize(10).containsExactlyElementsOf(block);
    }
}
