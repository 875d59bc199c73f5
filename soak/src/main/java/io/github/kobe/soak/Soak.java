package io.github.kobe.soak;

import java.io.PrintStream;
import java.util.logging.Level;
import java.util.logging.Logger;

/** All four faces under everything at once. {@code --help} explains the arguments. */
public final class Soak {

    /** Kept, or the setting would be forgotten with it. */
    private static final Logger REPORTS = Logger.getLogger("io.github.kobe");

    private Soak() {}

    /** Ends with 0 if every promise held, with 1 if one did not, with 2 if the arguments are wrong. */
    public static void main(String[] args) throws InterruptedException {
        System.exit(run(System.out, System.err, args));
    }

    static int run(PrintStream out, PrintStream err, String... args) throws InterruptedException {
        Options options;
        try {
            options = Options.parse(args);
        } catch (IllegalArgumentException e) {
            err.println("soak: " + e.getMessage() + "; --help explains");
            return 2;
        }
        if (options.help()) {
            out.print(Options.HELP);
            return 0;
        }
        return run(out, options).violationCount() == 0 ? 0 : 1;
    }

    static Recorder run(PrintStream out, Options options) throws InterruptedException {
        silenceReports();
        out.println("Soak: seed " + options.seed() + ", " + options.time().toSeconds() + " s");
        Recorder book = new Recorder(violation -> out.println("VIOLATION " + violation));
        SoakRun.Result outcome = new SoakRun(options, book, out).run();
        out.print(Summary.of(book, options, outcome));
        out.flush();
        return book;
    }

    /** What is thrown on purpose is reported, as it should be, and in the way here. */
    static void silenceReports() {
        REPORTS.setLevel(Level.OFF);
    }
}
