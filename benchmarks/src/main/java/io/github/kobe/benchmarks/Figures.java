package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;

/**
 * Measures what the project promises, in one run, and says for each promise whether it is kept.
 *
 * <p>Ends with 0 if all are, 1 if one is missed, 2 if an argument is wrong. {@code --quick} takes under a minute.
 */
public final class Figures {

    private record Chapter(String name, Measurement measurement) {}

    private interface Measurement {
        List<Row> rows(Effort effort) throws InterruptedException;
    }

    private static final List<Chapter> CHAPTERS = List.of(
            new Chapter("dispatch over many groups", Dispatch::rows),
            new Chapter("other ways in", WaysIn::rows),
            new Chapter("scopes", Scopes::rows),
            new Chapter("worker pool", Pools::rows),
            new Chapter("one group with a long line", Drain::rows),
            new Chapter("heap of tasks that wait", QueuedHeap::rows),
            new Chapter("heap of groups gone quiet", QuietHeap::rows),
            new Chapter("heap of pending timeouts", PendingTimeouts::rows),
            new Chapter("wait of a light tenant", WaitBehind::lightTenant),
            new Chapter("wait of a free group", WaitBehind::freeGroup),
            new Chapter("tracked tenants", TrackedTenants::rows),
            new Chapter("features that have nothing to do", Feature::rows));

    private Figures() {}

    public static void main(String[] args) throws InterruptedException {
        for (String arg : args) {
            if (!arg.equals("--quick")) {
                System.err.println("figures: unknown argument '" + arg + "'; there is only --quick");
                System.exit(2);
            }
        }
        System.exit(run(new Effort(args.length > 0)) ? 0 : 1);
    }

    private static boolean run(Effort effort) throws InterruptedException {
        Report report = new Report(System.out);
        report.head(effort);
        List<Row> rows = new ArrayList<>();
        for (Chapter chapter : CHAPTERS) {
            report.progress(chapter.name());
            rows.addAll(chapter.measurement().rows(effort));
        }
        report.table(rows);
        return rows.stream().noneMatch(Row::missed);
    }
}
