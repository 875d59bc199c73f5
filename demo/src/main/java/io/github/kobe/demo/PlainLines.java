package io.github.kobe.demo;

import java.io.PrintStream;
import java.time.Duration;

/** A line each second, for a file or a pipe. */
final class PlainLines implements Screen {

    private static final long PAUSE_MILLIS = 1000;
    private static final double MILLIS = 1000;
    private static final int SIDE = 27;

    private final PrintStream out;
    private long next = PAUSE_MILLIS;

    PlainLines(PrintStream out) {
        this.out = out;
    }

    @Override
    public void open(Scenario scenario, Duration length, long seed) {
        Words words = scenario.words();
        String heads = Format.text("%7s %8s %10s", words.running(), words.held(), words.timed() + " p99");
        out.printf("group-concurrency, %s, %d s, seed %d%n", scenario.name(), length.toSeconds(), seed);
        out.println(scenario.summary() + "; p99 so far of: " + scenario.focus());
        out.println();
        out.println(
                line("", "", scenario.plain().title(), scenario.ours().title()).stripTrailing());
        out.println(line("time", "left", heads, heads));
        out.flush();
    }

    @Override
    public void show(Snapshot snapshot) {
        if (snapshot.millis() < next && snapshot.millis() < snapshot.lengthMillis()) {
            return;
        }
        next += PAUSE_MILLIS;
        out.println(line(
                Format.text("%.1f s", snapshot.millis() / MILLIS),
                Picture.left(snapshot).replace(" left", ""),
                side(snapshot.plain()),
                side(snapshot.ours())));
        out.flush();
    }

    private static String side(Snapshot.SideView view) {
        return Format.text("%7d %8d %10s", view.running(), view.held(), Format.millis(view.focusP99()));
    }

    private static String line(String time, String left, String plain, String ours) {
        return Format.text("%7s %6s   %-" + SIDE + "s   %-" + SIDE + "s", time, left, plain, ours);
    }

    @Override
    public void close() {
        // Nothing was taken.
    }
}
