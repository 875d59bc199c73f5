package io.github.kobe.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A picture that stays where it is: each is painted over the one before, in a single write. */
final class LivePicture implements Screen {

    /** No cursor that jumps about, and no line that wraps in a narrow terminal: the next picture would miss its place. */
    private static final String TAKE = "\033[?25l\033[?7l";

    /** Ctrl-C makes a terminal drop what it has not shown, so that half of a picture may be below the cursor: that goes. */
    private static final String GIVE_BACK = "\033[J\033[?7h\033[?25h";

    private static final String CLEAR_REST_OF_LINE = "\033[K";

    private final PrintStream out;
    private final Style style;
    private @Nullable Picture picture;
    private int linesBefore;
    private boolean taken;

    LivePicture(PrintStream out, Style style) {
        this.out = out;
        this.style = style;
    }

    @Override
    public void open(Scenario scenario, Duration length, long seed) {
        picture = new Picture(scenario, length, seed, style);
        taken = true;
        paint(TAKE, picture.prelude());
    }

    @Override
    public void show(Snapshot snapshot) {
        if (picture != null) {
            paint("", picture.lines(snapshot));
        }
    }

    private void paint(String before, List<String> lines) {
        StringBuilder text = new StringBuilder(before);
        if (linesBefore > 0) {
            text.append(Format.text("\033[%dA\r", linesBefore));
        }
        lines.forEach(line -> text.append(line).append(CLEAR_REST_OF_LINE).append('\n'));
        linesBefore = lines.size();
        out.print(text);
        out.flush();
    }

    @Override
    public void close() {
        if (taken) {
            taken = false;
            out.print(GIVE_BACK);
            out.flush();
        }
    }
}
