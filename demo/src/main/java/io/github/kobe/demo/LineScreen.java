package io.github.kobe.demo;

import java.io.PrintStream;
import java.time.Duration;

/** Prints a line each second, for a file or a pipe. */
final class LineScreen implements Screen {

    private static final long INTERVAL_MILLIS = 1000;
    private static final double MILLIS_PER_SECOND = 1000;
    private static final int EXECUTOR_WIDTH = 27;

    private final PrintStream out;
    private long nextMillis = INTERVAL_MILLIS;

    LineScreen(PrintStream out) {
        this.out = out;
    }

    @Override
    public void open(Scenario scenario, Duration length, long seed) {
        Labels labels = scenario.labels();
        String heads = Format.text("%7s %8s %10s", labels.running(), labels.pending(), labels.shortWait() + " p99");
        out.printf("group-concurrency, %s, %d s, seed %d%n", scenario.name(), length.toSeconds(), seed);
        out.println(scenario.summary() + "; p99 so far of: " + scenario.focus());
        out.println();
        out.println(line("", "", scenario.plain().title(), scenario.library().title())
                .stripTrailing());
        out.println(line("time", "left", heads, heads));
        out.flush();
    }

    @Override
    public void show(Snapshot snapshot) {
        if (snapshot.elapsedMillis() < nextMillis && snapshot.elapsedMillis() < snapshot.lengthMillis()) {
            return;
        }
        nextMillis += INTERVAL_MILLIS;
        out.println(line(
                Format.text("%.1f s", snapshot.elapsedMillis() / MILLIS_PER_SECOND),
                SnapshotFormatter.left(snapshot).replace(" left", ""),
                executor(snapshot.plain()),
                executor(snapshot.library())));
        out.flush();
    }

    private static String executor(Snapshot.ExecutorView view) {
        return Format.text("%7d %8d %10s", view.running(), view.pending(), Format.millis(view.focusP99()));
    }

    private static String line(String time, String left, String plain, String library) {
        return Format.text(
                "%7s %6s   %-" + EXECUTOR_WIDTH + "s   %-" + EXECUTOR_WIDTH + "s", time, left, plain, library);
    }

    @Override
    public void close() {
        // There is nothing to restore.
    }
}
