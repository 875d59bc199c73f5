package io.github.kobe.micrometer;

import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetStats;
import io.github.kobe.fleet.SessionState;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.function.ToLongFunction;

/**
 * Meters of the part of this JVM in a {@link Fleet}: what it holds, wants, uses and owes, whether its sessions are valid, and its calls of the store. A sum
 * over all JVMs is that of the fleet. Every meter has the tag {@code name}, the name of the fleet.
 *
 * <p>Polled, and removed, like those of {@link GroupExecutorMetrics}. A scrape asks the store nothing. Safe for use by many threads.
 */
public final class FleetMetrics implements MeterBinder, AutoCloseable {

    private static final String PREFIX = GroupExecutorMetrics.PREFIX + "fleet.";
    private static final String PERMITS = "permits";

    private final Bindings<Fleet, FleetStats> bindings;

    private FleetMetrics(Builder builder) {
        bindings = new Bindings<>(
                builder.fleet,
                builder.fleet.name(),
                builder.settings,
                () -> Fleet::stats,
                (meters, registrations) -> register(meters));
    }

    /**
     * Registers the meters of {@code fleet}.
     *
     * @return to be closed when the meters are not needed any more
     * @throws IllegalStateException if the registry has meters of a fleet of that name
     */
    public static FleetMetrics monitor(MeterRegistry registry, Fleet fleet) {
        FleetMetrics metrics = builder(fleet).build();
        metrics.bindTo(registry);
        return metrics;
    }

    /** Creates a builder. */
    public static Builder builder(Fleet fleet) {
        return new Builder(fleet);
    }

    /**
     * Registers the meters. May be called for several registries.
     *
     * @throws IllegalStateException if the registry has meters of a fleet of that name, or after {@link #close}
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

    private static void register(SnapshotMeters<FleetStats> meters) {
        meters.requireUnused(PREFIX + "held");
        permits(meters, "held", "Permits that this JVM holds", FleetStats::held);
        permits(
                meters,
                "wanted",
                "Permits that would be of use to this JVM, those in use included",
                FleetStats::wanted);
        permits(meters, "used", "Permits that are in use in this JVM", FleetStats::used);
        permits(meters, "debt", "Permits that are in use although they are not held", FleetStats::debt);
        permits(
                meters,
                "shared.held",
                "Permits of shared limits that this JVM holds",
                stats -> stats.sharedLimits().held());
        permits(
                meters,
                "shared.wanted",
                "Permits of shared limits that would be of use to this JVM, those in use included",
                stats -> stats.sharedLimits().wanted());
        permits(
                meters,
                "shared.used",
                "Permits of shared limits that are in use in this JVM",
                stats -> stats.sharedLimits().used());
        permits(
                meters,
                "shared.debt",
                "Permits of shared limits that are in use although they are not held",
                stats -> stats.sharedLimits().debt());
        meters.gauge(
                PREFIX + "shared.values",
                null,
                "Values of shared limits that this JVM holds or wants permits of",
                Tags.empty(),
                stats -> stats.sharedLimits().values());
        meters.gauge(
                PREFIX + "groups",
                null,
                "Groups that this JVM holds or wants permits of",
                Tags.empty(),
                FleetStats::groups);
        meters.gauge(
                PREFIX + "nodes",
                null,
                "Executors of the fleet, as the store said last",
                Tags.empty(),
                stats -> stats.sessions().stream()
                        .mapToInt(FleetStats.Session::nodes)
                        .max()
                        .orElse(0));
        for (SessionState state : SessionState.values()) {
            meters.gauge(
                    PREFIX + "sessions",
                    null,
                    "Sessions of the executors of this JVM",
                    Tags.of("state", state.name().toLowerCase(Locale.ROOT)),
                    stats -> stats.sessions().stream()
                            .filter(session -> session.state() == state)
                            .count());
        }
        meters.timeGauge(
                PREFIX + "lease",
                "For how long tasks may start if the store does not answer any more: the shortest lease of all sessions, zero if one of them has none",
                Tags.empty(),
                FleetMetrics::shortestLeaseNanos);
        meters.timeGauge(
                PREFIX + "learning",
                "For how long the store grants no permit, because it may have lost data: the longest time of all sessions",
                Tags.empty(),
                stats -> stats.sessions().stream()
                        .mapToLong(session -> session.learning().toNanos())
                        .max()
                        .orElse(0));
        meters.counter(
                PREFIX + "exchanges",
                null,
                "Exchanges with the store, heartbeats included",
                Tags.empty(),
                FleetStats::exchanges);
        meters.counter(
                PREFIX + "calls.lost",
                null,
                "Calls of the store that failed, or were not answered in time",
                Tags.empty(),
                FleetStats::lostCalls);
        meters.counter(
                PREFIX + "faults",
                null,
                "Failures of the store that were guarded against",
                Tags.empty(),
                FleetStats::faults);
    }

    static long shortestLeaseNanos(FleetStats stats) {
        return stats.sessions().stream()
                .filter(session -> session.state() != SessionState.LEFT)
                .mapToLong(session -> session.leaseLeft().toNanos())
                .min()
                .orElse(0);
    }

    private static void permits(
            SnapshotMeters<FleetStats> meters, String name, String description, ToLongFunction<FleetStats> value) {
        meters.gauge(PREFIX + name, PERMITS, description, Tags.empty(), value::applyAsLong);
    }

    /** Builds {@link FleetMetrics}. Not safe for use by many threads. */
    public static final class Builder {

        private final Fleet fleet;
        private final MeterSettings settings = new MeterSettings();

        private Builder(Fleet fleet) {
            this.fleet = Objects.requireNonNull(fleet, "fleet");
        }

        /**
         * Sets more tags for all meters. Use the same keys for all fleets of a registry: Prometheus demands it. Default none.
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

        /** Builds the metrics. They are registered by {@link FleetMetrics#bindTo}. */
        public FleetMetrics build() {
            return new FleetMetrics(this);
        }
    }
}
