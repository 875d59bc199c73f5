package io.github.kobe.demo;

import java.util.ArrayList;
import java.util.List;

/** What came of it, by kind and side, and one sentence. Depends on nothing but its arguments. */
final class VerdictTable {

    private static final int WIDTH = 76;

    private final Scenario scenario;
    private final Style style;

    VerdictTable(Scenario scenario, Style style) {
        this.scenario = scenario;
        this.style = style;
    }

    List<String> lines(Outcome outcome) {
        List<String> lines = new ArrayList<>();
        Words words = scenario.words();
        lines.add("");
        lines.add(style.dim(row(words.measure(), "count", "p50", "p99", "max", words.extra())));
        for (String kind : outcome.kinds()) {
            lines.add(style.bold("  " + kind));
            lines.add(side(outcome.plain(), kind));
            lines.add(side(outcome.ours(), kind));
        }
        lines.add("");
        wrap(scenario.verdict(outcome)).forEach(line -> lines.add("  " + style.bold(line)));
        scenario.broken(outcome.ours()).forEach(promise -> lines.add("  " + style.red("BROKEN: " + promise)));
        if (open(outcome) > 0) {
            lines.add("");
            lines.add(style.dim("  " + Format.count(open(outcome))
                    + " were not over at the end; they count with their time so far."));
        }
        return lines;
    }

    private String side(SideOutcome side, String kind) {
        Waits waits = side.waits(kind);
        return row(
                "  " + side.title(),
                Format.count(waits.count()),
                Format.millis(waits.p50()),
                Format.millis(waits.p99()),
                Format.millis(waits.max()),
                scenario.extra(side.of(kind)));
    }

    private static String row(String name, String count, String p50, String p99, String max, String extra) {
        return Format.text("  %-22s %8s %9s %9s %9s %13s", name, count, p50, p99, max, extra);
    }

    private static long open(Outcome outcome) {
        return outcome.sides().stream()
                .flatMap(side -> side.rows().stream())
                .flatMap(row -> row.samples().stream())
                .filter(sample -> !sample.settled())
                .count();
    }

    /** Lines of words, where a number and its unit are one word. */
    static List<String> wrap(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" (?!(ms|s|%)\\b|%)", -1)) {
            if (line.length() + 1 + word.length() > WIDTH) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
