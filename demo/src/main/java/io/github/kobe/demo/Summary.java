package io.github.kobe.demo;

import java.io.PrintStream;
import java.util.Locale;

/** What came of it. */
final class Summary {

    private static final String HEAD = "  group      tasks    done  cancelled  rejected    peak/limit   mean wait";

    private Summary() {}

    static void print(Ledger ledger, PrintStream out) {
        out.println();
        out.println(HEAD);
        ledger.groups().forEach(tally -> row(tally, out));
        row(ledger.all(), out);
        out.println();
        out.println("  " + verdict(ledger));
        if (!ledger.all().addsUp()) {
            out.println("  But the tasks do not add up: some have no end, or more than one.");
        }
        out.flush();
    }

    private static void row(Tally tally, PrintStream out) {
        out.printf(
                Locale.ROOT,
                "  %-9s %6d  %6d  %9d %9d %13s  %7.0f ms%n",
                tally.name,
                tally.submitted.get(),
                tally.done.get(),
                tally.cancelled.get(),
                tally.rejected.get(),
                tally.peak() + "/" + tally.limit,
                tally.meanWaitMillis());
    }

    private static String verdict(Ledger ledger) {
        if (!ledger.anyLimitExceeded()) {
            return "No limit was exceeded at any time, as counted by the tasks themselves.";
        }
        StringBuilder text = new StringBuilder("LIMIT EXCEEDED:");
        ledger.groups().stream().filter(Tally::limitExceeded).forEach(tally -> text.append(excess(tally)));
        if (ledger.all().limitExceeded()) {
            text.append(excess(ledger.all()));
        }
        return text.toString();
    }

    private static String excess(Tally tally) {
        return " " + tally.name + " ran " + tally.peak() + " at once, " + tally.limit + " allowed;";
    }
}
