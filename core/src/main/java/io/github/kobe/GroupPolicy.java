package io.github.kobe;

import io.github.kobe.fleet.Fleet;
import io.github.kobe.internal.group.GroupSetting;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Faults;
import io.github.kobe.internal.util.SettingsText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The limits of groups, and what to do with a task when the queue is full. Immutable. Created by a {@link Builder}.
 *
 * <p>A group's limits are resolved when the group is first used. They stay the same until {@link GroupExecutor#evictGroup},
 * {@link GroupExecutor#shutdownGroup}, or until the group has had no task for {@link #idleGroupTtl}. A setting made through
 * {@link GroupControl} overrides the policy.
 */
public final class GroupPolicy {

    private static final Duration DEFAULT_IDLE_GROUP_TTL = Duration.ofMinutes(1);
    private static final Duration DEFAULT_MAX_BLOCK_TIME = Duration.ofMinutes(1);

    /** Each one costs every task of its groups some time. */
    private static final int MAX_SHARED_LIMITS = 32;

    private final @Nullable String name;
    private final Map<String, Integer> perGroupMaxConcurrency;
    private final @Nullable ToIntFunction<String> concurrencyResolver;
    private final int defaultMaxConcurrencyPerGroup;
    private final int globalMaxInFlight;
    private final int defaultMaxInFlightPerGroup;
    private final Map<String, Integer> perGroupMaxInFlight;
    private final @Nullable ToIntFunction<String> maxInFlightResolver;
    private final int globalQueueThreshold;
    private final int defaultQueueThresholdPerGroup;
    private final Map<String, Integer> perGroupQueueThreshold;
    private final @Nullable ToIntFunction<String> queueThresholdResolver;
    private final Map<String, Integer> perGroupWeight;
    private final @Nullable ToIntFunction<String> weightResolver;
    private final RejectionPolicy rejectionPolicy;
    private final @Nullable RejectionHandler rejectionHandler;
    private final @Nullable TaskLifecycleListener taskLifecycleListener;
    private final @Nullable ContextCarrier contextCarrier;
    private final Duration idleGroupTtl;
    private final @Nullable Duration priorityAgeing;
    private final FairnessPolicy fairnessPolicy;
    private final Duration maxBlockTime;
    private final boolean recordTimes;
    private final Duration closeTimeout;
    private final int maxGroups;
    private final @Nullable Fleet fleet;
    private final List<SharedLimit> sharedLimits;

    /** Of the resolvers, when a caller of this object asks. An executor counts its own. */
    private final Faults faults = new Faults(System::nanoTime);

    private GroupPolicy(Builder b) {
        name = b.name;
        perGroupMaxConcurrency = copy(b.perGroupMaxConcurrency);
        concurrencyResolver = b.concurrencyResolver;
        defaultMaxConcurrencyPerGroup = b.defaultMaxConcurrencyPerGroup;
        globalMaxInFlight = b.globalMaxInFlight;
        defaultMaxInFlightPerGroup = b.defaultMaxInFlightPerGroup;
        perGroupMaxInFlight = copy(b.perGroupMaxInFlight);
        maxInFlightResolver = b.maxInFlightResolver;
        globalQueueThreshold = b.globalQueueThreshold;
        defaultQueueThresholdPerGroup = b.defaultQueueThresholdPerGroup;
        perGroupQueueThreshold = copy(b.perGroupQueueThreshold);
        queueThresholdResolver = b.queueThresholdResolver;
        perGroupWeight = copy(b.perGroupWeight);
        weightResolver = b.weightResolver;
        rejectionPolicy = b.rejectionPolicy;
        rejectionHandler = b.rejectionHandler;
        taskLifecycleListener = b.taskLifecycleListener;
        contextCarrier = b.contextCarrier;
        idleGroupTtl = b.idleGroupTtl;
        priorityAgeing = b.priorityAgeing;
        fairnessPolicy = b.fairnessPolicy;
        maxBlockTime = b.maxBlockTime;
        recordTimes = b.recordTimes;
        closeTimeout = b.closeTimeout;
        maxGroups = b.maxGroups;
        fleet = b.fleet;
        sharedLimits = List.copyOf(b.sharedLimits);
    }

    private static Map<String, Integer> copy(Map<String, Integer> map) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }

    /** Creates a builder. Each of its methods documents its default. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns how many tasks of the group may run at once: the group's own setting, else the result of the resolver, else the default.
     * If the resolver throws, the default applies. If it returns less than 1, the value is 1. Such faults are logged through
     * {@link System.Logger}; an executor also counts those that it meets.
     */
    public int resolveConcurrency(String groupKey) {
        return GroupSetting.concurrency(this, faults).of(groupKey);
    }

    /**
     * Returns the group's weight: its own setting, else the result of the resolver, else 1. A resolver that throws or returns less than 1
     * is treated as in {@link #resolveConcurrency}.
     */
    public int resolveWeight(String groupKey) {
        return GroupSetting.weight(this, faults).of(groupKey);
    }

    /**
     * Returns the group's in-flight limit: its own setting, else the result of the resolver, else the default. A resolver that throws or
     * returns less than 1 is treated as in {@link #resolveConcurrency}.
     */
    public int resolveMaxInFlight(String groupKey) {
        return GroupSetting.maxInFlight(this, faults).of(groupKey);
    }

    /**
     * Returns how many tasks may be queued for the group's own limits: its own setting, else the result of the resolver, else the default.
     * If the resolver returns less than 0, the value is 0. A resolver that throws is treated as in {@link #resolveConcurrency}.
     */
    public int resolveQueueThreshold(String groupKey) {
        return GroupSetting.queueThreshold(this, faults).of(groupKey);
    }

    /** Returns the value of {@link Builder#name}; {@code null} if there is none. {@link GroupExecutor#name} is never {@code null}. */
    public @Nullable String name() {
        return name;
    }

    /** Returns the value of {@link Builder#perGroupMaxConcurrency}. The map is unmodifiable. */
    public Map<String, Integer> perGroupMaxConcurrency() {
        return perGroupMaxConcurrency;
    }

    /** Returns the value of {@link Builder#concurrencyResolver}; {@code null} if there is none. */
    public @Nullable ToIntFunction<String> concurrencyResolver() {
        return concurrencyResolver;
    }

    /** Returns the value of {@link Builder#defaultMaxConcurrencyPerGroup}. */
    public int defaultMaxConcurrencyPerGroup() {
        return defaultMaxConcurrencyPerGroup;
    }

    /** Returns the value of {@link Builder#globalMaxInFlight}. */
    public int globalMaxInFlight() {
        return globalMaxInFlight;
    }

    /** Returns the value of {@link Builder#defaultMaxInFlightPerGroup}. */
    public int defaultMaxInFlightPerGroup() {
        return defaultMaxInFlightPerGroup;
    }

    /** Returns the value of {@link Builder#perGroupMaxInFlight}. The map is unmodifiable. */
    public Map<String, Integer> perGroupMaxInFlight() {
        return perGroupMaxInFlight;
    }

    /** Returns the value of {@link Builder#maxInFlightResolver}; {@code null} if there is none. */
    public @Nullable ToIntFunction<String> maxInFlightResolver() {
        return maxInFlightResolver;
    }

    /** Returns the value of {@link Builder#globalQueueThreshold}. */
    public int globalQueueThreshold() {
        return globalQueueThreshold;
    }

    /** Returns the value of {@link Builder#defaultQueueThresholdPerGroup}. */
    public int defaultQueueThresholdPerGroup() {
        return defaultQueueThresholdPerGroup;
    }

    /** Returns the value of {@link Builder#perGroupQueueThreshold}. The map is unmodifiable. */
    public Map<String, Integer> perGroupQueueThreshold() {
        return perGroupQueueThreshold;
    }

    /** Returns the value of {@link Builder#queueThresholdResolver}; {@code null} if there is none. */
    public @Nullable ToIntFunction<String> queueThresholdResolver() {
        return queueThresholdResolver;
    }

    /** Returns the value of {@link Builder#rejectionPolicy}. */
    public RejectionPolicy rejectionPolicy() {
        return rejectionPolicy;
    }

    /** Returns the value of {@link Builder#rejectionHandler}; {@code null} if there is none. */
    public @Nullable RejectionHandler rejectionHandler() {
        return rejectionHandler;
    }

    /** Returns the value of {@link Builder#taskLifecycleListener}; {@code null} if there is none. */
    public @Nullable TaskLifecycleListener taskLifecycleListener() {
        return taskLifecycleListener;
    }

    /** Returns the value of {@link Builder#contextCarrier}; {@code null} if there is none. */
    public @Nullable ContextCarrier contextCarrier() {
        return contextCarrier;
    }

    /** Returns the value of {@link Builder#priorityAgeing}; {@code null} if there is none. */
    public @Nullable Duration priorityAgeing() {
        return priorityAgeing;
    }

    /** Returns the value of {@link Builder#idleGroupTtl}. */
    public Duration idleGroupTtl() {
        return idleGroupTtl;
    }

    /** Returns the value of {@link Builder#perGroupWeight}. The map is unmodifiable. */
    public Map<String, Integer> perGroupWeight() {
        return perGroupWeight;
    }

    /** Returns the value of {@link Builder#weightResolver}; {@code null} if there is none. */
    public @Nullable ToIntFunction<String> weightResolver() {
        return weightResolver;
    }

    /** Returns the value of {@link Builder#fairnessPolicy}. */
    public FairnessPolicy fairnessPolicy() {
        return fairnessPolicy;
    }

    /** Returns the value of {@link Builder#maxBlockTime}. */
    public Duration maxBlockTime() {
        return maxBlockTime;
    }

    /** Returns the value of {@link Builder#recordTimes}. */
    public boolean recordTimes() {
        return recordTimes;
    }

    /** Returns the value of {@link Builder#closeTimeout}. */
    public Duration closeTimeout() {
        return closeTimeout;
    }

    /** Returns the value of {@link Builder#maxGroups}. */
    public int maxGroups() {
        return maxGroups;
    }

    /** Returns the limits of {@link Builder#sharedLimit}, in the order in which they were added. The list is unmodifiable. */
    public List<SharedLimit> sharedLimits() {
        return sharedLimits;
    }

    /** Returns the value of {@link Builder#fleet}; {@code null} if there is none. */
    public @Nullable Fleet fleet() {
        return fleet;
    }

    /**
     * Returns the concurrency limit, what happens when the queue is full, and each other setting that differs from its default, such as
     * "GroupPolicy[max concurrency 1 (vip 4), queue threshold 100, rejection policy ABORT]". Of a map, the first five groups.
     */
    @Override
    public String toString() {
        return new SettingsText("GroupPolicy")
                .addUnless(null, "name", name)
                .addPerGroup(
                        "max concurrency",
                        defaultMaxConcurrencyPerGroup,
                        0,
                        perGroupMaxConcurrency,
                        concurrencyResolver != null)
                .addPerGroup(
                        "max in flight",
                        defaultMaxInFlightPerGroup,
                        Integer.MAX_VALUE,
                        perGroupMaxInFlight,
                        maxInFlightResolver != null)
                .addPerGroup(
                        "queue threshold",
                        defaultQueueThresholdPerGroup,
                        Integer.MAX_VALUE,
                        perGroupQueueThreshold,
                        queueThresholdResolver != null)
                .addPerGroup("weight", 1, 1, perGroupWeight, weightResolver != null)
                .addLimit("global max in flight", globalMaxInFlight)
                .addLimit("global queue threshold", globalQueueThreshold)
                .addKeys(
                        "shared limits",
                        sharedLimits.stream().map(SharedLimit::name).toList())
                .addIf(rejectionHandler != null, "rejection handler")
                .addUnless(rejectionHandler == null ? null : rejectionPolicy, "rejection policy", rejectionPolicy)
                .addUnless(DEFAULT_MAX_BLOCK_TIME, "max block time", maxBlockTime)
                .addUnless(FairnessPolicy.TASKS, "fairness", fairnessPolicy)
                .addUnless(null, "priority ageing", priorityAgeing)
                .addUnless(DEFAULT_IDLE_GROUP_TTL, "idle group ttl", idleGroupTtl)
                .addLimit("max groups", maxGroups)
                .addUnless(Duration.ZERO, "close timeout", closeTimeout)
                .addIf(recordTimes, "records times")
                .addIf(taskLifecycleListener != null, "listener")
                .addIf(contextCarrier != null, "context carrier")
                .addUnless(null, "fleet", fleet == null ? null : fleet.name())
                .toString();
    }

    /** Builds a {@link GroupPolicy}. Not safe for use by many threads. */
    public static final class Builder {

        private @Nullable String name;
        private Map<String, Integer> perGroupMaxConcurrency = Map.of();
        private @Nullable ToIntFunction<String> concurrencyResolver;
        private int defaultMaxConcurrencyPerGroup = 1;
        private int globalMaxInFlight = Integer.MAX_VALUE;
        private int defaultMaxInFlightPerGroup = Integer.MAX_VALUE;
        private Map<String, Integer> perGroupMaxInFlight = Map.of();
        private @Nullable ToIntFunction<String> maxInFlightResolver;
        private int globalQueueThreshold = Integer.MAX_VALUE;
        private int defaultQueueThresholdPerGroup = Integer.MAX_VALUE;
        private Map<String, Integer> perGroupQueueThreshold = Map.of();
        private @Nullable ToIntFunction<String> queueThresholdResolver;
        private RejectionPolicy rejectionPolicy = RejectionPolicy.ABORT;
        private @Nullable RejectionHandler rejectionHandler;
        private @Nullable TaskLifecycleListener taskLifecycleListener;
        private @Nullable ContextCarrier contextCarrier;
        private Duration idleGroupTtl = DEFAULT_IDLE_GROUP_TTL;
        private @Nullable Duration priorityAgeing;
        private Map<String, Integer> perGroupWeight = Map.of();
        private @Nullable ToIntFunction<String> weightResolver;
        private FairnessPolicy fairnessPolicy = FairnessPolicy.TASKS;
        private Duration maxBlockTime = DEFAULT_MAX_BLOCK_TIME;
        private boolean recordTimes;
        private Duration closeTimeout = Duration.ZERO;
        private int maxGroups = Integer.MAX_VALUE;
        private @Nullable Fleet fleet;
        private final List<SharedLimit> sharedLimits = new ArrayList<>();

        private Builder() {}

        /**
         * Sets the name of the executor, for metrics, log lines, messages and threads: the thread of a task is named after the executor and the
         * group, such as "orders/tenant-1". Not blank. Default none: the executor is called "groups-" and a number, and its threads are named
         * after the group alone.
         */
        public Builder name(String name) {
            this.name = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Sets how many tasks of each named group may run at once, at least 1. The map is copied. A value here overrides the resolver and
         * the default.
         */
        public Builder perGroupMaxConcurrency(Map<String, Integer> limits) {
            perGroupMaxConcurrency = copy("perGroupMaxConcurrency", limits);
            return this;
        }

        /**
         * Sets a function that returns how many tasks of a group may run at once, for groups without a setting of their own. It is called
         * on the submitting thread when a group is first used. If several threads submit to a new group at the same time, each of them may
         * call it. If it throws, the default applies to the group until its limits are resolved again.
         *
         * <p>A resolver must not use its own group. A submit, a setting, an eviction or a shutdown of that group throws
         * {@link IllegalStateException} in the resolver and has no effect. It may use other groups.
         */
        public Builder concurrencyResolver(ToIntFunction<String> resolver) {
            concurrencyResolver = Objects.requireNonNull(resolver, "concurrencyResolver");
            return this;
        }

        /** Sets how many tasks of any other group may run at once, at least 1. Default 1. */
        public Builder defaultMaxConcurrencyPerGroup(int limit) {
            defaultMaxConcurrencyPerGroup = limit;
            return this;
        }

        /**
         * Sets how many tasks of all groups together may run at once, at least 1. Default unlimited. Groups that compete for it take
         * turns by weighted round robin. A queued task holds no permit, so a group that is at its own limit does not block other groups.
         */
        public Builder globalMaxInFlight(int limit) {
            globalMaxInFlight = limit;
            return this;
        }

        /**
         * Adds a limit that several groups share. Default none. A task starts when its group, each of its shared limits and the global limit have room, and
         * takes all permits in one step. The groups that wait for a shared limit take turns by weight; those of one value together, if {@link SharedLimit#weight(int)} says so.
         *
         * @throws IllegalArgumentException if there is a shared limit of the same name, or if there are 32 shared limits
         */
        public Builder sharedLimit(SharedLimit limit) {
            Objects.requireNonNull(limit, "sharedLimit");
            if (sharedLimits.stream().anyMatch(other -> other.name().equals(limit.name()))) {
                throw new IllegalArgumentException("there is a shared limit '" + limit.name() + "' already");
            }
            Checks.check(
                    sharedLimits.size() < MAX_SHARED_LIMITS,
                    "number of shared limits",
                    "at most " + MAX_SHARED_LIMITS,
                    sharedLimits.size() + 1);
            sharedLimits.add(limit);
            return this;
        }

        /** Sets a second limit on how many tasks of a group may run at once, at least 1. The smaller limit applies. Default unlimited. */
        public Builder defaultMaxInFlightPerGroup(int limit) {
            defaultMaxInFlightPerGroup = limit;
            return this;
        }

        /** Sets the limit of {@link #defaultMaxInFlightPerGroup} for each named group. The map is copied. */
        public Builder perGroupMaxInFlight(Map<String, Integer> limits) {
            perGroupMaxInFlight = copy("perGroupMaxInFlight", limits);
            return this;
        }

        /**
         * Sets a function that returns the limit of {@link #defaultMaxInFlightPerGroup} for groups without a setting of their own. It is
         * called like {@link #concurrencyResolver}.
         */
        public Builder maxInFlightResolver(ToIntFunction<String> resolver) {
            maxInFlightResolver = Objects.requireNonNull(resolver, "maxInFlightResolver");
            return this;
        }

        /**
         * Sets how many tasks may be in the executor beyond {@link #globalMaxInFlight}, at least 0, whichever limit they are queued for.
         * If that many are, another task that cannot start at once is rejected. With 0, no task is queued for the global limit. One
         * group alone can use up this threshold, so limit the queue of each group too. Default unlimited. Without a global limit it has no
         * effect.
         */
        public Builder globalQueueThreshold(int threshold) {
            globalQueueThreshold = threshold;
            return this;
        }

        /**
         * Sets how many tasks of a group may be queued for the group's own limits, at least 0. If the queue is full, a task is rejected.
         * With 0, no task is queued for them. Default unlimited.
         */
        public Builder defaultQueueThresholdPerGroup(int threshold) {
            defaultQueueThresholdPerGroup = threshold;
            return this;
        }

        /** Sets the threshold of {@link #defaultQueueThresholdPerGroup} for each named group. The map is copied. */
        public Builder perGroupQueueThreshold(Map<String, Integer> thresholds) {
            perGroupQueueThreshold = copy("perGroupQueueThreshold", thresholds);
            return this;
        }

        /**
         * Sets a function that returns the threshold of {@link #defaultQueueThresholdPerGroup} for groups without a setting of their own. It
         * is called like {@link #concurrencyResolver}. If it returns less than 0, the threshold is 0.
         */
        public Builder queueThresholdResolver(ToIntFunction<String> resolver) {
            queueThresholdResolver = Objects.requireNonNull(resolver, "queueThresholdResolver");
            return this;
        }

        /** Sets what to do with a task when the queue is full. Default {@link RejectionPolicy#ABORT}. Ignored if there is a handler. */
        public Builder rejectionPolicy(RejectionPolicy policy) {
            rejectionPolicy = Objects.requireNonNull(policy, "rejectionPolicy");
            return this;
        }

        /** Sets a handler that decides the outcome of rejected tasks. It overrides {@link #rejectionPolicy}. Default none. */
        public Builder rejectionHandler(RejectionHandler handler) {
            rejectionHandler = Objects.requireNonNull(handler, "rejectionHandler");
            return this;
        }

        /** Sets a listener that is notified of each step in the life of each task. Default none. */
        public Builder taskLifecycleListener(TaskLifecycleListener listener) {
            taskLifecycleListener = Objects.requireNonNull(listener, "taskLifecycleListener");
            return this;
        }

        /**
         * Sets a carrier of context from submitters to tasks and their callbacks. For several, see {@link ContextCarrier#andThen}. Default
         * none: a task starts without anything of its submitter's thread.
         */
        public Builder contextCarrier(ContextCarrier carrier) {
            contextCarrier = Objects.requireNonNull(carrier, "contextCarrier");
            return this;
        }

        /**
         * Sets how long a task must be queued to make up for one step of {@link TaskOptions#priority}; positive. With ageing, tasks of a
         * low priority cannot starve: a task of a priority that is higher by {@code k} steps starts first only if it was submitted less
         * than {@code k} times this duration later. Default none: tasks of a higher priority always start first.
         */
        public Builder priorityAgeing(Duration perStep) {
            priorityAgeing = Objects.requireNonNull(perStep, "priorityAgeing");
            return this;
        }

        /**
         * Sets how long an idle group and its limits are remembered. Zero: the group is retired as soon as it is idle. Default one minute.
         * To remember groups for ever, use {@link java.time.temporal.ChronoUnit#FOREVER}{@code .getDuration()} or any time over 292 years.
         */
        public Builder idleGroupTtl(Duration ttl) {
            idleGroupTtl = Objects.requireNonNull(ttl, "idleGroupTtl");
            return this;
        }

        /**
         * Sets the weight of each named group when it competes with other groups for {@link #globalMaxInFlight} or a {@link SharedLimit}, at least 1. A group of
         * weight 3 gets three times as much as a group of weight 1. The map is copied. A value here overrides the resolver.
         */
        public Builder perGroupWeight(Map<String, Integer> weights) {
            perGroupWeight = copy("perGroupWeight", weights);
            return this;
        }

        /**
         * Sets a function that returns the weight of groups without a setting of their own. It is called like
         * {@link #concurrencyResolver}. If there is none, or if it throws, the weight is 1.
         */
        public Builder weightResolver(ToIntFunction<String> resolver) {
            weightResolver = Objects.requireNonNull(resolver, "weightResolver");
            return this;
        }

        /** Sets what competing groups share by weight. Default {@link FairnessPolicy#TASKS}. */
        public Builder fairnessPolicy(FairnessPolicy policy) {
            fairnessPolicy = Objects.requireNonNull(policy, "fairnessPolicy");
            return this;
        }

        /** Sets how long {@link RejectionPolicy#BLOCK} blocks the submitter at most, not negative. Zero: not at all. Default one minute. */
        public Builder maxBlockTime(Duration time) {
            maxBlockTime = Objects.requireNonNull(time, "maxBlockTime");
            return this;
        }

        /**
         * Sets whether {@link GroupStats} and {@link GroupExecutorStats} contain the times that tasks are queued and run. Each attempt of a
         * task is recorded alone, with its own time in the queue; the delay between attempts is in neither. Under
         * {@link RetryPolicy#keepingPermit} all attempts are one time, with the delays. Recording costs a few kilobytes for each known group
         * and some time for each task. Default {@code false}.
         */
        public Builder recordTimes(boolean record) {
            recordTimes = record;
            return this;
        }

        /**
         * Sets how long {@link GroupExecutor#close} lets running tasks finish before it interrupts them, not negative. Queued tasks are
         * cancelled at once, see {@link ShutdownMode#FINISH_RUNNING}. Default zero: {@code close} interrupts running tasks at once.
         */
        public Builder closeTimeout(Duration time) {
            closeTimeout = Objects.requireNonNull(time, "closeTimeout");
            return this;
        }

        /**
         * Sets how many groups the executor may know at a time, at least 1. Default unlimited. Set it if others choose the keys, for example
         * if a key is a field of a request.
         *
         * <p>If a task or a permit needs one more group, a group that is idle is retired first, even if {@link #idleGroupTtl} is not over. If
         * there is none, the task is rejected with {@link RejectionReason#TOO_MANY_GROUPS}, at once and without a call of a resolver, and the
         * {@link #rejectionPolicy} applies. {@link RejectionPolicy#BLOCK} does not wait. If there are many groups, one submit examines 32 of
         * them, so it may be rejected although a group is idle; the next submit examines others.
         */
        public Builder maxGroups(int groups) {
            maxGroups = groups;
            return this;
        }

        /**
         * Shares the limits on concurrency with other executors of a fleet, in this JVM and in others: {@link #defaultMaxConcurrencyPerGroup},
         * {@link #perGroupMaxConcurrency} and {@link #concurrencyResolver} are then limits of the whole fleet. Groups with the same key are the same group. The
         * limits on tasks in flight, {@link #globalMaxInFlight} and all thresholds stay those of this executor alone, and so does a {@link #sharedLimit} unless it is
         * {@link SharedLimit#acrossFleet}. Default none.
         *
         * <p>The executor holds some permits of each group, and starts tasks with them without asking. If it has too few, tasks are queued until it gets
         * more. With a queue threshold of 0, only the first caller of a group waits for the answer of the store, for at most 50 ms.
         *
         * <p>Shut the executor down before the fleet is closed. An executor cannot be created with a fleet that is closed.
         */
        public Builder fleet(Fleet fleet) {
            this.fleet = Objects.requireNonNull(fleet, "fleet");
            return this;
        }

        /**
         * Creates the policy.
         *
         * @throws IllegalArgumentException if a setting is out of range, or a shared limit is across the fleet and there is none; the message contains its name,
         *     its key and its value
         */
        public GroupPolicy build() {
            if (name != null) {
                Checks.notBlank("name", name);
            }
            Checks.atLeast(1, "defaultMaxConcurrencyPerGroup", defaultMaxConcurrencyPerGroup);
            Checks.atLeast(1, "globalMaxInFlight", globalMaxInFlight);
            Checks.atLeast(1, "maxGroups", maxGroups);
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
            Checks.notNegative("closeTimeout", closeTimeout);
            boolean weights = sharedLimits.stream().anyMatch(SharedLimit::hasWeights);
            Checks.check(
                    !weights || fairnessPolicy == FairnessPolicy.TASKS,
                    "fairnessPolicy",
                    "TASKS if a shared limit has weights",
                    fairnessPolicy);
            sharedLimits.stream().filter(SharedLimit::isAcrossFleet).forEach(this::checkAcrossFleet);
            return new GroupPolicy(this);
        }

        private void checkAcrossFleet(SharedLimit limit) {
            String setting = "sharedLimit '" + limit.name() + "' across the fleet";
            Checks.check(fleet != null, setting, "in a policy with a fleet", "fleet " + fleet + ", " + limit);
            boolean limited = limit.defaultMax() != Integer.MAX_VALUE || limit.maxResolver() != null;
            Checks.check(limited, setting, "limited by max(n) or maxResolver", "unlimited, " + limit);
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
