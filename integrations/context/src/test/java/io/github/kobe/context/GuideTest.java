package io.github.kobe.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Is the code of this module in the guide compiled somewhere? The tests of the core compile the rest of the page. */
class GuideTest {

    private static final Path ROOT = Path.of("../..");
    private static final Pattern SHOWN = Pattern.compile("<!-- sample: shown -->\\R```java\\R(.*?)```", Pattern.DOTALL);

    @Test
    void codeInTheGuideIsThatOfTheExampleOrOfTheTests() throws IOException {
        String compiled = withoutSpaces(
                        ROOT.resolve("examples/logs-mdc/src/main/java/io/github/kobe/examples/logs/LogsWithMdc.java"))
                + withoutSpaces(Path.of("src/test/java/io/github/kobe/context/ContextSnapshotCarrierTest.java"));
        String guide = Files.readString(ROOT.resolve("docs/guide/carry-context.md"));
        List<String> shown = SHOWN.matcher(guide)
                .results()
                .map(found -> found.group(1))
                .filter(code -> !code.contains("ScopedValue")) // needs Java 25; the core has a test with reflection
                .toList();
        assertThat(shown)
                .hasSize(2)
                .allSatisfy(code ->
                        assertThat(compiled).contains(code.replaceAll("\\s", "").replaceAll(";$", "")));
    }

    private static String withoutSpaces(Path file) throws IOException {
        return Files.readString(file).replaceAll("\\s", "");
    }
}
