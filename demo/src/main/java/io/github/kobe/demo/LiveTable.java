package io.github.kobe.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A table that stays where it is: each picture is painted over the one before, in a single write. */
final class LiveTable implements Screen {

    private static final String CLEAR_REST_OF_LINE = "\033[K";
    private static final int BAR_WIDTH = 22;
    private static final int TABLE_WIDTH = 51;
    private static final long FRAME_MILLIS = 100;

    private final PrintStream out;
    private final Style style;
    private int seconds;
    private int linesBefore;
    private long nextFrame;

    LiveTable(PrintStream out, Style style) {
        this.out = out;
        this.style = style;
    }

    @Override
    public void open(List<Tenant> tenants, Options options) {
        seconds = options.seconds();
    }

    @Override
    public void show(Snapshot snapshot, boolean last) {
        if (snapshot.millis() < nextFrame && !last) {
            return;
        }
        nextFrame = snapshot.millis() + FRAME_MILLIS;
        List<String> lines = lines(snapshot);
        StringBuilder picture = new StringBuilder();
        if (linesBefore > 0) {
            picture.append(String.format("\033[%dA\r", linesBefore));
        }
        lines.forEach(line -> picture.append(line).append(CLEAR_REST_OF_LINE).append('\n'));
        linesBefore = lines.size();
        out.print(picture);
        out.flush();
    }

    private List<String> lines(Snapshot snapshot) {
        List<String> lines = new ArrayList<>();
        lines.add("");
        String time = String.format(Locale.ROOT, "%.1f of %d s", snapshot.millis() / 1000.0, seconds);
        lines.add(style.bold("  group-concurrency") + style.dim(String.format("%34s", time)));
        lines.add("");
        lines.add(style.dim("  group      limit  running  waiting    done  rejected"));
        snapshot.groups().forEach(line -> lines.add(row(line, BAR_WIDTH - line.limit())));
        lines.add(style.dim("  " + style.rule().repeat(TABLE_WIDTH)));
        lines.add(row(snapshot.all(), 0));
        lines.add("");
        lines.add("  " + style.green(style.busy()) + " running   " + style.dim(style.free()) + " free place   "
                + style.yellow(style.waiting()) + " waiting");
        lines.add("");
        return lines;
    }

    private String row(Snapshot.Line line, int roomForWaiting) {
        return String.format(
                Locale.ROOT,
                "  %-9s %6d %8d %8d %7d %9d  %s",
                line.name(),
                line.limit(),
                line.running(),
                line.waiting(),
                line.done(),
                line.rejected(),
                bar(line, roomForWaiting));
    }

    private String bar(Snapshot.Line line, int roomForWaiting) {
        int free = Math.max(0, line.limit() - line.running());
        String waiting = line.waiting() <= roomForWaiting
                ? style.waiting().repeat(line.waiting())
                : style.waiting().repeat(Math.max(0, roomForWaiting - 1)) + (roomForWaiting > 0 ? style.more() : "");
        return style.green(style.busy().repeat(line.running()))
                + style.dim(style.free().repeat(free))
                + style.yellow(waiting);
    }
}
