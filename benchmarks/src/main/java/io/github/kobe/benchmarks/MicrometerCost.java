package io.github.kobe.benchmarks;

import com.sun.management.ThreadMXBean;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.benchmarks.GroupExecutorAdapter.Attachment;
import io.github.kobe.benchmarks.Row.Promise;
import io.github.kobe.micrometer.GroupExecutorMetrics;
import io.github.kobe.micrometer.GroupTags;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What metrics cost tasks, and what a scrape costs with many groups. */
final class MicrometerCost {

    private static final int SERIES = 50;
    private static final AtomicReference<@Nullable PrometheusMeterRegistry> BOUND = new AtomicReference<>();
    private static final int FEW_GROUPS = 1_000;
    private static final int MANY_GROUPS = 100_000;
    private static final String POLLED = "polled";
    private static final String TIMERS = "timers";
    private static final String SCRAPE = "scrape";
    private static final String SNAPSHOT = "snapshot";
    private static final String BYTES_PER_GROUP = "bytes";
    private static final int DISPATCH = 0;
    private static final int SCRAPES = 1;

    private MicrometerCost() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        Fork dispatch =
                Fork.run(length.pick(8, 1), MicrometerCost.class, DISPATCH, length.pick(12, 8), length.pick(8, 8));
        Fork scrapes =
                Fork.run(length.pick(2, 1), MicrometerCost.class, SCRAPES, length.pick(20, 10), length.pick(20, 10));
        return List.of(
                new Row(
                        "dispatch with Micrometer polled, against this library without",
                        Unit.SPEEDUP,
                        null,
                        dispatch.quartiles(POLLED),
                        Promise.atLeast(0.98)),
                new Row(
                        "dispatch with Micrometer timers, against this library without",
                        Unit.SPEEDUP,
                        null,
                        dispatch.quartiles(TIMERS),
                        Promise.atLeast(0.7)),
                new Row(
                        "a scrape with 100,000 known groups and 50 series",
                        Unit.MILLIS,
                        null,
                        scrapes.quartiles(SCRAPE),
                        Promise.atMost(50)),
                new Row("the snapshot in that scrape, stats()", Unit.MILLIS, null, scrapes.quartiles(SNAPSHOT), null),
                new Row(
                        "allocation of a scrape for each known group",
                        Unit.BYTES,
                        null,
                        scrapes.quartiles(BYTES_PER_GROUP),
                        Promise.atMost(1)));
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return List.of(
                LibraryWorkload.of(
                        "dispatch with Micrometer polled, per task",
                        Unit.NANOS,
                        Dispatch.TASKS,
                        withMetrics(false),
                        Dispatch.workload()),
                LibraryWorkload.of(
                        "dispatch with Micrometer timers, per task",
                        Unit.NANOS,
                        Dispatch.TASKS,
                        withMetrics(true),
                        Dispatch.workload()));
    }

    private static Supplier<ExecutorAdapter> withMetrics(boolean timers) {
        return GroupExecutorAdapter.attached(
                policy -> policy.defaultMaxConcurrencyPerGroup(Dispatch.LIMIT), executor -> metrics(executor, timers));
    }

    private static Attachment metrics(GroupExecutor executor, boolean timers) {
        GroupExecutorMetrics metrics = GroupExecutorMetrics.builder(executor)
                .groupTags(GroupTags.first(SERIES))
                .timers(timers)
                .build();
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        metrics.bindTo(registry);
        BOUND.set(registry);
        return () -> {
            BOUND.set(null);
            metrics.close();
        };
    }

    /** Scrapes once a second what is bound then. Many rounds are shorter, and have no scrape in them. */
    private static void scrapeForEver() {
        try {
            while (true) {
                Thread.sleep(Duration.ofSeconds(1));
                PrometheusMeterRegistry registry = BOUND.get();
                if (registry != null) {
                    registry.scrape();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The forked JVM. Arguments: what to measure, warm-up rounds, rounds. */
    public static void main(String[] args) throws InterruptedException {
        int warmups = Integer.parseInt(args[1]);
        int rounds = Integer.parseInt(args[2]);
        if (Integer.parseInt(args[0]) == DISPATCH) {
            dispatch(warmups, rounds);
        } else {
            scrapes(warmups, rounds);
        }
    }

    private static void dispatch(int warmups, int rounds) throws InterruptedException {
        Thread.ofPlatform().daemon().start(MicrometerCost::scrapeForEver);
        InterleavedRounds measured = new InterleavedRounds()
                .add(GroupExecutorAdapter.NAME, GroupExecutorAdapter.withLimit(Dispatch.LIMIT))
                .add(POLLED, withMetrics(false))
                .add(TIMERS, withMetrics(true))
                .run(warmups, rounds, Dispatch.workload());
        for (String candidate : List.of(POLLED, TIMERS)) {
            Fork.print(candidate, measured.speedups(candidate, GroupExecutorAdapter.NAME));
        }
    }

    private static void scrapes(int warmups, int rounds) {
        try (Scraped few = new Scraped(FEW_GROUPS);
                Scraped many = new Scraped(MANY_GROUPS)) {
            for (int round = -warmups; round < rounds; round++) {
                long fewBytes = few.scrape();
                long manyBytes = many.scrape();
                long snapshotNanos = many.snapshot();
                if (round >= 0) {
                    Fork.print(SCRAPE, many.lastNanos / 1e6);
                    Fork.print(SNAPSHOT, snapshotNanos / 1e6);
                    Fork.print(BYTES_PER_GROUP, (double) (manyBytes - fewBytes) / (MANY_GROUPS - FEW_GROUPS));
                }
            }
        }
    }

    /** An executor that knows some groups, with metrics. */
    private static final class Scraped implements AutoCloseable {

        private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

        private final MockClock clock = new MockClock();
        private final PrometheusMeterRegistry registry =
                new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), clock);
        private final GroupExecutor executor;
        private final int groups;
        private long lastNanos;

        Scraped(int groups) {
            this.groups = groups;
            executor = GroupExecutor.newVirtualThreadExecutor(
                    GroupPolicy.builder().idleGroupTtl(Duration.ofHours(1)).build());
            for (int i = 0; i < groups; i++) {
                executor.submit("group-" + i, "task", () -> true).join();
            }
            GroupExecutorMetrics.builder(executor)
                    .groupTags(GroupTags.first(SERIES))
                    .build()
                    .bindTo(registry);
        }

        /** Scrapes with a new snapshot, and returns how many bytes that allocated. */
        long scrape() {
            clock.add(Duration.ofSeconds(1));
            long bytes = THREADS.getCurrentThreadAllocatedBytes();
            long start = System.nanoTime();
            String text = registry.scrape();
            lastNanos = System.nanoTime() - start;
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - bytes;
            if (!text.contains("group=\"other\"")) {
                throw new IllegalStateException("the scrape has no groups");
            }
            return allocated;
        }

        long snapshot() {
            long start = System.nanoTime();
            int known = executor.stats().activeGroupCount();
            long nanos = System.nanoTime() - start;
            if (known != groups) {
                throw new IllegalStateException("the executor knows " + known + " groups and not " + groups);
            }
            return nanos;
        }

        @Override
        public void close() {
            executor.close();
        }
    }
}
