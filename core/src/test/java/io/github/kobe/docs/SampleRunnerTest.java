package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Is wrong code on a page reported with its line number? */
class SampleRunnerTest {

    private static final String GOOD = """
            ```java
            import java.math.BigInteger;
            System.out.println(fetch("a"));
            System.out.println(BigInteger.TWO);
            ```
            <!-- sample: prints -->
            ```text
            value of a
            2
            ```
            """;

    @Test
    void correctCodeIsNotReported() {
        assertThatCode(() -> run(GOOD)).doesNotThrowAnyException();
    }

    @Test
    void codeThatDoesNotCompileIsReported() {
        assertReported("Text.\n\n```java\nint a = 1;\nint b = c;\n```\n", "page.md:5: cannot find symbol");
    }

    @Test
    void codeThatCannotBeParsedIsReported() {
        assertReported("```java\nint a = 1\n```\n", "page.md:2: ';' expected");
    }

    @Test
    void codeWithAWarningIsReported() {
        assertReported("```java\nList list = List.of();\n```\n", "page.md:2: found raw type");
    }

    @Test
    void codeThatUsesTheKernelIsReported() {
        assertReported(
                "```java\nio.github.kobe.internal.time.Timer timer = null;\n```\n", "page.md:2: cannot find symbol");
    }

    @Test
    void hiddenCodeThatDoesNotCompileIsReported() {
        assertReported("\n<!-- sample\nint a = b;\n-->\n```java\nint c = a;\n```\n", "page.md:3: cannot find symbol");
    }

    @Test
    void codeThatThrowsIsReported() {
        assertReported(
                "```java\nint a = 1;\nfetch(\"a\");\nfail(\"b\");\n```\n",
                "page.md:4: java.lang.IllegalStateException: no b today");
    }

    @Test
    void codeThatHangsIsReported() {
        List<Sample> samples = SampleReader.samples(Markdown.of("page.md", "```java\nint a = 1;\nhang();\n```\n"));
        SampleRunner runner = new SampleRunner(samples, Duration.ofMillis(1));
        assertThatThrownBy(() -> runner.run(samples.getFirst()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("has not ended");
    }

    @Test
    void otherOutputIsReported() {
        assertReported(GOOD.replace("\n2\n", "\n3\n"), "page.md:9: the page says that it prints '3'");
    }

    @Test
    void missingOutputIsReported() {
        assertReported(GOOD.replace("\n2\n", "\n2\n3\n"), "page.md:10: the page says that it prints '3'");
    }

    @Test
    void extraOutputIsReported() {
        assertReported(GOOD.replace("\n2\n", "\n"), "page.md:8: the page ends here, but it goes on to print '2'");
    }

    @Test
    void ellipsisMatchesAnyText() {
        assertThatCode(() -> run(GOOD.replace("value of a", "value … a"))).doesNotThrowAnyException();
        assertThatCode(() -> run(GOOD.replace("value of a", "value…"))).doesNotThrowAnyException();
        assertReported(GOOD.replace("value of a", "value … b"), "page.md:8");
    }

    @Test
    void unparsableSampleDoesNotPreventOthers() {
        List<Sample> samples =
                SampleReader.samples(Markdown.of("page.md", "```java\nint a = 1\n```\n```java\nfail(\"b\");\n```\n"));
        SampleRunner runner = new SampleRunner(samples, Duration.ofMinutes(1));
        assertThatThrownBy(() -> runner.run(samples.get(0))).hasMessageContaining("';' expected");
        assertThatThrownBy(() -> runner.run(samples.get(1))).hasMessageContaining("page.md:5: java.lang.IllegalState");
    }

    private static void assertReported(String page, String message) {
        assertThatThrownBy(() -> run(page)).isInstanceOf(AssertionError.class).hasMessageContaining(message);
    }

    private static void run(String page) throws Exception {
        List<Sample> samples = SampleReader.samples(Markdown.of("page.md", page));
        SampleRunner runner = new SampleRunner(samples, Duration.ofMinutes(1));
        for (Sample sample : samples) {
            runner.run(sample);
        }
    }
}
