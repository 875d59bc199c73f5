package io.github.kobe.micrometer;

import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetStats;
import io.github.kobe.fleet.SessionState;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of the part of this JVM in a {@link Fleet}: what it holds, wants, uses and owes, whether its sessions are valid, and its calls of the store. A sum
 * over all JVMs is that of the fleet. Every meter has the tag {@code name}, the name of the fleet.
 *
 * <p>Polled, and removed, like those of {@link GroupExecutorMetrics}. A scrape asks the store nothing. Safe for use by many threads.
 */
public final class FleetMetrics implements MeterBinder, AutoCloseable {

    private static final String PREFIX = GroupExecutorMetrics.PREFIX + "fleet.";
    private static final String PERMITS = "permits";

    private final Fleet fleet;
    private final Tags tags;
    private final Duration maxAge;
    private final Bindings bindings = new Bindings();

    private FleetMetrics(Builder builder) {
        fleet = builder.fleet;
        tags = Tags.of("name", fleet.name()).and(builder.tags);
        maxAge = builder.maxAge;
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
        Objects.requireNonNull(registry, "registry");
        WeakReference<Fleet> weak = new WeakReference<>(fleet);
        bindings.add(
                new SnapshotMeters<>(registry, tags, maxAge, fleet.stats(), () -> snapshot(weak)),
                (meters, registrations) -> register(meters));
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
                "For how long tasks may start if the store does not answer any more: the shortest lease, zero if there is none",
                Tags.empty(),
                stats -> stats.sessions().stream()
                        .mapToLong(session -> session.leaseLeft().toNanos())
                        .filter(left -> left > 0) // the session of an executor without tasks has none
                        .min()
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

    private static void permits(
            SnapshotMeters<FleetStats> meters, String name, String description, ToLongFunction<FleetStats> value) {
        meters.gauge(PREFIX + name, PERMITS, description, Tags.empty(), value::applyAsLong);
    }

    private static @Nullable FleetStats snapshot(WeakReference<Fleet> weak) {
        Fleet fleet = weak.get();
        return fleet == null ? null : fleet.stats();
    }

    /** Builds {@link FleetMetrics}. Not safe for use by many threads. */
    public static final class Builder {

        private final Fleet fleet;
        private Tags tags = Tags.empty();
        private Duration maxAge = SnapshotMeters.MAX_AGE;

        private Builder(Fleet fleet) {
            this.fleet = Objects.requireNonNull(fleet, "fleet");
        }

        /**
         * Sets more tags for all meters. Use the same keys for all fleets of a registry: Prometheus demands it. Default none.
         *
         * @throws IllegalArgumentException if a key is one of those that the meters have anyway: name, group, lane, outcome, reason, state, tag
         */
        public Builder tags(Iterable<Tag> more) {
            tags = SnapshotMeters.requireTags(more);
            return this;
        }

        /**
         * Sets how long a snapshot is used, by the clock of the registry. Zero: each meter takes one of its own, for tests. Default one second.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Builder maxSnapshotAge(Duration age) {
            maxAge = SnapshotMeters.requireMaxAge(age);
            return this;
        }

        /** Builds the metrics. They are registered by {@link FleetMetrics#bindTo}. */
        public FleetMetrics build() {
            return new FleetMetrics(this);
        }
    }
}
