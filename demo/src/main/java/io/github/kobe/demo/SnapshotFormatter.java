package io.github.kobe.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Formats a snapshot as lines of less than 80 columns. The result depends on the arguments alone. */
final class SnapshotFormatter {

    static final int WIDTH = 78;

    private static final int NAME_WIDTH = 10;
    private static final int RUNNING_BAR_WIDTH = 5;
    private static final int PENDING_BAR_WIDTH = 8;
    private static final int EXECUTOR_WIDTH = 32;
    private static final int PROGRESS_BAR_WIDTH = 50;
    private static final double MILLIS_PER_SECOND = 1000;

    /** A wait of more than this many times a good one is shown in red. */
    private static final int BAD_FACTOR = 10;

    private final Scenario scenario;
    private final String title;
    private final Style style;

    SnapshotFormatter(Scenario scenario, Duration length, long seed, Style style) {
        this.scenario = scenario;
        this.style = style;
        String left = "group-concurrency " + style.dot() + " " + scenario.name();
        String right = Format.text("%d s %s seed %d", length.toSeconds(), style.dot(), seed);
        int gap = Math.max(1, WIDTH - 2 - left.length() - right.length());
        this.title = "  " + style.bold(left) + " ".repeat(gap) + style.dim(right);
    }

    /** Returns the lines to show until the first snapshot. */
    List<String> warmUpLines() {
        return List.of("", title, "  " + scenario.summary(), "", style.dim("  warming up ..."));
    }

    List<String> lines(Snapshot snapshot) {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add(title);
        lines.add("  " + scenario.summary());
        lines.add("");
        lines.add(style.bold(row(
                "",
                Format.text("%-" + EXECUTOR_WIDTH + "s", snapshot.plain().title()),
                snapshot.library().title())));
        lines.add(style.dim(row(scenario.labels().source(), heads(), heads())));
        for (int i = 0; i < snapshot.plain().rows().size(); i++) {
            Snapshot.Row plain = snapshot.plain().rows().get(i);
            Snapshot.Row library = snapshot.library().rows().get(i);
            lines.add(row(plain.name(), executor(plain, snapshot), executor(library, snapshot)));
        }
        lines.add(style.dim("  " + style.rule().repeat(WIDTH - 2)));
        lines.add(row("all", total(snapshot.plain()), total(snapshot.library())));
        lines.add("");
        lines.add(row("", focus(snapshot.plain()), focus(snapshot.library())));
        lines.add("");
        lines.add(progress(snapshot));
        return lines;
    }

    private static String row(String name, String plain, String library) {
        return Format.text("  %-" + NAME_WIDTH + "s%s  %s", name, plain, library)
                .stripTrailing();
    }

    private String heads() {
        Labels labels = scenario.labels();
        return Format.text("%-9s  %-13s %7s", labels.running(), labels.pending(), labels.shortWait());
    }

    private String executor(Snapshot.Row row, Snapshot snapshot) {
        return Format.text(
                "%s %3d  %s %4d %s",
                style.green(style.bar(fraction(row.running(), snapshot.peakRunning()), RUNNING_BAR_WIDTH)),
                row.running(),
                style.yellow(style.bar(fraction(row.pending(), snapshot.peakPending()), PENDING_BAR_WIDTH)),
                row.pending(),
                wait(row.waitMillis()));
    }

    private static String total(Snapshot.ExecutorView view) {
        return Format.text("%9d  %13d %7s", view.running(), view.pending(), "");
    }

    private static double fraction(int value, int max) {
        return max == 0 ? 0 : (double) value / max;
    }

    private String wait(double millis) {
        String text = Format.text("%7s", Format.millis(millis));
        if (millis <= scenario.goodWaitMillis()) {
            return style.green(text);
        }
        return millis <= BAD_FACTOR * scenario.goodWaitMillis() ? style.yellow(text) : style.red(text);
    }

    private String focus(Snapshot.ExecutorView view) {
        String label = scenario.focus() + ", p99 so far";
        return style.bold(Format.text("%-" + (EXECUTOR_WIDTH - 8) + "s", label)) + " " + wait(view.focusP99());
    }

    private String progress(Snapshot snapshot) {
        double fraction = (double) snapshot.elapsedMillis() / snapshot.lengthMillis();
        return Format.text(
                "  %s %4s  %s",
                style.progress(fraction, PROGRESS_BAR_WIDTH),
                Format.percent(fraction).replace(" ", ""),
                left(snapshot));
    }

    static String left(Snapshot snapshot) {
        return Format.text(
                "%.0f s left", Math.ceil((snapshot.lengthMillis() - snapshot.elapsedMillis()) / MILLIS_PER_SECOND));
    }
}
