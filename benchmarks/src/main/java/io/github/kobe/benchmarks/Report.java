package io.github.kobe.benchmarks;

import java.io.PrintStream;
import java.util.List;

/** What a run says in the terminal. */
final class Report {

    private static final int WIDTH = 131;

    private final PrintStream out;

    Report(PrintStream out) {
        this.out = out;
    }

    void head(Effort effort) {
        out.printf("%s run: %s%n%n", effort.name(), Machine.here().text());
    }

    void progress(String text) {
        out.println("measuring " + text);
        out.flush();
    }

    void text(String text) {
        out.println();
        out.println(text);
        out.flush();
    }

    void table(List<Row> rows) {
        out.println();
        line("figure", "seed-like", "ours", "promised", "verdict");
        out.println("-".repeat(WIDTH));
        rows.stream().filter(row -> row.promise() != null).forEach(this::line);
        out.println("-".repeat(WIDTH));
        rows.stream().filter(row -> row.promise() == null).forEach(this::line);
        out.println();
        out.println(
                "Medians over the rounds, with the middle half of the rounds in brackets. 1.20x is a fifth faster than");
        out.println("what the line compares with. Lines in ms are absolute times: they say as much about the machine.");
        List<Row> missed = rows.stream().filter(Row::missed).toList();
        out.println(missed.isEmpty() ? "All promises are kept." : "Promises missed: " + missed.size());
        missed.forEach(row -> out.println("  " + row.miss()));
        out.flush();
    }

    private void line(Row row) {
        Spread seedLike = row.seedLike();
        line(
                row.figure(),
                seedLike == null ? "" : row.unit().text(seedLike),
                row.unit().text(row.ours()),
                row.promised(),
                row.verdict());
    }

    private void line(String figure, String seedLike, String ours, String promised, String verdict) {
        out.println(String.format("%-60s | %-23s | %-20s | %-10s | %s", figure, seedLike, ours, promised, verdict)
                .stripTrailing());
    }
}
