package io.github.kobe.benchmarks;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryManagerMXBean;
import java.util.List;
import java.util.stream.Collectors;

/** The table. */
final class Report {

    private static final int WIDTH = 131;

    private final PrintStream out;

    Report(PrintStream out) {
        this.out = out;
    }

    void head(Effort effort) {
        String collectors = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(MemoryManagerMXBean::getName)
                .collect(Collectors.joining(", "));
        Runtime runtime = Runtime.getRuntime();
        out.printf(
                "%s run on Java %s, %d processors, heap of %d MB, collected by %s%n%n",
                effort.quick() ? "Quick" : "Full",
                Runtime.version(),
                runtime.availableProcessors(),
                runtime.maxMemory() >> 20,
                collectors);
    }

    void progress(String text) {
        out.println("measuring " + text);
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
        long missed = rows.stream().filter(Row::missed).count();
        out.println(missed == 0 ? "All promises are kept." : "Promises missed: " + missed);
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
