package io.github.kobe;

import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Faults;
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
 * {@link GroupExecutor#evictGroup}, {@link GroupExecutor#shutdownGroup}, or {@link #idleGroupTtl} without a task. What is set
 * through {@link GroupControl} wins over them.
 */
public final class GroupPolicy {

    private static final Duration DEFAULT_IDLE_GROUP_TTL = Duration.ofMinutes(1);
    private static final Duration DEFAULT_MAX_BLOCK_TIME = Duration.ofMinutes(1);
    private static final int DEFAULT_WEIGHT = 1;

    private final GroupSetting concurrency;
    private final GroupSetting weight;
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
    private final @Nullable Duration priorityAgeing;
    private final FairnessPolicy fairnessPolicy;
    private final Duration maxBlockTime;
    private final boolean recordTimes;

    private GroupPolicy(Builder b) {
        Faults faults = new Faults();
        concurrency = new GroupSetting(
                "concurrencyResolver",
                copy(b.perGroupMaxConcurrency),
                b.concurrencyResolver,
                b.defaultMaxConcurrencyPerGroup,
                faults);
        weight = new GroupSetting("weightResolver", copy(b.perGroupWeight), b.weightResolver, DEFAULT_WEIGHT, faults);
        globalMaxInFlight = b.globalMaxInFlight;
        defaultMaxInFlightPerGroup = b.defaultMaxInFlightPerGroup;
        perGroupMaxInFlight = copy(b.perGroupMaxInFlight);
        globalQueueThreshold = b.globalQueueThreshold;
        defaultQueueThresholdPerGroup = b.defaultQueueThresholdPerGroup;
        perGroupQueueThreshold = copy(b.perGroupQueueThreshold);
        rejectionPolicy = b.rejectionPolicy;
        rejectionHandler = b.rejectionHandler;
        taskLifecycleListener = b.taskLifecycleListener;
        idleGroupTtl = b.idleGroupTtl;
        priorityAgeing = b.priorityAgeing;
        fairnessPolicy = b.fairnessPolicy;
        maxBlockTime = b.maxBlockTime;
        recordTimes = b.recordTimes;
    }

    private static Map<String, Integer> copy(Map<String, Integer> map) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(map));
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
        return concurrency.of(groupKey);
    }

    /** The group's weight: its own setting, else what the resolver says, guarded as in {@link #resolveConcurrency}, else 1. */
    public int resolveWeight(String groupKey) {
        return weight.of(groupKey);
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
        return concurrency.own();
    }

    /** As given to {@link Builder#concurrencyResolver}. */
    public @Nullable ToIntFunction<String> concurrencyResolver() {
        return concurrency.resolver();
    }

    /** As given to {@link Builder#defaultMaxConcurrencyPerGroup}. */
    public int defaultMaxConcurrencyPerGroup() {
        return concurrency.fallback();
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

    /** As given to {@link Builder#priorityAgeing}; {@code null} if there is none. */
    public @Nullable Duration priorityAgeing() {
        return priorityAgeing;
    }

    /** As given to {@link Builder#idleGroupTtl}. */
    public Duration idleGroupTtl() {
        return idleGroupTtl;
    }

    /** As given to {@link Builder#perGroupWeight}; unmodifiable. */
    public Map<String, Integer> perGroupWeight() {
        return weight.own();
    }

    /** As given to {@link Builder#weightResolver}. */
    public @Nullable ToIntFunction<String> weightResolver() {
        return weight.resolver();
    }

    /** As given to {@link Builder#fairnessPolicy}. */
    public FairnessPolicy fairnessPolicy() {
        return fairnessPolicy;
    }

    /** As given to {@link Builder#maxBlockTime}. */
    public Duration maxBlockTime() {
        return maxBlockTime;
    }

    /** As given to {@link Builder#recordTimes}. */
    public boolean recordTimes() {
        return recordTimes;
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
        private @Nullable Duration priorityAgeing;
        private Map<String, Integer> perGroupWeight = Map.of();
        private @Nullable ToIntFunction<String> weightResolver;
        private FairnessPolicy fairnessPolicy = FairnessPolicy.TASKS;
        private Duration maxBlockTime = DEFAULT_MAX_BLOCK_TIME;
        private boolean recordTimes;

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
         * How long a task has to wait to make up for one step of {@link TaskOptions#priority}; positive. With it, tasks of a low
         * priority cannot starve: each is overtaken only by what comes within that time for each step of difference. Default none:
         * larger priorities always go first.
         */
        public Builder priorityAgeing(Duration perStep) {
            priorityAgeing = Objects.requireNonNull(perStep, "priorityAgeing");
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
         * The share of each named group when it competes with others for {@link #globalMaxInFlight}, at least 1; copied. One of
         * weight 3 gets three times as much as one of weight 1. Wins over the resolver.
         */
        public Builder perGroupWeight(Map<String, Integer> weights) {
            perGroupWeight = copy("perGroupWeight", weights);
            return this;
        }

        /**
         * Says the weight of groups without a setting of their own; called as {@link #concurrencyResolver} is. Without one, or if
         * it throws, the weight is 1.
         */
        public Builder weightResolver(ToIntFunction<String> resolver) {
            weightResolver = Objects.requireNonNull(resolver, "weightResolver");
            return this;
        }

        /** What is shared out by weight. Default {@link FairnessPolicy#TASKS}. */
        public Builder fairnessPolicy(FairnessPolicy policy) {
            fairnessPolicy = Objects.requireNonNull(policy, "fairnessPolicy");
            return this;
        }

        /** How long {@link RejectionPolicy#BLOCK} waits for room, not negative. Zero: not at all. Default one minute. */
        public Builder maxBlockTime(Duration time) {
            maxBlockTime = Objects.requireNonNull(time, "maxBlockTime");
            return this;
        }

        /**
         * Whether {@link GroupStats} and {@link GroupExecutorStats} have the times that tasks wait and run. That costs a few
         * kilobytes for each known group, and some time for each task. Default no.
         */
        public Builder recordTimes(boolean record) {
            recordTimes = record;
            return this;
        }

        /**
         * Makes the policy.
         *
         * @throws IllegalArgumentException if a setting is out of range; the message has its name, its key and its value
         */
        public GroupPolicy build() {
            Checks.atLeast(1, "defaultMaxConcurrencyPerGroup", defaultMaxConcurrencyPerGroup);
            Checks.atLeast(1, "globalMaxInFlight", globalMaxInFlight);
            Checks.atLeast(1, "defaultMaxInFlightPerGroup", defaultMaxInFlightPerGroup);
            Checks.atLeast(0, "globalQueueThreshold", globalQueueThreshold);
            Checks.atLeast(0, "defaultQueueThresholdPerGroup", defaultQueueThresholdPerGroup);
            Checks.allAtLeast(1, "perGroupMaxConcurrency", perGroupMaxConcurrency);
            Checks.allAtLeast(1, "perGroupMaxInFlight", perGroupMaxInFlight);
            Checks.allAtLeast(0, "perGroupQueueThreshold", perGroupQueueThreshold);
            Checks.allAtLeast(1, "perGroupWeight", perGroupWeight);
            Checks.notNegative("idleGroupTtl", idleGroupTtl);
            if (priorityAgeing != null) {
                Checks.positive("priorityAgeing", priorityAgeing);
            }
            Checks.notNegative("maxBlockTime", maxBlockTime);
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
    }
}
