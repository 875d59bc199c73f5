package io.github.kobe.docs;

import io.github.kobe.docs.Markdown.Heading;
import io.github.kobe.docs.Markdown.Prose;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The links of a page to other files of the project. */
final class Links {

    private static final Pattern INLINE_CODE = Pattern.compile("`[^`]*`");
    private static final Pattern LINK = Pattern.compile("\\]\\(\\s*([^)\\s]+)[^)]*\\)|(?:href|src)=\"([^\"]+)\"");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

    private Links() {}

    /** Returns the broken links of the page, with their line numbers. */
    static List<String> broken(Path root, Markdown page) {
        List<String> broken = new ArrayList<>();
        page.all(Prose.class).forEach(prose -> {
            Matcher link = LINK.matcher(INLINE_CODE.matcher(prose.text()).replaceAll(""));
            while (link.find()) {
                String target = link.group(1) == null ? link.group(2) : link.group(1);
                String fault = ELSEWHERE.matcher(target).matches() ? null : fault(root, page, target);
                if (fault != null) {
                    broken.add(page.at(prose.line()) + ": " + fault);
                }
            }
        });
        return broken;
    }

    private static String fault(Path root, Markdown page, String target) {
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        Path here = root.resolve(page.name());
        Path file = path.isEmpty() ? here : here.resolveSibling(path).normalize();
        if (!file.startsWith(root) || !Files.exists(file)) {
            return "there is no " + target;
        }
        if (hash < 0) {
            return null;
        }
        Markdown there = path.isEmpty() ? page : Markdown.of(root, file);
        String anchor = target.substring(hash + 1);
        return anchors(there).contains(anchor) ? null : "there is no heading #" + anchor + " in " + there.name();
    }

    /** Returns the anchors that GitHub makes of headings. */
    static Set<String> anchors(Markdown page) {
        Map<String, Integer> seen = new HashMap<>();
        Set<String> anchors = new HashSet<>();
        page.all(Heading.class).forEach(heading -> {
            String anchor = heading.text()
                    .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{M}\\p{N}_ -]", "")
                    .replace(' ', '-');
            int before = seen.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? anchor : anchor + "-" + before);
        });
        return anchors;
    }
}
