package io.github.kobe.soak;

import java.time.Duration;
import java.util.Map;

/** The page at the end. */
final class Summary {

    private static final int COLUMNS = 2;

    private Summary() {}

    static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    static long checks(Recorder book) {
        long sum = 0;
        for (Check check : Check.values()) {
            sum += book.checks(check);
        }
        return sum;
    }

    static String of(Recorder book, Options options, SoakRun.Result outcome) {
        StringBuilder page = new StringBuilder();
        Duration time = outcome.time();
        page.append(String.format(
                "%nSoak: seed %d, %d min %d s, %d rounds%n",
                options.seed(), time.toMinutes(), time.toSecondsPart(), outcome.rounds()));
        table(page, "Operations", book.operations());
        table(page, "Ends", book.ends());
        promises(page, book);
        page.append(String.format("%nBefore  %s%nAfter   %s%n", outcome.before(), outcome.after()));
        for (Violation violation : book.violations()) {
            page.append("\nVIOLATION ").append(violation).append('\n');
        }
        page.append(String.format("%nViolations: %d%n", book.violationCount()));
        return page.toString();
    }

    private static void table(StringBuilder page, String title, Map<String, Long> counts) {
        page.append(String.format("%n%s: %,d%n", title, sum(counts)));
        int column = 0;
        for (Map.Entry<String, Long> count : counts.entrySet()) {
            column = column % COLUMNS + 1;
            page.append(String.format("  %-40s %,12d", count.getKey(), count.getValue()));
            page.append(column == COLUMNS ? "\n" : "  ");
        }
        page.append(column == COLUMNS || column == 0 ? "" : "\n");
    }

    private static void promises(StringBuilder page, Recorder book) {
        page.append(String.format("%nPromises: %,d checks%n", checks(book)));
        for (Promise promise : Promise.values()) {
            long broken = 0;
            long checked = 0;
            StringBuilder lines = new StringBuilder();
            for (Check check : Check.values()) {
                if (check.promise() == promise) {
                    broken += book.broken(check);
                    checked += book.checks(check);
                    lines.append(String.format("      %-70s %,12d%n", check.text(), book.checks(check)));
                }
            }
            page.append(String.format(
                    "  %-74s %,12d  %s%n",
                    promise.text(), checked, broken == 0 ? "held" : "BROKEN " + broken + " times"));
            page.append(lines);
        }
    }
}
