package io.github.kobe.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Does the Java of the guide that uses modules outside the core compile? These blocks follow a comment {@code sample: compiled by
 * consumer-checks}. Each is the body of a method that has an {@code openTelemetry}, a {@code registry} and an
 * {@code observationRegistry} of Micrometer, an {@code executor}, a {@code pool}, an {@code isolation}, a {@code fleet} and a
 * {@code fetch}. The tests of the core compile and run the other blocks.
 */
class IntegrationPagesTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern SAMPLE =
            Pattern.compile("<!-- sample: compiled by consumer-checks -->\\s*```java\\n(.*?)```", Pattern.DOTALL);
    private static final List<String> PACKAGES = List.of(
            "io.github.kobe",
            "io.github.kobe.console",
            "io.github.kobe.isolation",
            "io.github.kobe.micrometer",
            "io.github.kobe.opentelemetry",
            "io.github.kobe.pool",
            "io.github.kobe.scope",
            "java.time",
            "java.util",
            "java.util.concurrent");

    /** A block of a page. */
    private record Sample(String page, int number, String code) {

        String source() {
            StringBuilder text = new StringBuilder("package samples;\n");
            PACKAGES.forEach(name -> text.append("import ").append(name).append(".*;\n"));
            code.lines()
                    .filter(Sample::isImport)
                    .forEach(line -> text.append(line).append('\n'));
            text.append("abstract class Sample {\n")
                    .append("abstract String fetch(String what);\n")
                    .append(
                            "void run(io.opentelemetry.api.OpenTelemetry openTelemetry, GroupExecutor executor, WorkerPool pool,")
                    .append(
                            " IsolationExecutor isolation, io.github.kobe.fleet.Fleet fleet, io.micrometer.core.instrument.MeterRegistry registry,")
                    .append(" io.micrometer.observation.ObservationRegistry observationRegistry)")
                    .append(" throws Exception {\n");
            code.lines()
                    .filter(line -> !isImport(line))
                    .forEach(line -> text.append(line).append('\n'));
            return text.append("}\n}\n").toString();
        }

        private static boolean isImport(String line) {
            return line.startsWith("import ");
        }

        @Override
        public String toString() {
            return page + ", block " + number;
        }
    }

    @TempDir
    Path classes;

    @TestFactory
    Stream<DynamicTest> javaOnPagesCompiles() throws IOException {
        return samples().stream()
                .map(sample -> DynamicTest.dynamicTest(
                        sample.toString(), () -> assertThat(errorsOf(sample)).isEmpty()));
    }

    @Test
    void someJavaIsFound() throws IOException {
        assertThat(samples()).hasSizeGreaterThan(3);
    }

    @Test
    void wrongJavaIsFound() {
        assertThat(errorsOf(new Sample("a page", 1, "TracingListener tracing = 1;")))
                .singleElement()
                .asString()
                .contains("incompatible types");
    }

    private static List<Sample> samples() throws IOException {
        List<Sample> samples = new ArrayList<>();
        try (Stream<Path> pages = Files.walk(ROOT.resolve("docs/guide"))) {
            for (Path page : pages.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList()) {
                Matcher matcher = SAMPLE.matcher(Files.readString(page));
                for (int number = 1; matcher.find(); number++) {
                    samples.add(new Sample(ROOT.relativize(page).toString(), number, matcher.group(1)));
                }
            }
        }
        return samples;
    }

    private List<?> errorsOf(Sample sample) {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        JavaFileObject source =
                new SimpleJavaFileObject(URI.create("memory:///samples/Sample.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return sample.source();
                    }
                };
        List<String> options = List.of(
                "--release",
                "21",
                "-proc:none",
                "-d",
                classes.toString(),
                "--class-path",
                System.getProperty("java.class.path"));
        javac.getTask(
                        null,
                        javac.getStandardFileManager(diagnostics, null, StandardCharsets.UTF_8),
                        diagnostics,
                        options,
                        null,
                        List.of(source))
                .call();
        return diagnostics.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == javax.tools.Diagnostic.Kind.ERROR)
                .toList();
    }
}
