package io.github.kobe.demo;

import java.util.List;

/** Builds parts of an HTML page. The page is well-formed XML as well. */
final class Html {

    private Html() {}

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** Returns a table row. The first {@code leftAligned} cells are aligned left, the others right. */
    static String row(String tag, List<String> texts, int leftAligned) {
        StringBuilder row = new StringBuilder("<tr>");
        for (int i = 0; i < texts.size(); i++) {
            String align = i < leftAligned ? "" : " class=\"n\"";
            row.append(Format.text("<%s%s>%s</%s>", tag, align, escape(texts.get(i)), tag));
        }
        return row.append("</tr>\n").toString();
    }

    static String table(List<String> heads, List<List<String>> rows, int leftAligned) {
        StringBuilder table = new StringBuilder("<div class=\"wide\"><table>\n<thead>");
        table.append(row("th", heads, leftAligned)).append("</thead>\n<tbody>\n");
        rows.forEach(row -> table.append(row("td", row, leftAligned)));
        return table.append("</tbody>\n</table></div>\n").toString();
    }
}
