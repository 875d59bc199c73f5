package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.docs.Markdown.Fence;
import io.github.kobe.docs.Markdown.Heading;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Do the two READMEs have the same code, headings and tables? */
class TranslationTest {

    private static final Markdown ENGLISH = Pages.page("README.md");
    private static final Markdown CHINESE = Pages.page("README.zh-CN.md");
    private static final Pattern COMMENT = Pattern.compile("\\s*(//|(^|\\s)#\\s).*$");

    @Test
    void codeIsTheSameButForComments() {
        assertThat(code(CHINESE)).isNotEmpty().isEqualTo(code(ENGLISH));
    }

    @Test
    void headingsHaveTheSameNumberAndLevels() {
        assertThat(levels(CHINESE)).isNotEmpty().isEqualTo(levels(ENGLISH));
    }

    @Test
    void tablesHaveTheSameNumberOfRows() {
        assertThat(rows(CHINESE)).isPositive().isEqualTo(rows(ENGLISH));
    }

    private static List<List<String>> code(Markdown page) {
        return page.all(Fence.class)
                .map(fence -> fence.lines().stream()
                        .map(line -> COMMENT.matcher(line).replaceFirst(""))
                        .toList())
                .toList();
    }

    private static List<Integer> levels(Markdown page) {
        return page.all(Heading.class).map(Heading::level).toList();
    }

    private static long rows(Markdown page) {
        return page.all(Markdown.Prose.class)
                .filter(prose -> prose.text().startsWith("|"))
                .count();
    }
}
