package io.github.kobe.micrometer;

import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationStats;
import io.github.kobe.isolation.Lane;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.function.ToLongFunction;

/**
 * Meters of an {@link IsolationExecutor}, by lane. Every meter has the tag {@code name}, the name of the executor. So every executor of a registry needs
 * a name of its own. A key has no meters: keys are many.
 *
 * <p>Polled, and removed, like those of {@link GroupExecutorMetrics}. Safe for use by many threads.
 */
public final class IsolationMetrics implements MeterBinder, AutoCloseable {

    private static final String PREFIX = GroupExecutorMetrics.PREFIX + "isolation.";

    private final Bindings<IsolationExecutor, IsolationStats> bindings;

    private IsolationMetrics(Builder builder) {
        bindings = new Bindings<>(
                builder.executor,
                builder.executor.name(),
                builder.settings,
                () -> IsolationExecutor::stats,
                (meters, registrations) -> register(meters));
    }

    /**
     * Registers the meters of {@code executor}.
     *
     * @return to be closed when the meters are not needed any more
     * @throws IllegalStateException if the registry has meters of an executor of that name
     */
    public static IsolationMetrics monitor(MeterRegistry registry, IsolationExecutor executor) {
        IsolationMetrics metrics = builder(executor).build();
        metrics.bindTo(registry);
        return metrics;
    }

    /** Creates a builder. */
    public static Builder builder(IsolationExecutor executor) {
        return new Builder(executor);
    }

    /**
     * Registers the meters. May be called for several registries.
     *
     * @throws IllegalStateException if the registry has meters of an executor of that name, or after {@link #close}
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

    private static void register(SnapshotMeters<IsolationStats> meters) {
        meters.requireUnused(PREFIX + "running");
        gauge(meters, "running", "Running tasks", Tags.empty(), IsolationStats::running);
        gauge(meters, "queued", "Queued tasks", Tags.empty(), IsolationStats::queued);
        gauge(meters, "reserve", "Permits that are reserved for fast keys", Tags.empty(), IsolationStats::reserve);
        SnapshotMeters.OptionalGauge limit = meters.optionalGauge(
                PREFIX + "limit",
                BaseUnits.TASKS,
                "How many tasks may run at once",
                Tags.empty(),
                stats -> SnapshotMeters.limit(stats.maxConcurrency()));
        meters.onSnapshot(stats -> limit.update());
        for (Lane lane : Lane.values()) {
            Tags more = Tags.of("lane", lane.name().toLowerCase(Locale.ROOT));
            gauge(
                    meters,
                    "lane.running",
                    "Running tasks of the lane",
                    more,
                    stats -> stats.lane(lane).running());
            meters.timer(
                    PREFIX + "lane.wait",
                    "How long tasks of the lane were queued before they started",
                    more,
                    stats -> stats.lane(lane).waiting().count(),
                    stats -> stats.lane(lane).waiting().total().toNanos());
        }
    }

    private static void gauge(
            SnapshotMeters<IsolationStats> meters,
            String name,
            String description,
            Tags more,
            ToLongFunction<IsolationStats> value) {
        meters.gauge(PREFIX + name, BaseUnits.TASKS, description, more, value::applyAsLong);
    }

    /** Builds {@link IsolationMetrics}. Not safe for use by many threads. */
    public static final class Builder {

        private final IsolationExecutor executor;
        private final MeterSettings settings = new MeterSettings();

        private Builder(IsolationExecutor executor) {
            this.executor = Objects.requireNonNull(executor, "executor");
        }

        /**
         * Sets more tags for all meters. Use the same keys for all executors of a registry: Prometheus demands it. Default none.
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
         * Sets how long a snapshot is used, by the clock of the registry. Zero: each meter takes one of its own, for tests. Default one second.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Builder maxSnapshotAge(Duration age) {
            settings.maxAge(age);
            return this;
        }

        /** Builds the metrics. They are registered by {@link IsolationMetrics#bindTo}. */
        public IsolationMetrics build() {
            return new IsolationMetrics(this);
        }
    }
}
