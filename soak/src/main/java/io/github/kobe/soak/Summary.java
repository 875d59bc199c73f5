package io.github.kobe.soak;

import java.time.Duration;
import java.util.Map;

/** Formats the summary that is printed at the end. */
final class Summary {

    private static final int COLUMNS = 2;

    private Summary() {}

    static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    static String of(CheckRecorder recorder, SoakOptions options, SoakRun.Result result) {
        StringBuilder text = new StringBuilder();
        Duration time = result.time();
        text.append(String.format(
                "%nSoak: seed %d, %d min %d s, %d rounds%n",
                options.seed(), time.toMinutes(), time.toSecondsPart(), result.rounds()));
        appendTable(text, "Operations", recorder.operations());
        appendTable(text, "Outcomes", recorder.outcomes());
        appendPromises(text, recorder);
        text.append(String.format("%nBefore  %s%nAfter   %s%n", result.before(), result.after()));
        for (Violation violation : recorder.violations()) {
            text.append("\nVIOLATION ").append(violation).append('\n');
        }
        text.append(String.format("%nViolations: %d%n", recorder.violationCount()));
        return text.toString();
    }

    private static void appendTable(StringBuilder text, String title, Map<String, Long> counts) {
        text.append(String.format("%n%s: %,d%n", title, sum(counts)));
        int column = 0;
        for (Map.Entry<String, Long> count : counts.entrySet()) {
            column = column % COLUMNS + 1;
            text.append(String.format("  %-40s %,12d", count.getKey(), count.getValue()));
            text.append(column == COLUMNS ? "\n" : "  ");
        }
        text.append(column == COLUMNS || column == 0 ? "" : "\n");
    }

    private static void appendPromises(StringBuilder text, CheckRecorder recorder) {
        text.append(String.format("%nPromises: %,d checks%n", recorder.checkCount()));
        for (Promise promise : Promise.values()) {
            long violations = 0;
            long checks = 0;
            StringBuilder rows = new StringBuilder();
            for (Check check : Check.values()) {
                if (check.promise() == promise) {
                    violations += recorder.violationCount(check);
                    checks += recorder.checkCount(check);
                    rows.append(String.format("      %-70s %,12d%n", check.text(), recorder.checkCount(check)));
                }
            }
            text.append(String.format(
                    "  %-74s %,12d  %s%n",
                    promise.text(), checks, violations == 0 ? "held" : "BROKEN " + violations + " times"));
            text.append(rows);
        }
    }
}
