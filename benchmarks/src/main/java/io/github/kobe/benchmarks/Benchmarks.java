package io.github.kobe.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measures what the project promises, compares the library with other libraries, shows how costs grow, and writes a report. It says for
 * each promise whether it is kept. With {@code --compare} it compares two versions of the library instead.
 */
public final class Benchmarks {

    private static final int OK = 0;
    private static final int FAILED = 1;
    private static final int WRONG_ARGUMENT = 2;

    private final BenchmarkOptions options;
    private final ConsoleReport report = new ConsoleReport(System.out);

    private Benchmarks(BenchmarkOptions options) {
        this.options = options;
    }

    public static void main(String[] args) throws InterruptedException {
        System.exit(run(args));
    }

    /** Returns the exit code. */
    private static int run(String... args) throws InterruptedException {
        BenchmarkOptions options;
        CoreComparison comparison;
        try {
            options = BenchmarkOptions.parse(System.getProperty(BenchmarkOptions.RESULTS_PROPERTY), args);
            comparison = comparison(options);
        } catch (IllegalArgumentException e) {
            System.err.println("benchmarks: " + e.getMessage());
            return WRONG_ARGUMENT;
        }
        if (options.help()) {
            System.out.print(BenchmarkOptions.usage());
            return OK;
        }
        boolean passed = comparison == null ? new Benchmarks(options).measure() : comparison.run(options.chapters());
        return passed ? OK : FAILED;
    }

    private static @Nullable CoreComparison comparison(BenchmarkOptions options) {
        Path otherCore = options.otherCore();
        if (otherCore == null) {
            return null;
        }
        Path directory = Path.of(System.getProperty(BenchmarkOptions.DIRECTORY_PROPERTY, ""));
        return new CoreComparison(
                directory.resolve(otherCore).toAbsolutePath().normalize(),
                options.length(),
                new ConsoleReport(System.out));
    }

    private boolean measure() throws InterruptedException {
        report.head(options.length());
        Map<Chapter, ChapterResult> results = new LinkedHashMap<>();
        long start = System.nanoTime();
        for (Chapter chapter : options.chapters()) {
            report.progress(chapter.title());
            results.put(chapter, measure(chapter));
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        List<Row> rows = results.values().stream()
                .flatMap(result -> result.rows().stream())
                .toList();
        results.values().forEach(result -> result.tables().forEach(table -> report.text(table.text())));
        report.rows(rows);
        write(results, seconds);
        return results.values().stream().allMatch(ChapterResult::passed);
    }

    /** A lost task fails its chapter but not the run. */
    private ChapterResult measure(Chapter chapter) throws InterruptedException {
        try {
            return chapter.measurement().measure(options.length());
        } catch (RuntimeException e) {
            report.text("could not measure " + chapter.title() + ": " + e.getMessage());
            return ChapterResult.failed(String.valueOf(e.getMessage()));
        }
    }

    private void write(Map<Chapter, ChapterResult> results, long seconds) {
        Path file = options.results();
        if (file == null) {
            return;
        }
        try {
            new MarkdownReport(options, Machine.current(), results, seconds).write(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
        report.text("Written to " + file);
    }
}
