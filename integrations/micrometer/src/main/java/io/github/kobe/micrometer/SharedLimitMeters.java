package io.github.kobe.micrometer;

import io.github.kobe.SharedLimitStats;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Registers and removes the meters of shared limits. A series is one value of a limit or, if values are mapped, one class of them. Each limit has at most
 * {@link GroupTags#maxSeries} series, and one for the rest. The names of limits are those of a policy, so there are few.
 *
 * <p>A series keeps its slot for an hour after a group of it was known last. So values that others choose cannot make more than that many new series in an
 * hour, however fast they come and go.
 *
 * <p>Used by one thread at a time, the one that takes a snapshot. Meters read {@link Series#sample}.
 */
final class SharedLimitMeters {

    private static final String PREFIX = GroupExecutorMetrics.PREFIX + "shared.";
    private static final String PERMITS = "permits";
    private static final String GROUPS = "groups";
    private static final long SILENCE_NANOS = Duration.ofHours(1).toNanos();

    /**
     * Sums over the values of a series.
     *
     * @param limit of this JVM; {@link Double#NaN} if there is none, or if no value is known
     * @param fleetLimit of the whole fleet; likewise
     */
    private record Sample(long active, long waiting, long paused, double limit, double fleetLimit) {

        private static final Sample NONE = new Sample(0, 0, 0, Double.NaN, Double.NaN);

        static Sample of(SharedLimitStats value) {
            boolean acrossFleet = value.leasedPermits() != Integer.MAX_VALUE;
            double limit = SnapshotMeters.limit(value.max());
            return new Sample(
                    value.activeCount(),
                    value.waitingGroupCount(),
                    value.paused() ? 1 : 0,
                    acrossFleet ? Double.NaN : limit,
                    acrossFleet ? limit : Double.NaN);
        }

        Sample plus(Sample other) {
            return new Sample(
                    active + other.active,
                    waiting + other.waiting,
                    paused + other.paused,
                    limit + other.limit, // NaN stays NaN
                    fleetLimit + other.fleetLimit);
        }
    }

    private static final class Series {

        private final List<Meter> meters;
        private final List<SnapshotMeters.OptionalGauge> limits; // none for the rest
        private volatile Sample sample = Sample.NONE;
        private long lastKnown;

        /** @param isRest a rest has no limit: the values are not the same at each scrape, so a sum would say nothing */
        private Series(SnapshotMeters<?> registered, Tags tags, boolean isRest) {
            meters = List.of(
                    registered.gauge(
                            PREFIX + "active",
                            PERMITS,
                            "Permits of the shared limit that are in use",
                            tags,
                            snapshot -> sample.active),
                    registered.gauge(
                            PREFIX + "waiting",
                            GROUPS,
                            "Groups that wait for the shared limit",
                            tags,
                            snapshot -> sample.waiting),
                    registered.gauge(
                            PREFIX + "paused",
                            null,
                            "Whether the value of the shared limit is paused; of several values, how many are",
                            tags,
                            snapshot -> sample.paused));
            limits = isRest
                    ? List.of()
                    : List.of(
                            registered.optionalGauge(
                                    PREFIX + "limit",
                                    PERMITS,
                                    "How many permits of the shared limit there are in this JVM",
                                    tags,
                                    snapshot -> sample.limit),
                            registered.optionalGauge(
                                    PREFIX + "fleet.limit",
                                    PERMITS,
                                    "How many permits of the shared limit there are in the whole fleet",
                                    tags,
                                    snapshot -> sample.fleetLimit));
        }

        void update(Sample next) {
            sample = next;
            limits.forEach(SnapshotMeters.OptionalGauge::update);
        }

        void removeFrom(SnapshotMeters<?> registered) {
            meters.forEach(registered::remove);
            limits.forEach(SnapshotMeters.OptionalGauge::remove);
        }
    }

    /** One shared limit of the policy. */
    private final class OneLimit {

        private final Tags tags;
        private final Map<String, Series> byName = new HashMap<>();
        private final Series rest;

        OneLimit(String name) {
            tags = Tags.of("limit", TagValues.ofKey(name));
            rest = new Series(meters, tags.and("value", TagValues.OTHER), true);
        }

        Series of(String value) {
            String name = names.of(value);
            if (name == null) {
                return rest;
            }
            Series known = byName.get(name);
            if (known == null && byName.size() < maxSeries) {
                known = new Series(meters, tags.and("value", TagValues.ofKey(name)), false);
                byName.put(name, known);
            }
            return known == null ? rest : known;
        }

        void update(Map<Series, Sample> samples, long now) {
            rest.update(samples.getOrDefault(rest, Sample.NONE));
            byName.values().removeIf(series -> {
                Sample sample = samples.get(series);
                if (sample == null && now - series.lastKnown >= SILENCE_NANOS) {
                    series.removeFrom(meters);
                    return true;
                }
                series.update(sample == null ? Sample.NONE : sample);
                return false;
            });
        }
    }

    private final SnapshotMeters<ExecutorSnapshot> meters;
    private final SeriesNames names;
    private final int maxSeries;
    private final Map<String, OneLimit> limits = new HashMap<>();

    private SharedLimitMeters(SnapshotMeters<ExecutorSnapshot> meters, GroupTags tags) {
        this.meters = meters;
        this.names = new SeriesNames(tags);
        this.maxSeries = tags.maxSeries();
    }

    static void add(SnapshotMeters<ExecutorSnapshot> meters, GroupTags tags) {
        SharedLimitMeters sharedLimits = new SharedLimitMeters(meters, tags);
        meters.onSnapshot(snapshot -> sharedLimits.refresh(snapshot.sharedLimits(), meters.nanoTime()));
    }

    private void refresh(List<SharedLimitStats> known, long now) {
        Map<Series, Sample> samples = new HashMap<>();
        for (SharedLimitStats value : known) {
            Series series = limits.computeIfAbsent(value.name(), OneLimit::new).of(value.value());
            series.lastKnown = now;
            samples.merge(series, Sample.of(value), Sample::plus);
        }
        limits.values().forEach(limit -> limit.update(samples, now));
    }
}
