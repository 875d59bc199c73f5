package io.github.kobe.soak;

import java.io.PrintStream;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Command line of the soak. {@code --help} explains the arguments. */
public final class Soak {

    /** A strong reference. Without it the logger could be garbage collected, and its level would be lost. */
    private static final Logger LIBRARY_LOGGER = Logger.getLogger("io.github.kobe");

    private Soak() {}

    /** Exits with 0 if every promise held, with 1 if a promise was broken, and with 2 if the arguments are invalid. */
    public static void main(String[] args) throws InterruptedException {
        System.exit(run(System.out, System.err, args));
    }

    static int run(PrintStream out, PrintStream err, String... args) throws InterruptedException {
        SoakOptions options;
        try {
            options = SoakOptions.parse(args);
        } catch (IllegalArgumentException e) {
            err.println("soak: " + e.getMessage() + "; see --help");
            return 2;
        }
        if (options.help()) {
            out.print(SoakOptions.HELP);
            return 0;
        }
        return run(out, options).violationCount() == 0 ? 0 : 1;
    }

    static CheckRecorder run(PrintStream out, SoakOptions options) throws InterruptedException {
        disableLibraryLog();
        out.println("Soak: seed " + options.seed() + ", " + options.time().toSeconds() + " s");
        CheckRecorder recorder = new CheckRecorder(violation -> out.println("VIOLATION " + violation));
        SoakRun.Result result = new SoakRun(options, recorder, out).run();
        out.print(Summary.of(recorder, options, result));
        out.flush();
        return recorder;
    }

    /** The library logs every injected exception. These messages would hide the output of the soak. */
    static void disableLibraryLog() {
        LIBRARY_LOGGER.setLevel(Level.OFF);
    }
}
