package io.github.kobe.demo;

import java.util.ArrayList;
import java.util.List;

/** Formats the result: a table by kind of source and executor, and one sentence. The result depends on the arguments alone. */
final class VerdictTable {

    private static final int WIDTH = 76;

    private final Scenario scenario;
    private final Style style;

    VerdictTable(Scenario scenario, Style style) {
        this.scenario = scenario;
        this.style = style;
    }

    List<String> lines(RunResult result) {
        List<String> lines = new ArrayList<>();
        Labels labels = scenario.labels();
        lines.add("");
        lines.add(style.dim(row(labels.waitTime(), "count", "p50", "p99", "max", labels.extra())));
        for (String kind : result.kinds()) {
            lines.add(style.bold("  " + kind));
            lines.add(executor(result.plain(), kind));
            lines.add(executor(result.library(), kind));
        }
        lines.add("");
        wrap(scenario.verdict(result)).forEach(line -> lines.add("  " + style.bold(line)));
        scenario.brokenPromises(result.library()).forEach(promise -> lines.add("  " + style.red("BROKEN: " + promise)));
        if (result.unfinished() > 0) {
            lines.add("");
            lines.add(style.dim("  " + Format.count(result.unfinished())
                    + " were still waiting at the end; they count with their time so far."));
        }
        return lines;
    }

    private String executor(ExecutorResult executor, String kind) {
        WaitStatistics waits = executor.waits(kind);
        return row(
                "  " + executor.title(),
                Format.count(waits.count()),
                Format.millis(waits.p50()),
                Format.millis(waits.p99()),
                Format.millis(waits.max()),
                scenario.extra(executor.ofKind(kind)));
    }

    private static String row(String name, String count, String p50, String p99, String max, String extra) {
        return Format.text("  %-22s %8s %9s %9s %9s %13s", name, count, p50, p99, max, extra);
    }

    /** Breaks a text into lines. A number and its unit stay on one line. */
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
