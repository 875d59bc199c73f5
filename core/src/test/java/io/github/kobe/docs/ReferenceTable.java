package io.github.kobe.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The table of settings under a heading of the reference. */
final class ReferenceTable {

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /**
     * A row of the table.
     *
     * @param settings the words in the first column
     * @param defaults the text of the second column
     */
    record Row(List<String> settings, String defaults) {}

    private ReferenceTable() {}

    static List<Row> rows(String section) {
        List<Row> rows = new ArrayList<>();
        boolean inside = false;
        for (Markdown.Part part : Pages.page("docs/guide/reference.md").parts()) {
            if (part instanceof Markdown.Heading heading) {
                inside = heading.text().equals(section);
            } else if (inside
                    && part instanceof Markdown.Prose prose
                    && prose.text().startsWith("| `")) {
                rows.add(row(prose.text().split("\\|", -1)));
            }
        }
        return rows.subList(1, rows.size()); // without the header
    }

    private static Row row(String... cells) {
        return new Row(
                CODE.matcher(cells[1])
                        .results()
                        .map((MatchResult word) -> word.group(1))
                        .toList(),
                cells[2].strip());
    }
}
