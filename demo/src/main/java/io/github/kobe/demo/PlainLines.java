package io.github.kobe.demo;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** A line each second, for a file or a pipe. */
final class PlainLines implements Screen {

    private static final long PAUSE_MILLIS = 1000;

    private final PrintStream out;
    private long next;

    PlainLines(PrintStream out) {
        this.out = out;
    }

    @Override
    public void open(List<Tenant> tenants, Options options) {
        out.println("group-concurrency: " + tenants.size() + " groups for " + options.seconds()
                + " s; each shows running/limit and +waiting");
    }

    @Override
    public void show(Snapshot snapshot, boolean last) {
        if (snapshot.millis() < next && !last) {
            return;
        }
        next += PAUSE_MILLIS;
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%5.1f s", snapshot.millis() / 1000.0));
        snapshot.groups().forEach(group -> line.append(part(group)));
        out.println(line.append(part(snapshot.all())).toString().stripTrailing());
        out.flush();
    }

    private static String part(Snapshot.Line line) {
        return String.format(
                Locale.ROOT, "   %s %d/%d %-4s", line.name(), line.running(), line.limit(), "+" + line.waiting());
    }
}
