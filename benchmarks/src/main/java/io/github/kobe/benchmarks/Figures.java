package io.github.kobe.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures what the project promises, compares it with what else there is, looks at how cost grows, and writes it all down. Says for each
 * promise whether it is kept.
 */
public final class Figures {

    private static final int MISSED = 1;
    private static final int WRONG_ARGUMENT = 2;

    private final Options options;
    private final Report report = new Report(System.out);

    private Figures(Options options) {
        this.options = options;
    }

    public static void main(String[] args) throws InterruptedException {
        System.exit(run(args));
    }

    private static int run(String... args) throws InterruptedException {
        Options options;
        try {
            options = Options.parse(System.getProperty(Options.RESULTS), args);
        } catch (IllegalArgumentException e) {
            System.err.println("figures: " + e.getMessage());
            return WRONG_ARGUMENT;
        }
        if (options.help()) {
            System.out.print(Options.usage());
            return 0;
        }
        return new Figures(options).run() ? 0 : MISSED;
    }

    private boolean run() throws InterruptedException {
        report.head(options.effort());
        Map<Chapter, Findings> found = new LinkedHashMap<>();
        long start = System.nanoTime();
        for (Chapter chapter : options.chapters()) {
            report.progress(chapter.title());
            found.put(chapter, measured(chapter));
        }
        long seconds = (System.nanoTime() - start) / 1_000_000_000;
        List<Row> rows =
                found.values().stream().flatMap(each -> each.rows().stream()).toList();
        found.values().forEach(each -> each.tables().forEach(table -> report.text(table.text())));
        report.table(rows);
        write(found, seconds);
        return found.values().stream().allMatch(Findings::good);
    }

    /** A task that somebody lost ends a chapter, but not the run. */
    private Findings measured(Chapter chapter) throws InterruptedException {
        try {
            return chapter.measurement().measure(options.effort());
        } catch (RuntimeException e) {
            report.text("could not measure " + chapter.title() + ": " + e.getMessage());
            return Findings.failed(String.valueOf(e.getMessage()));
        }
    }

    private void write(Map<Chapter, Findings> found, long seconds) {
        if (options.results() == null) {
            return;
        }
        try {
            new Results(options, Machine.here(), found, seconds).write(options.results());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + options.results(), e);
        }
        report.text("Written to " + options.results());
    }
}
