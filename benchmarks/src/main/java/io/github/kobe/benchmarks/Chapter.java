package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A part of the benchmarks that can be measured alone.
 *
 * @param name the name on the command line
 * @param title the title in the report
 * @param measurement measures the chapter
 * @param libraryWorkloads what the chapter measures of this library, without any baseline
 */
record Chapter(
        String name,
        String title,
        Measurement measurement,
        Function<RunLength, List<LibraryWorkload>> libraryWorkloads) {

    interface Measurement {
        ChapterResult measure(RunLength length) throws InterruptedException;
    }

    private interface Rows {
        List<Row> rows(RunLength length) throws InterruptedException;
    }

    /** All chapters, in the order of measurement and of the report. */
    static final List<Chapter> ALL = List.of(
            of("dispatch", "dispatch over many groups", Dispatch::rows, Dispatch::libraryWorkloads),
            of("entry-points", "submit through other entry points", EntryPoints::rows, EntryPoints::libraryWorkloads),
            of("context", "context of tasks", CarriedMdc::rows, CarriedMdc::libraryWorkloads),
            of("shared-limits", "limits over several groups", SharedLimitCost::rows, SharedLimitCost::libraryWorkloads),
            of("scopes", "scopes", Scopes::rows, Scopes::libraryWorkloads),
            of("pool", "worker pool", WorkerPools::rows, WorkerPools::libraryWorkloads),
            of("drain", "one group with a long queue", Drain::rows, Drain::libraryWorkloads),
            of("queued-heap", "heap of queued tasks", QueuedTaskHeap::rows, QueuedTaskHeap::libraryWorkloads),
            of("idle-heap", "heap of idle groups", GroupHeap::rows, GroupHeap::libraryWorkloads),
            of("snapshots", "snapshot of every group", GroupSnapshots::rows, GroupSnapshots::libraryWorkloads),
            of("timeouts", "heap of pending timeouts", PendingTimeouts::rows, PendingTimeouts::libraryWorkloads),
            of(
                    "light-tenant",
                    "wait of a light tenant",
                    BacklogWait::lightTenantRows,
                    BacklogWait::lightTenantWorkloads),
            of(
                    "free-group",
                    "wait of a group below its limit",
                    BacklogWait::freeGroupRows,
                    BacklogWait::freeGroupWorkloads),
            of("tracked", "tracked tenants", TrackedTenants::rows, TrackedTenants::libraryWorkloads),
            of("mixes", "fast tenants beside slow ones", TenantMixes::rows, TenantMixes::libraryWorkloads),
            new Chapter("peers", "other libraries", PeerComparison::measure, PeerComparison::libraryWorkloads),
            new Chapter("growth", "growth", Growth::measure, Growth::libraryWorkloads),
            of("observability", "listeners and recorded times", Observability::rows, Observability::libraryWorkloads),
            of("micrometer", "metrics for Micrometer", MicrometerCost::rows, MicrometerCost::libraryWorkloads),
            of("console", "the console", ConsoleCost::rows, ConsoleCost::libraryWorkloads),
            of("spring", "limits for Spring", SpringLimits::rows, SpringLimits::libraryWorkloads),
            of("servlet-filter", "the servlet filter", ServletFilter::rows, ServletFilter::libraryWorkloads),
            new Chapter("fleet", "one limit over several JVMs", FleetLimits::measure, FleetLimits::libraryWorkloads),
            of(
                    "features",
                    "features that are enabled but never needed",
                    UnusedFeatures::rows,
                    UnusedFeatures::libraryWorkloads));

    private static Chapter of(
            String name, String title, Rows rows, Function<RunLength, List<LibraryWorkload>> libraryWorkloads) {
        return new Chapter(name, title, length -> ChapterResult.ofRows(rows.rows(length)), libraryWorkloads);
    }

    static Optional<Chapter> named(String name) {
        return ALL.stream().filter(chapter -> chapter.name.equals(name)).findFirst();
    }

    static List<String> names() {
        return ALL.stream().map(Chapter::name).toList();
    }
}
