package io.github.kobe.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Redraws in place. Every frame overwrites the one before in a single write. */
final class LiveScreen implements Screen {

    /** Hides the cursor and turns line wrapping off: in a narrow terminal a wrapped line would move the next frame. */
    private static final String PREPARE_TERMINAL = "\033[?25l\033[?7l";

    /** Also clears what is below the cursor: after Ctrl-C a terminal may have shown only a part of the last frame. */
    private static final String RESTORE_TERMINAL = "\033[J\033[?7h\033[?25h";

    private static final String CLEAR_REST_OF_LINE = "\033[K";

    private final PrintStream out;
    private final Style style;
    private @Nullable SnapshotFormatter formatter;
    private int previousLines;
    private boolean prepared;

    LiveScreen(PrintStream out, Style style) {
        this.out = out;
        this.style = style;
    }

    @Override
    public void open(Scenario scenario, Duration length, long seed) {
        formatter = new SnapshotFormatter(scenario, length, seed, style);
        prepared = true;
        draw(PREPARE_TERMINAL, formatter.warmUpLines());
    }

    @Override
    public void show(Snapshot snapshot) {
        if (formatter != null) {
            draw("", formatter.lines(snapshot));
        }
    }

    private void draw(String prefix, List<String> lines) {
        StringBuilder text = new StringBuilder(prefix);
        if (previousLines > 0) {
            text.append(Format.text("\033[%dA\r", previousLines));
        }
        lines.forEach(line -> text.append(line).append(CLEAR_REST_OF_LINE).append('\n'));
        previousLines = lines.size();
        out.print(text);
        out.flush();
    }

    @Override
    public void close() {
        if (prepared) {
            prepared = false;
            out.print(RESTORE_TERMINAL);
            out.flush();
        }
    }
}
