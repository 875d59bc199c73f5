package io.github.kobe.benchmarks;

import java.io.PrintStream;
import java.util.List;

/** Prints progress and results to the console. */
final class ConsoleReport {

    private final PrintStream out;

    ConsoleReport(PrintStream out) {
        this.out = out;
    }

    void head(RunLength length) {
        out.printf("%s run: %s%n%n", length.name(), Machine.current().description());
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

    /** Prints rows with a promise first, then those for information. */
    void rows(List<Row> rows) {
        List<Row> promised = rows.stream().filter(row -> row.promise() != null).toList();
        List<Row> others = rows.stream().filter(row -> row.promise() == null).toList();
        if (!promised.isEmpty()) {
            text(Row.table("Promises", promised).text());
        }
        if (!others.isEmpty()) {
            text(Row.table("For information", others).text());
        }
        out.println(
                "Medians over the rounds, with the middle half of the rounds in brackets. 1.20x is 20 % faster than what the row");
        out.println("compares with. Rows in ms are absolute times: they depend on the machine.");
        List<Row> missed = rows.stream().filter(Row::missed).toList();
        out.println(missed.isEmpty() ? "All promises are kept." : "Promises missed: " + missed.size());
        missed.forEach(row -> out.println("  " + row.miss()));
        out.flush();
    }
}
