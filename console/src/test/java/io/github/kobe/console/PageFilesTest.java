package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Are the files of the page safe to serve under any path, and is everything on the page text? */
class PageFilesTest {

    private static String file(String name) {
        try (InputStream in = Console.class.getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A link that begins with a slash would leave the path of the console. */
    @Test
    void allLinksAreRelative() {
        assertThat(Pattern.compile("(?:src|href|action)=\"([^\"]*)\"")
                        .matcher(file("console.html"))
                        .results()
                        .map(MatchResult::group)
                        .toList())
                .isNotEmpty()
                .allMatch(link -> link.matches("(src|href)=\"(console\\.(js|css)|data:image/svg.*)\""));
        assertThat(Pattern.compile("(?:fetch|send)\\((?:path, )?'([^']*)'")
                        .matcher(file("console.js"))
                        .results()
                        .map(result -> result.group(1))
                        .toList())
                .isNotEmpty()
                .allMatch(address -> address.startsWith("api/"));
        assertThat(file("console.css")).doesNotContain("url(", "@import");
    }

    @Test
    void nothingIsLoadedFromAnotherHost() {
        assertThat(file("console.js").replace("http://www.w3.org/2000/svg", ""))
                .doesNotContain("http:", "https:", "//cdn");
        assertThat(file("console.html").replace("http://www.w3.org/2000/svg", ""))
                .doesNotContain("http:", "https:");
    }

    @Test
    void scriptsAndStylesAreInTheirOwnFiles() {
        assertThat(file("console.html"))
                .doesNotContainPattern("<script(?![^>]*src=)")
                .doesNotContainPattern("<style")
                .doesNotContainPattern("\\sstyle=")
                .doesNotContainPattern("\\son[a-z]+=");
    }

    @Test
    void textOfOthersReachesThePageAsText() {
        assertThat(file("console.js"))
                .contains("textContent")
                .doesNotContain(
                        "innerHTML",
                        "outerHTML",
                        "insertAdjacentHTML",
                        "document.write",
                        "eval(",
                        "new Function",
                        "DOMParser",
                        "setHTML",
                        "createContextualFragment",
                        "javascript:",
                        "import(",
                        "srcdoc")
                .doesNotContainPattern("setTimeout\\(['\"`]");
    }

    @Test
    void pageSaysWhereHistoryBelongs() {
        assertThat(file("console.html")).contains("For history, use the metrics for Prometheus.");
    }
}
