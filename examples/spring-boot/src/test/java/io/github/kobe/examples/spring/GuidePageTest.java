package io.github.kobe.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Is what the guide shows of this example really a part of it? */
class GuidePageTest {

    private static final Path PAGE = Path.of("../../docs/guide/spring-boot.md");
    private static final Pattern BLOCK =
            Pattern.compile("<!-- sample: part of examples/spring-boot -->\n```\\w+\n(.*?)```", Pattern.DOTALL);

    private static List<String> blocks() throws IOException {
        return BLOCK.matcher(Files.readString(PAGE))
                .results()
                .map((MatchResult block) -> block.group(1))
                .toList();
    }

    @TestFactory
    Stream<DynamicTest> whatThePageShowsIsInAFile() throws IOException {
        List<String> files = sources();
        return blocks().stream()
                .map(block -> DynamicTest.dynamicTest(
                        block.lines().findFirst().orElseThrow().strip(),
                        () -> assertThat(files).anyMatch(file -> file.contains(block))));
    }

    @Test
    void thePageShowsSomething() throws IOException {
        assertThat(blocks()).hasSizeGreaterThan(3);
    }

    private static List<String> sources() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/main"))) {
            return files.filter(Files::isRegularFile).map(GuidePageTest::read).toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
