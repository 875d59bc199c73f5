package io.github.kobe.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the figures were asked for.
 *
 * @param chapters what to measure
 * @param results where to write the report; {@code null} for nowhere
 */
record Options(
        boolean help,
        Effort effort,
        List<Chapter> chapters,
        @Nullable Path results) {

    /** Set by the build to where the report belongs. */
    static final String RESULTS = "bench.results";

    private static final String SEE_HELP = "; --help says what there is";

    Options {
        chapters = List.copyOf(chapters);
    }

    /** @throws IllegalArgumentException with one line that says what is wrong */
    static Options parse(@Nullable String results, String... args) {
        boolean help = false;
        boolean quick = false;
        List<Chapter> only = new ArrayList<>();
        String file = null;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--help", "-h" -> help = true;
                case "--quick" -> quick = true;
                case "--only" -> only.addAll(chapters(value(++i, args)));
                case "--results" -> file = value(++i, args);
                default -> throw new IllegalArgumentException("unknown argument '" + args[i] + "'" + SEE_HELP);
            }
        }
        if (file == null && only.isEmpty()) {
            file = results; // part of a report is not to take the place of a whole one unless asked to
        }
        return new Options(
                help, new Effort(quick), only.isEmpty() ? Chapter.ALL : only, file == null ? null : Path.of(file));
    }

    private static String value(int i, String... args) {
        if (i >= args.length || args[i].startsWith("--")) {
            throw new IllegalArgumentException("nothing after '" + args[i - 1] + "'" + SEE_HELP);
        }
        return args[i];
    }

    private static List<Chapter> chapters(String names) {
        return List.of(names.split(",", -1)).stream()
                .map(name -> Chapter.named(name)
                        .orElseThrow(() -> new IllegalArgumentException(
                                "unknown chapter '" + name + "'; there are " + String.join(", ", Chapter.names()))))
                .toList();
    }

    /** The arguments that lead here again. */
    String arguments() {
        List<String> args = new ArrayList<>();
        if (effort.quick()) {
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
                Measures what the project promises, compares it with what else there is, and looks at how cost grows.

                  --quick             under two minutes instead of fifteen: a first impression
                  --only NAME[,NAME]  these chapters alone; writes no report unless told where
                  --results FILE      where the report goes; charts go beside it
                  --help              this

                Ends with 0 if all promises are kept, 1 if one is missed, 2 if an argument is wrong. Chapters:

                """);
        Chapter.ALL.forEach(chapter -> text.append(String.format("  %-14s %s%n", chapter.name(), chapter.title())));
        return text.toString();
    }
}
