package io.github.kobe.micrometer;

import io.github.kobe.Registration;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.pool.WorkerPoolStats;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of a {@link WorkerPool}. Those named {@code executor.*} have the names, units and tags of Micrometer's own meters of a thread pool, so that
 * dashboards for those show a worker pool too. The others are named {@code group.concurrency.pool.*}. Every meter has the tag {@code name}, the name
 * of the pool. So every pool of a registry needs a name of its own.
 *
 * <p>Polled, and removed, like those of {@link GroupExecutorMetrics}. Counts continue after a restart of the pool. Safe for use by many threads.
 */
public final class WorkerPoolMetrics implements MeterBinder, AutoCloseable {

    private static final String EXECUTOR = "executor.";
    private static final String POOL = GroupExecutorMetrics.PREFIX + "pool.";

    private final WorkerPool pool;
    private final boolean timers;
    private final Bindings<WorkerPool, Snapshot> bindings;

    private WorkerPoolMetrics(Builder builder) {
        pool = builder.pool;
        timers = builder.timers;
        bindings = new Bindings<>(pool, pool.name(), builder.settings, () -> new Reader()::read, this::register);
    }

    /**
     * Registers the meters of {@code pool}, without timers.
     *
     * @return to be closed when the meters are not needed any more
     * @throws IllegalStateException if the registry has meters of a pool of that name
     */
    public static WorkerPoolMetrics monitor(MeterRegistry registry, WorkerPool pool) {
        WorkerPoolMetrics metrics = builder(pool).build();
        metrics.bindTo(registry);
        return metrics;
    }

    /** Creates a builder. */
    public static Builder builder(WorkerPool pool) {
        return new Builder(pool);
    }

    /**
     * Registers the meters. May be called for several registries.
     *
     * @throws IllegalStateException if the registry has meters of a pool of that name, or after {@link #close}
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        bindings.bindTo(registry);
    }

    /** Removes all meters from all registries. A second call has no effect. */
    @Override
    public void close() {
        bindings.close();
    }

    /**
     * The state of a pool at one time.
     *
     * @param replaced the sum over all restarts
     */
    private record Snapshot(WorkerPoolStats stats, long replaced) {

        /** The pool counts replaced workers since its last restart. A restart between two snapshots is known by its number. */
        Snapshot next(WorkerPoolStats now) {
            boolean restarted = now.restarts() != stats.restarts();
            long increase = restarted ? now.replaced() : now.replaced() - stats.replaced();
            return new Snapshot(now, replaced + Math.max(0, increase));
        }
    }

    private void register(SnapshotMeters<Snapshot> meters, List<Registration> registrations) {
        meters.requireUnused(EXECUTOR + "active");
        meters.requireUnused(POOL + "busy");
        addExecutorMeters(meters);
        addPoolMeters(meters);
        if (timers) {
            Timer idle = meters.add(Timer.builder(EXECUTOR + "idle")
                    .description("How long tasks were queued before they started")
                    .tags(meters.tags())
                    .register(meters.registry()));
            registrations.add(pool.addListener(new TaskLifecycleListener() {
                @Override
                public boolean mayBlock() {
                    return false;
                }

                @Override
                public void onStarted(TaskIdentity task, Duration waited) {
                    idle.record(waited);
                }
            }));
        }
    }

    /** Takes snapshots, one thread at a time. */
    private static final class Reader {

        private @Nullable Snapshot last;

        Snapshot read(WorkerPool pool) {
            WorkerPoolStats stats = pool.stats();
            Snapshot next = last == null ? new Snapshot(stats, stats.replaced()) : last.next(stats);
            last = next;
            return next;
        }
    }

    private static void addExecutorMeters(SnapshotMeters<Snapshot> meters) {
        gauge(
                meters,
                EXECUTOR + "active",
                BaseUnits.THREADS,
                "Workers that have a task",
                WorkerPoolStats::activeWorkers);
        gauge(meters, EXECUTOR + "queued", BaseUnits.TASKS, "Queued tasks", WorkerPoolStats::queuedTasks);
        gauge(meters, EXECUTOR + "pool.size", BaseUnits.THREADS, "Workers", WorkerPoolStats::workers);
        gauge(
                meters,
                EXECUTOR + "pool.core",
                BaseUnits.THREADS,
                "Workers that stay when they are idle",
                WorkerPoolStats::minWorkers);
        gauge(
                meters,
                EXECUTOR + "pool.max",
                BaseUnits.THREADS,
                "How many workers there may be",
                WorkerPoolStats::maxWorkers);
        counter(
                meters,
                EXECUTOR + "completed",
                BaseUnits.TASKS,
                "Tasks that have completed and were not rejected",
                snapshot -> {
                    var counts = snapshot.stats.lifetimeCounts();
                    return counts.succeeded() + counts.failed() + counts.cancelled();
                });
        SnapshotMeters.OptionalGauge remaining = meters.optionalGauge(
                EXECUTOR + "queue.remaining",
                BaseUnits.TASKS,
                "How many more tasks can be queued",
                Tags.empty(),
                snapshot -> snapshot.stats.queueCapacity() == Integer.MAX_VALUE
                        ? Double.NaN
                        : Math.max(0, snapshot.stats.queueCapacity() - snapshot.stats.queuedTasks()));
        meters.onSnapshot(snapshot -> remaining.update());
    }

    private static void addPoolMeters(SnapshotMeters<Snapshot> meters) {
        counter(
                meters,
                POOL + "rejected",
                BaseUnits.TASKS,
                "Tasks that were rejected",
                snapshot -> snapshot.stats.lifetimeCounts().rejected());
        counter(
                meters,
                POOL + "timeouts",
                BaseUnits.TASKS,
                "Tasks that exceeded their timeout",
                snapshot -> snapshot.stats.lifetimeCounts().timedOut());
        counter(
                meters,
                POOL + "replaced",
                BaseUnits.THREADS,
                "Workers that were replaced because their task did not return after an interrupt",
                Snapshot::replaced);
        gauge(
                meters,
                POOL + "zombies",
                BaseUnits.THREADS,
                "Replaced workers whose task has not returned yet",
                WorkerPoolStats::zombies);
        gauge(
                meters,
                POOL + "busy",
                null,
                "The fraction of their time that workers were busy, over the last minute",
                WorkerPoolStats::busyShare);
    }

    private static void gauge(
            SnapshotMeters<Snapshot> meters,
            String name,
            @Nullable String unit,
            String description,
            ToDoubleFunction<WorkerPoolStats> value) {
        meters.gauge(name, unit, description, Tags.empty(), snapshot -> value.applyAsDouble(snapshot.stats));
    }

    private static void counter(
            SnapshotMeters<Snapshot> meters,
            String name,
            String unit,
            String description,
            ToLongFunction<Snapshot> value) {
        meters.counter(name, unit, description, Tags.empty(), value);
    }

    /** Builds {@link WorkerPoolMetrics}. Not safe for use by many threads. */
    public static final class Builder {

        private final WorkerPool pool;
        private final MeterSettings settings = new MeterSettings();
        private boolean timers;

        private Builder(WorkerPool pool) {
            this.pool = Objects.requireNonNull(pool, "pool");
        }

        /**
         * Sets more tags for all meters. Use the same keys for all pools of a registry: Prometheus demands it. Default none.
         *
         * @throws IllegalArgumentException if a key is one of those that the meters have anyway: name, group, lane, limit, outcome, reason, state, tag, value
         */
        public Builder tags(Iterable<Tag> more) {
            settings.tags(more);
            return this;
        }

        /** As {@link #tags(Iterable)}, with keys and values in turn. */
        public Builder tags(String... keysAndValues) {
            return tags(Tags.of(keysAndValues));
        }

        /**
         * Sets whether there is a timer of the time that tasks were queued, {@code executor.idle}. A listener updates it with each task. Default
         * {@code false}.
         */
        public Builder timers(boolean enabled) {
            timers = enabled;
            return this;
        }

        /**
         * Sets how long a snapshot is used, by the clock of the registry. Zero: each meter takes one of its own, for tests. Default one second.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Builder maxSnapshotAge(Duration age) {
            settings.maxAge(age);
            return this;
        }

        /** Builds the metrics. They are registered by {@link WorkerPoolMetrics#bindTo}. */
        public WorkerPoolMetrics build() {
            return new WorkerPoolMetrics(this);
        }
    }
}
