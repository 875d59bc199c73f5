package io.github.kobe.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The report as a Markdown page with charts in the same directory. */
record MarkdownReport(BenchmarkOptions options, Machine machine, Map<Chapter, ChapterResult> results, long seconds) {

    private static final String COMMAND = "mvn -q test-compile exec:exec -pl benchmarks -am";

    void write(Path file) throws IOException {
        Files.writeString(file, text(LocalDate.now(ZoneOffset.UTC)));
        for (ChapterResult result : results.values()) {
            for (Map.Entry<String, String> chart : result.charts().entrySet()) {
                Files.writeString(file.resolveSibling(chart.getKey()), chart.getValue());
            }
        }
    }

    String text(LocalDate date) {
        StringBuilder page = new StringBuilder(
                "# Results\n\nWritten by the command below. [What is measured and how to read it](README.md).\n\n");
        page.append("```sh\n").append(command()).append("\n```\n\n");
        page.append("%s run of %d s on %s: %s.%n%n"
                .formatted(options.length().name(), seconds, date, machine.description()));
        page.append(summary());
        results.forEach((chapter, result) -> page.append(section(chapter, result)));
        return page.toString().replace(System.lineSeparator(), "\n");
    }

    private String command() {
        String args = options.arguments();
        return args.isEmpty() ? COMMAND : COMMAND + " -Dbench.args=\"" + args + "\"";
    }

    private String summary() {
        List<Row> promised = results.values().stream()
                .flatMap(result -> result.rows().stream())
                .filter(row -> row.promise() != null)
                .toList();
        List<Row> missed = promised.stream().filter(Row::missed).toList();
        if (missed.isEmpty()) {
            return "All " + promised.size() + " promises are kept.\n";
        }
        StringBuilder text =
                new StringBuilder("%d of %d promises are missed:%n%n".formatted(missed.size(), promised.size()));
        missed.forEach(row -> text.append("- ").append(row.miss()).append('\n'));
        return text.toString();
    }

    private static String section(Chapter chapter, ChapterResult result) {
        List<String> parts = new ArrayList<>();
        if (result.failure() != null) {
            parts.add("Could not be measured: " + result.failure() + "\n");
        }
        if (!result.rows().isEmpty()) {
            parts.add(Row.table("", result.rows()).markdown());
        }
        result.tables().forEach(table -> parts.add(table.markdown()));
        result.charts().keySet().forEach(name -> parts.add("![" + chapter.title() + "](" + name + ")\n"));
        if (parts.isEmpty()) {
            return "";
        }
        return "\n## " + capitalize(chapter.title()) + "\n\n" + String.join("\n", parts);
    }

    private static String capitalize(String title) {
        return title.substring(0, 1).toUpperCase(Locale.ROOT) + title.substring(1);
    }
}
