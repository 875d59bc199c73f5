package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.spi.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Does a project whose class path has this library and its published dependencies get ordinary compiler errors? */
class ConsumerCompileTest {

    private static final String SOURCE = """
            import io.github.kobe.*;
            import io.github.kobe.scope.*;
            class Consumer {
                Object use(GroupExecutor executor, ThreadScope scope) throws Exception {
                    return %s;
                }
            }
            """;

    private static final int SUCCESS = 0;
    private static final int ERRORS = 1; // a crash has another code

    @TempDir
    private Path directory;

    private final StringWriter output = new StringWriter();

    @Test
    void rightCallCompiles() throws Exception {
        assertThat(compile("executor.submit(\"group\", \"task\", () -> 1)"))
                .as("%s", output)
                .isEqualTo(SUCCESS);
        assertThat(output.toString()).isEmpty();
    }

    /** Without the annotation classes, javac 25 crashes when it has to describe the methods that do not fit. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "executor.submit(\"group\", 1, () -> 1)",
                "executor.submit(\"group\", \"task\", () -> 1, \"options\")",
                "scope.submit(\"task\", 1)",
                "scope.submit(\"task\", () -> 1, \"timeout\")"
            })
    void wrongCallIsAnOrdinaryError(String call) throws Exception {
        assertThat(compile(call)).as("%s", output).isEqualTo(ERRORS);
        assertThat(output.toString()).contains("Consumer.java:5:", "submit(");
    }

    private int compile(String call) throws Exception {
        Path source = Files.writeString(directory.resolve("Consumer.java"), SOURCE.formatted(call));
        PrintWriter out = new PrintWriter(output);
        return ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(out, out, "-proc:none", "-d", directory.toString(), "-cp", consumerClassPath(), source.toString());
    }

    private static String consumerClassPath() throws Exception {
        List<String> path = new ArrayList<>();
        path.add(home());
        for (String artifact : publishedDependencies()) {
            path.add(jarOf(artifact));
        }
        return String.join(File.pathSeparator, path);
    }

    private static String home() throws URISyntaxException {
        return Path.of(GroupExecutor.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString();
    }

    /** The dependencies that a build tool adds to the class path of a user. */
    private static List<String> publishedDependencies() throws Exception {
        Document pom = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Path.of("pom.xml").toFile());
        NodeList dependencies = pom.getElementsByTagName("dependency");
        List<String> published = new ArrayList<>();
        for (int i = 0; i < dependencies.getLength(); i++) {
            if (dependencies.item(i) instanceof Element dependency
                    && dependency.getElementsByTagName("artifactId").getLength() == 1
                    && text(dependency, "scope").orElse("compile").equals("compile")
                    && text(dependency, "optional").isEmpty()) {
                published.add(text(dependency, "artifactId").orElseThrow());
            }
        }
        return published;
    }

    private static Optional<String> text(Element parent, String name) {
        NodeList found = parent.getElementsByTagName(name);
        return found.getLength() == 0
                ? Optional.empty()
                : Optional.of(found.item(0).getTextContent().strip());
    }

    private static String jarOf(String artifact) {
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (Path.of(entry).getFileName().toString().matches(artifact + "-[0-9].*\\.jar")) {
                return entry;
            }
        }
        throw new AssertionError("no jar of " + artifact + " on the class path of the tests");
    }
}
