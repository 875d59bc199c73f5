package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Optional;

/**
 * A part of the figures that can be measured alone.
 *
 * @param name to ask for it with
 * @param title to say what it is about
 */
record Chapter(String name, String title, Measurement measurement) {

    interface Measurement {
        Findings measure(Effort effort) throws InterruptedException;
    }

    private interface Rows {
        List<Row> rows(Effort effort) throws InterruptedException;
    }

    /** In the order in which they are measured and reported. */
    static final List<Chapter> ALL = List.of(
            of("dispatch", "dispatch over many groups", Dispatch::rows),
            of("ways-in", "other ways in", WaysIn::rows),
            of("scopes", "scopes", Scopes::rows),
            of("pool", "worker pool", Pools::rows),
            of("drain", "one group with a long line", Drain::rows),
            of("queued-heap", "heap of tasks that wait", QueuedHeap::rows),
            of("quiet-heap", "heap of groups gone quiet", QuietHeap::rows),
            of("timeouts", "heap of pending timeouts", PendingTimeouts::rows),
            of("light-tenant", "wait of a light tenant", WaitBehind::lightTenant),
            of("free-group", "wait of a free group", WaitBehind::freeGroup),
            of("tracked", "tracked tenants", TrackedTenants::rows),
            of("mixes", "quick tenants beside slow ones", TenantMixes::rows),
            new Chapter("peers", "what else there is", PeerFigures::measure),
            new Chapter("growth", "growth", Growth::measure),
            of("features", "features that have nothing to do", Feature::rows));

    private static Chapter of(String name, String title, Rows rows) {
        return new Chapter(name, title, effort -> Findings.ofRows(rows.rows(effort)));
    }

    static Optional<Chapter> named(String name) {
        return ALL.stream().filter(chapter -> chapter.name.equals(name)).findFirst();
    }

    static List<String> names() {
        return ALL.stream().map(Chapter::name).toList();
    }
}
