package io.github.kobe.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What is on the screen at one moment, in lines of less than 80 columns. Depends on nothing but its arguments. */
final class Picture {

    static final int WIDTH = 78;

    private static final int NAME = 10;
    private static final int RUNNING_BAR = 5;
    private static final int HELD_BAR = 8;
    private static final int SIDE = 32;
    private static final int PROGRESS_BAR = 50;
    private static final double MILLIS = 1000;

    /** A wait this many times as long as a fine one is bad. */
    private static final int BAD = 10;

    private final Scenario scenario;
    private final String title;
    private final Style style;

    Picture(Scenario scenario, Duration length, long seed, Style style) {
        this.scenario = scenario;
        this.style = style;
        String left = "group-concurrency " + style.dot() + " " + scenario.name();
        String right = Format.text("%d s %s seed %d", length.toSeconds(), style.dot(), seed);
        int room = Math.max(1, WIDTH - 2 - left.length() - right.length());
        this.title = "  " + style.bold(left) + " ".repeat(room) + style.dim(right);
    }

    /** Before there is anything to see. */
    List<String> prelude() {
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
                Format.text("%-" + SIDE + "s", snapshot.plain().title()),
                snapshot.ours().title())));
        lines.add(style.dim(row(scenario.words().row(), heads(), heads())));
        for (int i = 0; i < snapshot.plain().lines().size(); i++) {
            Snapshot.Line plain = snapshot.plain().lines().get(i);
            Snapshot.Line ours = snapshot.ours().lines().get(i);
            lines.add(row(plain.name(), side(plain, snapshot), side(ours, snapshot)));
        }
        lines.add(style.dim("  " + style.rule().repeat(WIDTH - 2)));
        lines.add(row("all", total(snapshot.plain()), total(snapshot.ours())));
        lines.add("");
        lines.add(focus(snapshot));
        lines.add("");
        lines.add(progress(snapshot));
        return lines;
    }

    private static String row(String name, String plain, String ours) {
        return Format.text("  %-" + NAME + "s%s  %s", name, plain, ours).stripTrailing();
    }

    private String heads() {
        Words words = scenario.words();
        return Format.text("%-9s  %-13s %7s", words.running(), words.held(), words.timed());
    }

    private String side(Snapshot.Line line, Snapshot snapshot) {
        return Format.text(
                "%s %3d  %s %4d %s",
                style.green(style.bar(part(line.running(), snapshot.mostRunning()), RUNNING_BAR)),
                line.running(),
                style.yellow(style.bar(part(line.held(), snapshot.mostHeld()), HELD_BAR)),
                line.held(),
                wait(line.waitMillis()));
    }

    private static String total(Snapshot.SideView view) {
        return Format.text("%9d  %13d %7s", view.running(), view.held(), "");
    }

    private static double part(int value, int most) {
        return most == 0 ? 0 : (double) value / most;
    }

    private String wait(double millis) {
        return judged(Format.text("%7s", Format.millis(millis)), millis);
    }

    private String judged(String text, double millis) {
        if (millis <= scenario.fineMillis()) {
            return style.green(text);
        }
        return millis <= BAD * scenario.fineMillis() ? style.yellow(text) : style.red(text);
    }

    /** The figure that it is all about. */
    private String focus(Snapshot snapshot) {
        return row("", focus(snapshot.plain()), focus(snapshot.ours()));
    }

    private String focus(Snapshot.SideView view) {
        String what = scenario.focus() + ", p99 so far";
        return style.bold(Format.text("%-" + (SIDE - 8) + "s", what)) + " " + wait(view.focusP99());
    }

    private String progress(Snapshot snapshot) {
        double part = (double) snapshot.millis() / snapshot.lengthMillis();
        return Format.text(
                "  %s %4s  %s",
                style.progress(part, PROGRESS_BAR), Format.percent(part).replace(" ", ""), left(snapshot));
    }

    static String left(Snapshot snapshot) {
        return Format.text("%.0f s left", Math.ceil((snapshot.lengthMillis() - snapshot.millis()) / MILLIS));
    }
}
