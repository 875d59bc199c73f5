package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Is all Java on a page found, with the directives in comments? */
class SampleReaderTest {

    @Test
    void everyJavaBlockIsOneSample() {
        Markdown page = page("""
                # Title
                ```java
                int a = 1;
                ```
                ```sh
                mvn verify
                ```
                ````java
                String fence = "```";
                ````
                """);

        assertThat(SampleReader.samples(page)).extracting(Sample::where).containsExactly("page.md:3", "page.md:9");
    }

    @Test
    void hiddenJavaIsPrependedToTheNextBlock() {
        Markdown page = page("""
                <!-- sample
                int a = 1;
                -->
                ```java
                int b = a;
                ```
                """);

        Sample sample = SampleReader.samples(page).getFirst();
        assertThat(sample.source()).contains("int a = 1;\nint b = a;\n");
        assertThat(sample.where()).isEqualTo("page.md:5");
    }

    @Test
    void continuedBlocksAreOneSample() {
        Markdown page = page("""
                ```java
                int a = 1;
                ```
                and then
                <!-- sample: goes on -->
                ```java
                int b = a;
                ```
                """);

        assertThat(SampleReader.samples(page))
                .singleElement()
                .satisfies(sample -> assertThat(sample.source()).contains("int a = 1;\nint b = a;\n"));
    }

    @Test
    void shownBlocksAreNotSamples() {
        Markdown page = page("""
                <!-- sample: shown -->
                ```java
                Somebody.elses();
                ```
                """);

        assertThat(SampleReader.samples(page)).isEmpty();
        assertThat(SampleReader.shown(page)).hasSize(1);
    }

    @Test
    void partsOfAnExampleAreNotSamples() {
        Markdown page = page("""
                <!-- sample: part of examples/spring-boot -->
                ```yaml
                server: {}
                ```
                <!-- sample: part of examples/spring-boot -->
                ```java
                @Async void create() {}
                ```
                """);

        assertThat(SampleReader.samples(page)).isEmpty();
        assertThat(SampleReader.compiledElsewhere(page)).hasSize(1);
    }

    @Test
    void otherCommentsAreIgnored() {
        assertThat(SampleReader.samples(page("<!-- ci:test -->\n```sh\nmvn verify\n```\n")))
                .isEmpty();
    }

    @Test
    void unknownDirectivesAreReportedWithTheirLineNumber() {
        assertThatThrownBy(() -> SampleReader.samples(page("\n<!-- sample: skip -->\n```java\nint a;\n```\n")))
                .hasMessageContaining("page.md:2")
                .hasMessageContaining("sample: skip");
    }

    @Test
    void directivesWithoutABlockAreReportedWithTheirLineNumber() {
        assertThatThrownBy(
                        () -> SampleReader.samples(page("```java\nint a;\n```\n<!-- sample: goes on -->\nno block\n")))
                .hasMessageContaining("page.md:4");
        assertThatThrownBy(() -> SampleReader.samples(page("<!-- sample\nint a;\n-->\nno block\n")))
                .hasMessageContaining("page.md:1");
        assertThatThrownBy(() -> SampleReader.samples(page("<!-- sample: prints -->\n```text\n1\n```\n")))
                .hasMessageContaining("page.md:1");
    }

    @Test
    void unterminatedBlockIsReportedWithItsLineNumber() {
        assertThatThrownBy(() -> page("text\n```java\nint a;\n")).hasMessageContaining("page.md:2");
    }

    private static Markdown page(String text) {
        return Markdown.of("page.md", text);
    }
}
