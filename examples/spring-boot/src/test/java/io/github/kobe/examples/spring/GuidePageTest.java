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

    private static final Path GUIDE = Path.of("../../docs/guide");
    private static final List<String> PAGES =
            List.of("spring-boot.md", "migrate-from-concurrency-limit.md", "migrate-from-bulkhead.md");
    private static final Pattern BLOCK =
            Pattern.compile("<!-- sample: part of examples/spring-boot -->\n```\\w+\n(.*?)```", Pattern.DOTALL);

    private static List<String> blocks(String page) {
        return BLOCK.matcher(read(GUIDE.resolve(page)))
                .results()
                .map((MatchResult block) -> block.group(1))
                .toList();
    }

    @TestFactory
    Stream<DynamicTest> whatThePageShowsIsInAFile() throws IOException {
        List<String> files = sources();
        return PAGES.stream()
                .flatMap(page -> blocks(page).stream()
                        .map(block -> DynamicTest.dynamicTest(
                                page + ": "
                                        + block.lines()
                                                .findFirst()
                                                .orElseThrow()
                                                .strip(),
                                () -> assertThat(files).anyMatch(file -> file.contains(block)))));
    }

    @Test
    void everyPageShowsSomething() {
        assertThat(PAGES).allSatisfy(page -> assertThat(blocks(page)).isNotEmpty());
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
