package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Do all links between pages have a target? */
class LinksTest {

    @Test
    void everyLinkHasATarget() throws IOException {
        assertThat(Pages.all()).extracting(Markdown::name).contains("README.md", "docs/adr/README.md");
        assertThat(Pages.all().stream().flatMap(page -> Links.broken(Pages.ROOT, page).stream()))
                .isEmpty();
    }

    @Test
    void allGuidesAreLinkedFromTheIndex() throws IOException {
        String index = Files.readString(Pages.ROOT.resolve("docs/guide/README.md"));
        assertThat(Pages.all())
                .extracting(Markdown::name)
                .filteredOn(name -> name.matches("docs/guide/(?!README).*"))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(index).contains("(" + name.replace("docs/guide/", "") + ")"));
    }

    @Test
    void brokenLinksAreReportedWithTheirLineNumber(@TempDir Path root) throws IOException {
        Files.writeString(root.resolve("b.md"), "# One `two`, three\n## Again\n## Again\n## 中文 标题\n");
        Markdown page = Markdown.of("a.md", """
                [fine](b.md) [fine](b.md#one-two-three) [fine](b.md#again-1) [fine](b.md#中文-标题) [far](https://example.org/x)
                [gone](c.md), ![gone](c.svg)
                [no heading](b.md#two)
                `[code](d.md)`
                ```text
                [block](e.md)
                ```
                [outside](../x.md)
                """);

        assertThat(Links.broken(root, page))
                .containsExactly(
                        "a.md:2: there is no c.md",
                        "a.md:2: there is no c.svg",
                        "a.md:3: there is no heading #two in b.md",
                        "a.md:8: there is no ../x.md");
    }
}
