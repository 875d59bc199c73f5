package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A table of text cells that can be printed as plain text or as Markdown.
 *
 * @param title the title; may be empty
 * @param head the names of the columns
 * @param lines the cells; each line has as many as the head
 * @param notes sentences below the table
 */
record Table(String title, List<String> head, List<List<String>> lines, List<String> notes) {

    Table {
        head = List.copyOf(head);
        lines = lines.stream().map(List::copyOf).toList();
        notes = List.copyOf(notes);
        for (List<String> line : lines) {
            if (line.size() != head.size()) {
                throw new IllegalArgumentException("line " + line + " does not match head " + head);
            }
        }
    }

    String text() {
        int[] widths = IntStream.range(0, head.size()).map(this::width).toArray();
        List<String> out = new ArrayList<>();
        out.add(title);
        out.add(textLine(head, widths));
        out.add("-".repeat(IntStream.of(widths).sum() + 3 * (widths.length - 1)));
        lines.forEach(line -> out.add(textLine(line, widths)));
        out.addAll(notes);
        return String.join("\n", out) + "\n";
    }

    private int width(int column) {
        return IntStream.concat(
                        IntStream.of(head.get(column).length()),
                        lines.stream().mapToInt(line -> line.get(column).length()))
                .max()
                .orElse(0);
    }

    private static String textLine(List<String> cells, int... widths) {
        return IntStream.range(0, widths.length)
                .mapToObj(i -> String.format("%-" + Math.max(1, widths[i]) + "s", cells.get(i)))
                .collect(Collectors.joining(" | "))
                .stripTrailing();
    }

    String markdown() {
        List<String> out = new ArrayList<>();
        if (!title.isEmpty()) {
            out.add("**" + title + "**");
            out.add("");
        }
        out.add(markdownLine(head));
        out.add("|---".repeat(head.size()) + "|");
        lines.forEach(line -> out.add(markdownLine(line)));
        for (String note : notes) {
            out.add("");
            out.add(note);
        }
        return String.join("\n", out) + "\n";
    }

    private static String markdownLine(List<String> cells) {
        return cells.stream()
                .map(cell -> cell.replace("|", "\\|").replace("<", "&lt;"))
                .collect(Collectors.joining(" | ", "| ", " |"));
    }
}
