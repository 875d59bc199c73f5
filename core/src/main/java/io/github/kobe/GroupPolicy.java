package io.github.kobe;

import io.github.kobe.internal.Faults;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What groups are allowed, and what happens when there is no room. Immutable; made by a {@link Builder}.
 *
 * <p>A group's limits are resolved when it is first used and stay as they are while the group is known: until
 * {@link GroupExecutor#evictGroup}, {@link GroupExecutor#shutdownGroup}, or {@link #idleGroupTtl} without a task.
 */
public final class GroupPolicy {

    private static final Duration DEFAULT_IDLE_GROUP_TTL = Duration.ofMinutes(1);

    private final Map<String, Integer> perGroupMaxConcurrency;
    private final @Nullable ToIntFunction<String> concurrencyResolver;
    private final int defaultMaxConcurrencyPerGroup;
    private final int globalMaxInFlight;
    private final int defaultMaxInFlightPerGroup;
    private final Map<String, Integer> perGroupMaxInFlight;
    private final int globalQueueThreshold;
    private final int defaultQueueThresholdPerGroup;
    private final Map<String, Integer> perGroupQueueThreshold;
    private final RejectionPolicy rejectionPolicy;
    private final @Nullable RejectionHandler rejectionHandler;
    private final @Nullable TaskLifecycleListener taskLifecycleListener;
    private final Duration idleGroupTtl;
    private final Faults faults = new Faults();

    private GroupPolicy(Builder b) {
        perGroupMaxConcurrency = Collections.unmodifiableMap(new LinkedHashMap<>(b.perGroupMaxConcurrency));
        concurrencyResolver = b.concurrencyResolver;
        defaultMaxConcurrencyPerGroup = b.defaultMaxConcurrencyPerGroup;
        globalMaxInFlight = b.globalMaxInFlight;
        defaultMaxInFlightPerGroup = b.defaultMaxInFlightPerGroup;
        perGroupMaxInFlight = Collections.unmodifiableMap(new LinkedHashMap<>(b.perGroupMaxInFlight));
        globalQueueThreshold = b.globalQueueThreshold;
        defaultQueueThresholdPerGroup = b.defaultQueueThresholdPerGroup;
        perGroupQueueThreshold = Collections.unmodifiableMap(new LinkedHashMap<>(b.perGroupQueueThreshold));
        rejectionPolicy = b.rejectionPolicy;
        rejectionHandler = b.rejectionHandler;
        taskLifecycleListener = b.taskLifecycleListener;
        idleGroupTtl = b.idleGroupTtl;
    }

    /** A builder with the defaults that its methods name. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * How many tasks of the group may run at once: the group's own setting, else what the resolver says, else the default. A
     * resolver that throws counts as absent, one that returns less than 1 as saying 1; the first time is reported through
     * {@link System.Logger}.
     */
    public int resolveConcurrency(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        Integer own = perGroupMaxConcurrency.get(groupKey);
        if (own != null) {
            return own;
        }
        return concurrencyResolver == null ? defaultMaxConcurrencyPerGroup : askResolver(concurrencyResolver, groupKey);
    }

    private int askResolver(ToIntFunction<String> resolver, String groupKey) {
        try {
            int answer = resolver.applyAsInt(groupKey);
            if (answer < 1) {
                faults.report(
                        "concurrencyResolver", "group '" + groupKey + "': " + answer, "said less than 1, taken as 1,");
            }
            return Math.max(1, answer);
        } catch (Throwable fault) {
            faults.report("concurrencyResolver", "group '" + groupKey + "', which gets the default", fault);
            return defaultMaxConcurrencyPerGroup;
        }
    }

    /** The group's in-flight limit: its own setting, else the default. */
    public int resolveMaxInFlight(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        return perGroupMaxInFlight.getOrDefault(groupKey, defaultMaxInFlightPerGroup);
    }

    /** How many tasks may wait for the group's limits: its own setting, else the default. */
    public int resolveQueueThreshold(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        return perGroupQueueThreshold.getOrDefault(groupKey, defaultQueueThresholdPerGroup);
    }

    /** As given to {@link Builder#perGroupMaxConcurrency}; unmodifiable. */
    public Map<String, Integer> perGroupMaxConcurrency() {
        return perGroupMaxConcurrency;
    }

    /** As given to {@link Builder#concurrencyResolver}. */
    public @Nullable ToIntFunction<String> concurrencyResolver() {
        return concurrencyResolver;
    }

    /** As given to {@link Builder#defaultMaxConcurrencyPerGroup}. */
    public int defaultMaxConcurrencyPerGroup() {
        return defaultMaxConcurrencyPerGroup;
    }

    /** As given to {@link Builder#globalMaxInFlight}. */
    public int globalMaxInFlight() {
        return globalMaxInFlight;
    }

    /** As given to {@link Builder#defaultMaxInFlightPerGroup}. */
    public int defaultMaxInFlightPerGroup() {
        return defaultMaxInFlightPerGroup;
    }

    /** As given to {@link Builder#perGroupMaxInFlight}; unmodifiable. */
    public Map<String, Integer> perGroupMaxInFlight() {
        return perGroupMaxInFlight;
    }

    /** As given to {@link Builder#globalQueueThreshold}. */
    public int globalQueueThreshold() {
        return globalQueueThreshold;
    }

    /** As given to {@link Builder#defaultQueueThresholdPerGroup}. */
    public int defaultQueueThresholdPerGroup() {
        return defaultQueueThresholdPerGroup;
    }

    /** As given to {@link Builder#perGroupQueueThreshold}; unmodifiable. */
    public Map<String, Integer> perGroupQueueThreshold() {
        return perGroupQueueThreshold;
    }

    /** As given to {@link Builder#rejectionPolicy}. */
    public RejectionPolicy rejectionPolicy() {
        return rejectionPolicy;
    }

    /** As given to {@link Builder#rejectionHandler}. */
    public @Nullable RejectionHandler rejectionHandler() {
        return rejectionHandler;
    }

    /** As given to {@link Builder#taskLifecycleListener}. */
    public @Nullable TaskLifecycleListener taskLifecycleListener() {
        return taskLifecycleListener;
    }

    /** As given to {@link Builder#idleGroupTtl}. */
    public Duration idleGroupTtl() {
        return idleGroupTtl;
    }

    /** Collects the settings of a policy. Not safe for use by many threads. */
    public static final class Builder {

        private Map<String, Integer> perGroupMaxConcurrency = Map.of();
        private @Nullable ToIntFunction<String> concurrencyResolver;
        private int defaultMaxConcurrencyPerGroup = 1;
        private int globalMaxInFlight = Integer.MAX_VALUE;
        private int defaultMaxInFlightPerGroup = Integer.MAX_VALUE;
        private Map<String, Integer> perGroupMaxInFlight = Map.of();
        private int globalQueueThreshold = Integer.MAX_VALUE;
        private int defaultQueueThresholdPerGroup = Integer.MAX_VALUE;
        private Map<String, Integer> perGroupQueueThreshold = Map.of();
        private RejectionPolicy rejectionPolicy = RejectionPolicy.ABORT;
        private @Nullable RejectionHandler rejectionHandler;
        private @Nullable TaskLifecycleListener taskLifecycleListener;
        private Duration idleGroupTtl = DEFAULT_IDLE_GROUP_TTL;

        private Builder() {}

        /** How many tasks of each named group may run at once, at least 1; copied. Wins over resolver and default. */
        public Builder perGroupMaxConcurrency(Map<String, Integer> limits) {
            perGroupMaxConcurrency = copy("perGroupMaxConcurrency", limits);
            return this;
        }

        /**
         * Says how many tasks of a group may run at once, for groups without a setting of their own. Called on the submitting
         * thread when a group is first used, at times more than once if several threads use it first. If it throws, the default
         * holds for as long as the group is known.
         */
        public Builder concurrencyResolver(ToIntFunction<String> resolver) {
            concurrencyResolver = Objects.requireNonNull(resolver, "concurrencyResolver");
            return this;
        }

        /** How many tasks of any other group may run at once, at least 1. Default 1. */
        public Builder defaultMaxConcurrencyPerGroup(int limit) {
            defaultMaxConcurrencyPerGroup = limit;
            return this;
        }

        /**
         * How many tasks of all groups together may run at once, at least 1. Default unlimited. Groups that compete for it take
         * turns. A task that waits does not count, so a group that is stuck at its own limit never takes it from others.
         */
        public Builder globalMaxInFlight(int limit) {
            globalMaxInFlight = limit;
            return this;
        }

        /** A second bound on what a group runs at once, at least 1; the smaller of the two counts. Default unlimited. */
        public Builder defaultMaxInFlightPerGroup(int limit) {
            defaultMaxInFlightPerGroup = limit;
            return this;
        }

        /** As {@link #defaultMaxInFlightPerGroup}, for each named group; copied. */
        public Builder perGroupMaxInFlight(Map<String, Integer> limits) {
            perGroupMaxInFlight = copy("perGroupMaxInFlight", limits);
            return this;
        }

        /**
         * How many tasks may be in the executor beyond {@link #globalMaxInFlight}, at least 0, whatever they wait for. One more
         * that cannot start at once is rejected. One group can fill it, so bound each group's queue too. 0: none waits for the
         * global limit. Default unlimited; without a global limit it means nothing.
         */
        public Builder globalQueueThreshold(int threshold) {
            globalQueueThreshold = threshold;
            return this;
        }

        /**
         * How many tasks of a group may wait for the group's own limits, at least 0; one more is rejected. 0: none waits for
         * them. Default unlimited.
         */
        public Builder defaultQueueThresholdPerGroup(int threshold) {
            defaultQueueThresholdPerGroup = threshold;
            return this;
        }

        /** As {@link #defaultQueueThresholdPerGroup}, for each named group; copied. */
        public Builder perGroupQueueThreshold(Map<String, Integer> thresholds) {
            perGroupQueueThreshold = copy("perGroupQueueThreshold", thresholds);
            return this;
        }

        /** What becomes of a task that is not let in. Default {@link RejectionPolicy#ABORT}. Ignored if there is a handler. */
        public Builder rejectionPolicy(RejectionPolicy policy) {
            rejectionPolicy = Objects.requireNonNull(policy, "rejectionPolicy");
            return this;
        }

        /** Decides what becomes of a task that is not let in; wins over {@link #rejectionPolicy}. */
        public Builder rejectionHandler(RejectionHandler handler) {
            rejectionHandler = Objects.requireNonNull(handler, "rejectionHandler");
            return this;
        }

        /** Told what happens to each task. */
        public Builder taskLifecycleListener(TaskLifecycleListener listener) {
            taskLifecycleListener = Objects.requireNonNull(listener, "taskLifecycleListener");
            return this;
        }

        /**
         * How long a group without tasks is remembered, and with it its limits. Zero: not at all. Default one minute. For ever:
         * {@link java.time.temporal.ChronoUnit#FOREVER}{@code .getDuration()}, or anything past 292 years.
         */
        public Builder idleGroupTtl(Duration ttl) {
            idleGroupTtl = Objects.requireNonNull(ttl, "idleGroupTtl");
            return this;
        }

        /**
         * Makes the policy.
         *
         * @throws IllegalArgumentException if a setting is out of range; the message has its name, its key and its value
         */
        public GroupPolicy build() {
            atLeast(1, "defaultMaxConcurrencyPerGroup", defaultMaxConcurrencyPerGroup);
            atLeast(1, "globalMaxInFlight", globalMaxInFlight);
            atLeast(1, "defaultMaxInFlightPerGroup", defaultMaxInFlightPerGroup);
            atLeast(0, "globalQueueThreshold", globalQueueThreshold);
            atLeast(0, "defaultQueueThresholdPerGroup", defaultQueueThresholdPerGroup);
            allAtLeast(1, "perGroupMaxConcurrency", perGroupMaxConcurrency);
            allAtLeast(1, "perGroupMaxInFlight", perGroupMaxInFlight);
            allAtLeast(0, "perGroupQueueThreshold", perGroupQueueThreshold);
            if (idleGroupTtl.isNegative()) {
                throw new IllegalArgumentException("idleGroupTtl must not be negative, but is " + idleGroupTtl);
            }
            return new GroupPolicy(this);
        }

        private static Map<String, Integer> copy(String name, Map<String, Integer> given) {
            Objects.requireNonNull(given, name);
            Map<String, Integer> copy = new LinkedHashMap<>(given);
            copy.forEach((key, value) -> {
                Objects.requireNonNull(key, () -> name + " has a null key");
                Objects.requireNonNull(value, () -> name + "[" + key + "] is null");
            });
            return copy;
        }

        private static void allAtLeast(int least, String name, Map<String, Integer> values) {
            values.forEach((key, value) -> atLeast(least, name + "[" + key + "]", value));
        }

        private static void atLeast(int least, String name, int value) {
            if (value < least) {
                throw new IllegalArgumentException(name + " must be at least " + least + ", but is " + value);
            }
        }
    }
}
