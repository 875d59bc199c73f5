package io.github.kobe.spring.boot;

import io.github.kobe.GroupPolicy;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.pool.WorkerPoolBuilder;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.Executor;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.GroupLimits;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.Isolation;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.Pool;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.Shutdown;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns properties into builders of the core. A value that is out of range is reported with its property, see {@link CheckedProperties#set}. */
final class PropertyMapping {

    private PropertyMapping() {}

    /** Throws if a value is out of range. */
    static void check(GroupConcurrencyProperties properties) {
        properties.executors().forEach((name, executor) -> groupPolicy(name, executor, () -> executor, null));
        properties.pools().forEach(PropertyMapping::workerPool);
        properties.isolation().forEach(PropertyMapping::isolationPolicy);
    }

    /**
     * Returns the policy of an executor.
     *
     * @param current the properties that were bound last: limits of shared limits are read from there
     * @param fleet {@code null} if the executor is in none; then its shared limits are its own
     */
    static GroupPolicy.Builder groupPolicy(
            String name, Executor from, Supplier<Executor> current, @Nullable Fleet fleet) {
        GroupPolicy.Builder to = GroupPolicy.builder().name(name);
        if (fleet != null) {
            to.fleet(fleet);
        }
        CheckedProperties properties = CheckedProperties.of("executors", name, to::build);
        properties.set(
                "default-max-concurrency-per-group",
                from.defaultMaxConcurrencyPerGroup(),
                to::defaultMaxConcurrencyPerGroup);
        properties.set(
                "default-max-in-flight-per-group", from.defaultMaxInFlightPerGroup(), to::defaultMaxInFlightPerGroup);
        properties.set(
                "default-queue-threshold-per-group",
                from.defaultQueueThresholdPerGroup(),
                to::defaultQueueThresholdPerGroup);
        properties.set("global-max-in-flight", from.globalMaxInFlight(), to::globalMaxInFlight);
        properties.set("global-queue-threshold", from.globalQueueThreshold(), to::globalQueueThreshold);
        properties.set("max-groups", from.maxGroups(), to::maxGroups);
        properties.set("fairness-policy", from.fairnessPolicy(), to::fairnessPolicy);
        properties.set("priority-ageing", from.priorityAgeing(), to::priorityAgeing);
        properties.set("rejection-policy", from.rejectionPolicy(), to::rejectionPolicy);
        properties.set("max-block-time", from.maxBlockTime(), to::maxBlockTime);
        properties.set("record-times", from.recordTimes(), to::recordTimes);
        properties.set("idle-group-ttl", from.idleGroupTtl(), to::idleGroupTtl);
        checkShutdown(properties, from.shutdown());
        GroupMaps groups = new GroupMaps(name, from.groups());
        to.perGroupMaxConcurrency(
                groups.of("max-concurrency", GroupLimits::maxConcurrency, GroupPolicy.Builder::perGroupMaxConcurrency));
        to.perGroupMaxInFlight(
                groups.of("max-in-flight", GroupLimits::maxInFlight, GroupPolicy.Builder::perGroupMaxInFlight));
        to.perGroupQueueThreshold(
                groups.of("queue-threshold", GroupLimits::queueThreshold, GroupPolicy.Builder::perGroupQueueThreshold));
        to.perGroupWeight(groups.of("weight", GroupLimits::weight, GroupPolicy.Builder::perGroupWeight));
        from.sharedLimits()
                .forEach((limit, of) -> properties.set(
                        "shared-limits",
                        limit,
                        key -> to.sharedLimit(SharedLimitMapping.of(name, key, of, current, fleet != null))));
        return to;
    }

    /** The builder of a policy has a map for each setting; the properties have the settings of each group together. */
    private record GroupMaps(String executor, Map<String, GroupLimits> groups) {

        Map<String, Integer> of(
                String property,
                Function<GroupLimits, @Nullable Integer> setting,
                BiConsumer<GroupPolicy.Builder, Map<String, Integer>> setter) {
            Map<String, Integer> values = new LinkedHashMap<>();
            groups.forEach((key, limits) -> {
                GroupPolicy.Builder alone = GroupPolicy.builder();
                CheckedProperties properties = new CheckedProperties(
                        CheckedProperties.path(GroupConcurrencyProperties.PREFIX, "executors", executor, "groups", key),
                        alone::build);
                properties.set(property, setting.apply(limits), value -> {
                    values.put(key, value);
                    setter.accept(alone, Map.of(key, value));
                });
            });
            return values;
        }
    }

    static WorkerPoolBuilder workerPool(String name, Pool from) {
        WorkerPoolBuilder to = WorkerPool.builder().name(name);
        CheckedProperties properties = CheckedProperties.of("pools", name, to::build);
        properties.set("min-workers", from.minWorkers(), to::minWorkers);
        properties.set("max-workers", from.maxWorkers(), to::maxWorkers);
        properties.set("keep-alive", from.keepAlive(), to::keepAlive);
        properties.set("queue-capacity", from.queueCapacity(), to::queueCapacity);
        properties.set("rejection-policy", from.rejectionPolicy(), to::rejectionPolicy);
        properties.set("max-block-time", from.maxBlockTime(), to::maxBlockTime);
        properties.set("threads", from.threads(), kind -> to.threads(kind));
        properties.set("priority-ageing", from.priorityAgeing(), to::priorityAgeing);
        properties.set("grace", from.grace(), to::grace);
        properties.set("max-zombies", from.maxZombies(), to::maxZombies);
        properties.set("utilization", from.utilization(), target -> to.sizing(from.sizing(), target));
        checkShutdown(properties, from.shutdown());
        return to;
    }

    static IsolationPolicy.Builder isolationPolicy(String name, Isolation from) {
        IsolationPolicy.Builder to = IsolationPolicy.builder().name(name);
        CheckedProperties properties = CheckedProperties.of("isolation", name, to::build);
        properties.set("max-concurrency", from.maxConcurrency(), n -> to.maxConcurrency(n));
        properties.set("slow-threshold", from.slowThreshold(), to::slowThreshold);
        properties.set("target-wait", from.targetWait(), to::targetWait);
        properties.set("max-share", from.maxShare(), to::maxShare);
        properties.set("white-list-share", from.whiteListShare(), to::whiteListShare);
        properties.set("new-key-share", from.newKeyShare(), to::newKeyShare);
        properties.set("white-list", from.whiteList(), keys -> to.whiteList(keys));
        properties.set("task-expiry", from.taskExpiry(), to::taskExpiry);
        properties.set("task-timeout", from.taskTimeout(), to::taskTimeout);
        properties.set("queue-capacity", from.queueCapacity(), to::queueCapacity);
        properties.set("max-tracked-keys", from.maxTrackedKeys(), to::maxTrackedKeys);
        properties.set("stats-window", from.statsWindow(), to::statsWindow);
        checkShutdown(properties, from.shutdown());
        return to;
    }

    /** An executor is given the period only when it is shut down. */
    private static void checkShutdown(CheckedProperties properties, Shutdown from) {
        properties.set(
                "shutdown.await-termination-period",
                from.awaitTerminationPeriod(),
                period -> GroupPolicy.builder().closeTimeout(period).build());
    }
}
