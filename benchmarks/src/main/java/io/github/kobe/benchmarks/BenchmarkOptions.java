package io.github.kobe.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The options of the command line.
 *
 * @param help whether to print the help and exit
 * @param length whether the run is quick
 * @param chapters the chapters to measure
 * @param results the file of the report; {@code null} for none
 * @param otherCore the other version of the library to compare with; {@code null} for a normal run
 */
record BenchmarkOptions(
        boolean help,
        RunLength length,
        List<Chapter> chapters,
        @Nullable Path results,
        @Nullable Path otherCore) {

    /** The system property with the default file of the report. The build sets it. */
    static final String RESULTS_PROPERTY = "bench.results";

    /** The system property with the directory that the file of {@code --compare} is relative to. The build sets it. */
    static final String DIRECTORY_PROPERTY = "bench.directory";

    private static final String SEE_HELP = "; --help lists the options";

    BenchmarkOptions {
        chapters = List.copyOf(chapters);
    }

    /**
     * Parses arguments.
     *
     * @param defaultResults the file of the report if all chapters are measured; {@code null} for none
     * @throws IllegalArgumentException if an argument is wrong; the message names it in one line
     */
    static BenchmarkOptions parse(@Nullable String defaultResults, String... args) {
        boolean help = false;
        boolean quick = false;
        List<Chapter> only = new ArrayList<>();
        String results = null;
        String otherCore = null;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--help", "-h" -> help = true;
                case "--quick" -> quick = true;
                case "--only" -> only.addAll(chapters(value(++i, args)));
                case "--results" -> results = value(++i, args);
                case "--compare" -> otherCore = value(++i, args);
                default -> throw new IllegalArgumentException("unknown argument '" + args[i] + "'" + SEE_HELP);
            }
        }
        if (otherCore != null && results != null) {
            throw new IllegalArgumentException("--compare writes no report, so it excludes --results");
        }
        if (otherCore == null && results == null && only.isEmpty()) {
            results = defaultResults; // a partial report replaces a complete one only if --results says so
        }
        return new BenchmarkOptions(
                help,
                new RunLength(quick),
                only.isEmpty() ? Chapter.ALL : only,
                results == null ? null : Path.of(results),
                otherCore == null ? null : Path.of(otherCore));
    }

    private static String value(int i, String... args) {
        if (i >= args.length || args[i].startsWith("--")) {
            throw new IllegalArgumentException("'" + args[i - 1] + "' needs a value after it" + SEE_HELP);
        }
        return args[i];
    }

    private static List<Chapter> chapters(String names) {
        return List.of(names.split(",", -1)).stream()
                .map(name -> Chapter.named(name)
                        .orElseThrow(() -> new IllegalArgumentException("unknown chapter '" + name
                                + "'; the chapters are " + String.join(", ", Chapter.names()))))
                .toList();
    }

    /** Returns the arguments that repeat this run. */
    String arguments() {
        List<String> args = new ArrayList<>();
        if (length.quick()) {
            args.add("--quick");
        }
        if (!chapters.equals(Chapter.ALL)) {
            args.add("--only "
                    + String.join(",", chapters.stream().map(Chapter::name).toList()));
        }
        return String.join(" ", args);
    }

    static String usage() {
        StringBuilder text = new StringBuilder("""
                Measures what the project promises, compares the library with other libraries, and shows how costs grow.

                  --quick             takes under two minutes instead of fifteen, but is less exact
                  --only NAME[,NAME]  measures these chapters only; writes a report only with --results
                  --results FILE      the file of the report; charts go into the same directory
                  --compare PATH      compares this version of the library with the one in PATH, a jar or a directory of
                                      classes; prints a ratio for each workload of the chapters
                  --help              prints this text

                Exit codes: 0 if all promises are kept, 1 if one is missed or could not be measured, 2 if an argument is wrong.
                Chapters:

                """);
        Chapter.ALL.forEach(
                chapter -> text.append(String.format(Locale.ROOT, "  %-14s %s%n", chapter.name(), chapter.title())));
        return text.toString();
    }
}
