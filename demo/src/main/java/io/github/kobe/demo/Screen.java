package io.github.kobe.demo;

import java.io.Console;
import java.io.PrintStream;
import java.util.List;

/** Where the show is seen. */
interface Screen {

    void open(List<Tenant> tenants, Options options);

    /** Shows what is the case now, if it is time to; {@code last} always. */
    void show(Snapshot snapshot, boolean last);

    /**
     * A table that is redrawn in place, or plain lines.
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
        return inPlace ? new LiveTable(out, Style.of(out)) : new PlainLines(out);
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
