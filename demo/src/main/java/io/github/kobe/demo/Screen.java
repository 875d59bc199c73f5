package io.github.kobe.demo;

import java.io.Console;
import java.io.PrintStream;
import java.time.Duration;

/** Where the show is seen. */
interface Screen extends AutoCloseable {

    void open(Scenario scenario, Duration length, long seed);

    /** Shows what is the case now, if it is time to. */
    void show(Snapshot snapshot);

    /** Leaves the terminal as it was found. */
    @Override
    void close();

    /**
     * A picture that is redrawn in place, or plain lines.
     *
     * @param live "always", "never", or "auto" for what suits where the output goes
     */
    static Screen on(PrintStream out, String live) {
        boolean inPlace = switch (live) {
            case "always" -> true;
            case "never" -> false;
            case "auto" -> isTerminal();
            default ->
                throw new IllegalArgumentException("demo.live must be always, never or auto, but is '" + live + "'");
        };
        Style style = Style.of(out);
        return inPlace ? new LivePicture(out, style) : new PlainLines(out);
    }

    @SuppressWarnings("SystemConsoleNull") // whether it may be null differs from one Java version to the next
    private static boolean isTerminal() {
        Console console = System.console();
        return console != null && isTerminal(console) && !"dumb".equals(System.getenv("TERM"));
    }

    /** From Java 22 on there may be a console without a terminal, and a method that tells; before, there is neither. */
    private static boolean isTerminal(Console console) {
        try {
            return (Boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }
}
