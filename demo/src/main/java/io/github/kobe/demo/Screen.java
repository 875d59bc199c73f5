package io.github.kobe.demo;

import java.io.Console;
import java.io.PrintStream;
import java.time.Duration;

/** Displays a run while it is going on. */
interface Screen extends AutoCloseable {

    void open(Scenario scenario, Duration length, long seed);

    /** Displays a snapshot, or ignores it if the next update is not due yet. */
    void show(Snapshot snapshot);

    /** Restores the state of the terminal. */
    @Override
    void close();

    /**
     * Returns a screen that redraws in place or one that prints lines.
     *
     * @param live whether to redraw in place: "always", "never", or "auto" for only if the output is a terminal
     * @throws IllegalArgumentException if {@code live} is none of these
     */
    static Screen on(PrintStream out, String live) {
        boolean inPlace = switch (live) {
            case "always" -> true;
            case "never" -> false;
            case "auto" -> isTerminal();
            default ->
                throw new IllegalArgumentException("demo.live must be always, never or auto, but is '" + live + "'");
        };
        return inPlace ? new LiveScreen(out, Style.of(out)) : new LineScreen(out);
    }

    @SuppressWarnings("SystemConsoleNull") // whether it may be null depends on the Java version
    private static boolean isTerminal() {
        Console console = System.console();
        return console != null && isTerminal(console) && !"dumb".equals(System.getenv("TERM"));
    }

    /** Since Java 22 a console may exist without a terminal, and {@code isTerminal} tells. Java 21 has neither. */
    private static boolean isTerminal(Console console) {
        try {
            return (Boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }
}
