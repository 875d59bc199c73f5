package io.github.kobe.demo;

import java.io.PrintStream;

/** Runs the show: some seconds of traffic over a few groups, a live table of it, and a summary. */
public final class Demo {

    static final int OK = 0;
    static final int LIMIT_EXCEEDED = 1;
    static final int WRONG_ARGUMENTS = 2;

    private Demo() {}

    public static void main(String[] args) throws InterruptedException {
        System.exit(run(args, System.getProperty("demo.live", "auto"), System.out, System.err));
    }

    static int run(String[] args, String live, PrintStream out, PrintStream err) throws InterruptedException {
        Options options;
        Screen screen;
        try {
            options = Options.parse(args);
            screen = Screen.on(out, live);
        } catch (IllegalArgumentException e) {
            err.println("demo: " + e.getMessage() + "; --help lists what there is");
            return WRONG_ARGUMENTS;
        }
        if (options.help()) {
            out.print(Options.HELP);
            return OK;
        }
        Ledger ledger = new Show(Tenant.CAST, Tenant.GLOBAL_CAP, options).run(screen);
        Summary.print(ledger, out);
        return ledger.anyLimitExceeded() ? LIMIT_EXCEEDED : OK;
    }
}
