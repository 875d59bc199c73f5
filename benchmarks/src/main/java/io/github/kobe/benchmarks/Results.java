package io.github.kobe.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The report as a Markdown page, with charts beside it. */
record Results(Options options, Machine machine, Map<Chapter, Findings> found, long seconds) {

    private static final String COMMAND = "mvn -q compile exec:exec -pl benchmarks -am";

    void write(Path file) throws IOException {
        Files.writeString(file, markdown(LocalDate.now(ZoneOffset.UTC)));
        for (Findings findings : found.values()) {
            for (Map.Entry<String, String> chart : findings.charts().entrySet()) {
                Files.writeString(file.resolveSibling(chart.getKey()), chart.getValue());
            }
        }
    }

    String markdown(LocalDate date) {
        StringBuilder page = new StringBuilder(
                "# Results\n\nWritten by the command below; [what is measured and how to read it](README.md).\n\n");
        page.append("```sh\n").append(command()).append("\n```\n\n");
        page.append("%s run of %d s on %s: %s.%n%n".formatted(options.effort().name(), seconds, date, machine.text()));
        page.append(verdict());
        found.forEach((chapter, findings) -> page.append(section(chapter, findings)));
        return page.toString().replace(System.lineSeparator(), "\n");
    }

    private String command() {
        String args = options.arguments();
        return args.isEmpty() ? COMMAND : COMMAND + " -Dbench.args=\"" + args + "\"";
    }

    private String verdict() {
        List<Row> promised = found.values().stream()
                .flatMap(findings -> findings.rows().stream())
                .filter(row -> row.promise() != null)
                .toList();
        List<Row> missed = promised.stream().filter(Row::missed).toList();
        if (missed.isEmpty()) {
            return "All " + promised.size() + " promised figures are reached.\n";
        }
        StringBuilder text = new StringBuilder(
                "%d of %d promised figures are missed:%n%n".formatted(missed.size(), promised.size()));
        missed.forEach(row -> text.append("- ").append(row.miss()).append('\n'));
        return text.toString();
    }

    private static String section(Chapter chapter, Findings findings) {
        List<String> parts = new ArrayList<>();
        if (findings.failure() != null) {
            parts.add("Could not be measured: " + findings.failure() + "\n");
        }
        if (!findings.rows().isEmpty()) {
            parts.add(table(findings.rows()).markdown());
        }
        findings.tables().forEach(table -> parts.add(table.markdown()));
        findings.charts().keySet().forEach(name -> parts.add("![" + chapter.title() + "](" + name + ")\n"));
        if (parts.isEmpty()) {
            return "";
        }
        return "\n## " + upper(chapter.title()) + "\n\n" + String.join("\n", parts);
    }

    private static Table table(List<Row> rows) {
        boolean compared = rows.stream().anyMatch(row -> row.seedLike() != null);
        List<String> head = new ArrayList<>(List.of("figure", "ours", "promised", "verdict"));
        if (compared) {
            head.add(1, "seed-like");
        }
        return new Table(
                "", head, rows.stream().map(row -> cells(row, compared)).toList(), List.of());
    }

    private static List<String> cells(Row row, boolean compared) {
        List<String> cells =
                new ArrayList<>(List.of(row.figure(), row.unit().text(row.ours()), row.promised(), row.verdict()));
        if (compared) {
            cells.add(1, text(row.unit(), row.seedLike()));
        }
        return cells;
    }

    private static String text(Unit unit, @Nullable Spread spread) {
        return spread == null ? "" : unit.text(spread);
    }

    private static String upper(String title) {
        return title.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + title.substring(1);
    }
}
