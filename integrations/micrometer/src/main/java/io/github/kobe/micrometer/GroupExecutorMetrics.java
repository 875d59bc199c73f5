package io.github.kobe.micrometer;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.Registration;
import io.github.kobe.TimeStats;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of a {@link GroupExecutor}. Every meter has the tag {@code name}, the name of the executor. So every executor of a registry needs a name of its
 * own.
 *
 * <p>The meters are polled: the first one that is read takes a snapshot of the executor, which the others share for a second. Tasks pay nothing.
 * {@link Builder#timers} adds timers, which are updated by a listener.
 *
 * <p>Counters never go back, also if groups are retired and return. No meter ever has the value {@link Integer#MAX_VALUE}: what is unlimited has no
 * meter.
 *
 * <p>The meters do not keep the executor from being collected. When it has been collected, they are removed by the next scrape. An executor that was
 * shut down keeps its meters until {@link #close}.
 *
 * <p>Safe for use by many threads.
 */
public final class GroupExecutorMetrics implements MeterBinder, AutoCloseable {

    static final String PREFIX = "group.concurrency.";

    private static final String KNOWN = "Groups that the executor knows";

    private final GroupExecutor executor;
    private final GroupTags groupTags;
    private final GroupTags sharedLimitTags;
    private final boolean timers;
    private final Bindings<GroupExecutor, ExecutorSnapshot> bindings;

    private GroupExecutorMetrics(Builder builder) {
        executor = builder.executor;
        groupTags = builder.groupTags;
        sharedLimitTags = builder.sharedLimitTags;
        timers = builder.timers;
        bindings =
                new Bindings<>(executor, executor.name(), builder.settings, () -> ExecutorSnapshot::of, this::register);
    }

    /**
     * Registers the meters of {@code executor}, without meters for single groups and without timers.
     *
     * @return to be closed when the meters are not needed any more
     * @throws IllegalStateException if the registry has meters of an executor of that name
     */
    public static GroupExecutorMetrics monitor(MeterRegistry registry, GroupExecutor executor) {
        GroupExecutorMetrics metrics = builder(executor).build();
        metrics.bindTo(registry);
        return metrics;
    }

    /** Creates a builder. */
    public static Builder builder(GroupExecutor executor) {
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

    private void register(SnapshotMeters<ExecutorSnapshot> meters, List<Registration> registrations) {
        meters.requireUnused(PREFIX + "active");
        addGauges(meters);
        addCounters(meters);
        if (!groupTags.isNone()) {
            GroupMeters.add(meters, groupTags, executor, registrations);
        }
        SharedLimitMeters.add(meters, sharedLimitTags);
        if (timers) {
            registrations.add(executor.addListener(new TaskTimers(meters)));
        } else {
            addRecordedTimes(meters);
        }
    }

    private static void addGauges(SnapshotMeters<ExecutorSnapshot> meters) {
        gauge(meters, "active", BaseUnits.TASKS, "Permits in use", Tags.empty(), GroupExecutorStats::totalActiveCount);
        gauge(meters, "queued", BaseUnits.TASKS, "Queued tasks", Tags.empty(), GroupExecutorStats::totalQueuedCount);
        gauge(
                meters,
                "retrying",
                BaseUnits.TASKS,
                "Tasks that failed and await their next attempt",
                Tags.empty(),
                GroupExecutorStats::totalRetryingCount);
        gauge(meters, "groups", null, KNOWN, Tags.of("state", "known"), GroupExecutorStats::activeGroupCount);
        gauge(meters, "groups", null, KNOWN, Tags.of("state", "paused"), GroupExecutorStats::pausedGroupCount);
        meters.timeGauge(
                PREFIX + "queue.oldest",
                "How long the oldest queued task has been queued",
                Tags.empty(),
                snapshot -> snapshot.stats().oldestWaiting().toNanos());
        SnapshotMeters.OptionalGauge limit = meters.optionalGauge(
                PREFIX + "limit",
                BaseUnits.TASKS,
                "The global limit",
                Tags.empty(),
                snapshot -> SnapshotMeters.limit(snapshot.stats().globalInFlightMax()));
        meters.onSnapshot(snapshot -> limit.update());
    }

    private static void gauge(
            SnapshotMeters<ExecutorSnapshot> meters,
            String name,
            @Nullable String unit,
            String description,
            Tags more,
            ToLongFunction<GroupExecutorStats> value) {
        meters.gauge(PREFIX + name, unit, description, more, snapshot -> value.applyAsLong(snapshot.stats()));
    }

    private static void addCounters(SnapshotMeters<ExecutorSnapshot> meters) {
        meters.counter(
                PREFIX + "submitted",
                BaseUnits.TASKS,
                "Tasks that were submitted",
                Tags.empty(),
                snapshot -> snapshot.counts().get(CountSlots.SUBMITTED));
        meters.counter(
                PREFIX + "retries",
                null,
                "Attempts after the first",
                Tags.empty(),
                snapshot -> snapshot.counts().get(CountSlots.RETRIES));
        for (int i = CountSlots.FIRST_OUTCOME; i < CountSlots.SIZE; i++) {
            int slot = i;
            meters.counter(
                    PREFIX + "completed",
                    BaseUnits.TASKS,
                    "Tasks that have completed, with any outcome",
                    CountSlots.tags(slot),
                    snapshot -> snapshot.counts().get(slot));
        }
        meters.counter(
                PREFIX + "callback.faults",
                null,
                "Faults of listeners, handlers, hooks and resolvers",
                Tags.empty(),
                ExecutorSnapshot::callbackFaults);
    }

    /** If the policy records times, they are exported. They are recorded for each attempt, and not by tag or outcome. */
    private static void addRecordedTimes(SnapshotMeters<ExecutorSnapshot> meters) {
        AtomicBoolean added = new AtomicBoolean();
        Tags noTag = Tags.of("tag", TagValues.NONE);
        meters.onSnapshot(snapshot -> {
            if (snapshot.stats().waitingTime().count() > 0 && added.compareAndSet(false, true)) {
                times(
                        meters,
                        TaskTimers.WAIT,
                        "How long tasks were queued before each attempt",
                        noTag,
                        GroupExecutorStats::waitingTime);
                times(
                        meters,
                        TaskTimers.RUN,
                        "How long attempts of tasks took",
                        noTag.and("outcome", TagValues.NONE),
                        GroupExecutorStats::runningTime);
            }
        });
    }

    private static void times(
            SnapshotMeters<ExecutorSnapshot> meters,
            String name,
            String description,
            Tags more,
            Function<GroupExecutorStats, TimeStats> times) {
        meters.timer(
                name,
                description,
                more,
                snapshot -> times.apply(snapshot.stats()).count(),
                snapshot -> times.apply(snapshot.stats()).total().toNanos());
    }

    /** Builds {@link GroupExecutorMetrics}. Not safe for use by many threads. */
    public static final class Builder {

        private final GroupExecutor executor;
        private final MeterSettings settings = new MeterSettings();
        private GroupTags groupTags = GroupTags.none();
        private GroupTags sharedLimitTags = GroupTags.none();
        private boolean timers;

        private Builder(GroupExecutor executor) {
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

        /** Sets which groups have meters of their own. Default {@link GroupTags#none()}. */
        public Builder groupTags(GroupTags which) {
            groupTags = Objects.requireNonNull(which, "groupTags");
            return this;
        }

        /**
         * Sets which values of shared limits have meters of their own, the meters {@code group.concurrency.shared.*} with the tags {@code limit}, the name of the
         * limit, and {@code value}. It holds for each shared limit: {@link GroupTags#first first(50)} are up to 50 values of each. The others are
         * counted under {@code value="other"}. A value that no group has belonged to for an hour loses its meters. Default {@link GroupTags#none()}: each
         * shared limit has its sums.
         */
        public Builder sharedLimitTags(GroupTags which) {
            sharedLimitTags = Objects.requireNonNull(which, "sharedLimitTags");
            return this;
        }

        /**
         * Sets whether there are timers of tasks: {@code group.concurrency.task.wait} by tag, {@code group.concurrency.task.run} by tag and outcome. A
         * listener updates them with each task. At most 50 tags have timers of their own; the others share {@code tag="other"}. Default
         * {@code false}. Then these two have only count and sum, and only if {@link io.github.kobe.GroupPolicy#recordTimes()}; tag and outcome are
         * "none". A timer counts a task once, from its first start on; recorded times count each attempt, see
         * {@link io.github.kobe.GroupPolicy.Builder#recordTimes}.
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

        /** Builds the metrics. They are registered by {@link GroupExecutorMetrics#bindTo}. */
        public GroupExecutorMetrics build() {
            return new GroupExecutorMetrics(this);
        }
    }
}
