package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Do the examples in the Javadoc of the faces compile and run? Those of the root package need more context and have a test there. */
class JavadocCodeTest {

    private static final String FACES = "core/src/main/java/io/github/kobe/";
    private static final String OPEN = "<pre>{@code";
    private static final String CLOSE = "}</pre>";

    @TestFactory
    Stream<DynamicTest> examplesRun() throws IOException {
        List<Sample> samples = samples();
        SampleRunner runner = new SampleRunner(samples, Duration.ofMinutes(1));
        return samples.stream().map(sample -> DynamicTest.dynamicTest(sample.where(), () -> runner.run(sample)));
    }

    @Test
    void everyFaceHasAnExample() throws IOException {
        assertThat(samples())
                .extracting(Sample::where)
                .anyMatch(where -> where.contains("scope/ThreadScope.java"))
                .anyMatch(where -> where.contains("pool/WorkerPool.java"))
                .anyMatch(where -> where.contains("isolation/IsolationExecutor.java"));
    }

    private static List<Sample> samples() throws IOException {
        List<Sample> samples = new ArrayList<>();
        for (String face : List.of("scope", "pool", "isolation")) {
            try (Stream<Path> files = Files.list(Pages.ROOT.resolve(FACES + face))) {
                for (Path file : files.sorted().toList()) {
                    samples.addAll(SampleReader.samples(asPage(file)));
                }
            }
        }
        return samples;
    }

    /** Returns its examples as blocks, with the line numbers of the source. */
    private static Markdown asPage(Path file) throws IOException {
        StringBuilder text = new StringBuilder();
        boolean inside = false;
        for (String line : Files.readAllLines(file)) {
            String bare = line.replaceFirst("^\\s*\\* ?", "");
            boolean opens = bare.strip().equals(OPEN);
            boolean closes = inside && bare.strip().equals(CLOSE);
            text.append(opens ? "```java" : closes ? "```" : inside ? bare : "").append('\n');
            inside = opens || (inside && !closes);
        }
        return Markdown.of(file.getParent().getFileName() + "/" + file.getFileName(), text.toString());
    }
}
