package io.github.kobe.spring.boot;

import io.github.kobe.ContextCarrier;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.SharedLimit;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.pool.WorkerPoolBuilder;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.Executor;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.Isolation;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.Pool;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Creates the executors and pools of the properties, and knows those that it has created. {@link ExecutorRegistrar} registers beans whose factory
 * methods are here. Safe for use by many threads.
 */
final class ConfiguredExecutors implements DisposableBean {

    /** The name of the bean. */
    static final String BEAN_NAME = "groupConcurrencyExecutors";

    private final ObjectProvider<GroupPolicyCustomizer> policyCustomizers;
    private final ObjectProvider<WorkerPoolCustomizer> poolCustomizers;
    private final ObjectProvider<IsolationPolicyCustomizer> isolationCustomizers;
    private final ObjectProvider<ContextCarrier> carriers;
    private final ObjectProvider<Fleet> fleets;
    private final ObjectProvider<SharedLimit> sharedLimits;

    private final Map<String, ExecutorSettings> executors = new ConcurrentHashMap<>();
    private final Map<String, WorkerPool> pools = new ConcurrentHashMap<>();
    private final Map<String, IsolationExecutor> isolation = new ConcurrentHashMap<>();

    private final List<ExecutorShutdown> shutdowns = new CopyOnWriteArrayList<>();

    private volatile GroupConcurrencyProperties current;

    ConfiguredExecutors(
            GroupConcurrencyProperties properties,
            ObjectProvider<GroupPolicyCustomizer> policyCustomizers,
            ObjectProvider<WorkerPoolCustomizer> poolCustomizers,
            ObjectProvider<IsolationPolicyCustomizer> isolationCustomizers,
            ObjectProvider<ContextCarrier> carriers,
            ObjectProvider<Fleet> fleets,
            ObjectProvider<SharedLimit> sharedLimits) {
        this.current = properties;
        this.policyCustomizers = policyCustomizers;
        this.poolCustomizers = poolCustomizers;
        this.isolationCustomizers = isolationCustomizers;
        this.carriers = carriers;
        this.fleets = fleets;
        this.sharedLimits = sharedLimits;
    }

    // ---- factory methods of beans ----------------------------------------------------------------------------------

    GroupExecutor groupExecutor(String name) {
        Executor properties = current.executor(name);
        Fleet fleet = fleet(name, properties);
        GroupPolicy.Builder builder =
                PropertyMapping.groupPolicy(name, properties, () -> current.executor(name), fleet);
        sharedLimits
                .orderedStream()
                .filter(limit -> !properties.sharedLimits().containsKey(limit.name()))
                .forEach(builder::sharedLimit);
        carrier(properties.propagateContext()).ifPresent(builder::contextCarrier);
        policyCustomizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        GroupPolicy policy = builder.build();
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy);
        executors.put(name, new ExecutorSettings(executor, policy, properties));
        shutdowns.add(new ExecutorShutdown(
                "group executor '" + name + "'",
                () -> current.executor(name).shutdown().awaitTerminationPeriod(),
                executor::shutdown));
        return executor;
    }

    WorkerPool workerPool(String name) {
        Pool properties = current.pool(name);
        WorkerPoolBuilder builder = PropertyMapping.workerPool(name, properties);
        carrier(properties.propagateContext()).ifPresent(builder::contextCarrier);
        poolCustomizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        WorkerPool pool = builder.build();
        pools.put(name, pool);
        shutdowns.add(new ExecutorShutdown(
                "worker pool '" + name + "'",
                () -> current.pool(name).shutdown().awaitTerminationPeriod(),
                pool::shutdown));
        return pool;
    }

    IsolationExecutor isolationExecutor(String name) {
        Isolation properties = current.isolation(name);
        IsolationPolicy.Builder builder = PropertyMapping.isolationPolicy(name, properties)
                .maxConcurrency(() -> current.isolation(name).maxConcurrency())
                .whiteList(() -> current.isolation(name).whiteList());
        carrier(properties.propagateContext()).ifPresent(builder::contextCarrier);
        isolationCustomizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        IsolationExecutor executor = IsolationExecutor.create(builder.build());
        isolation.put(name, executor);
        shutdowns.add(new ExecutorShutdown(
                "isolation executor '" + name + "'",
                () -> current.isolation(name).shutdown().awaitTerminationPeriod(),
                executor::shutdown));
        return executor;
    }

    private Optional<ContextCarrier> carrier(boolean propagateContext) {
        return propagateContext ? carriers.orderedStream().reduce(ContextCarrier::andThen) : Optional.empty();
    }

    /** The fleet of an executor that does not say otherwise: an application that configures a fleet wants to share limits. */
    private @Nullable Fleet fleet(String name, Executor properties) {
        boolean refused = Boolean.FALSE.equals(properties.fleet());
        Fleet fleet = refused ? null : fleets.getIfUnique();
        if (fleet == null) {
            String needed = propertyThatNeedsAFleet(properties);
            if (needed != null) {
                ConfigurationPropertyName path =
                        CheckedProperties.path(GroupConcurrencyProperties.PREFIX, "executors", name);
                throw new ConfigurationMistakeException(
                        "Property '" + path.append(needed) + "' is 'true', but "
                                + (refused
                                        ? "'" + path.append("fleet") + "' is 'false'."
                                        : "there is no bean of type Fleet, or several of which none is primary."),
                        refused
                                ? "Change one of them."
                                : "Set '" + FleetMapping.PATH + ".name' and '" + FleetMapping.PATH
                                        + ".redis.uri', or define a bean of type Fleet.",
                        null);
            }
        }
        return fleet;
    }

    /** {@code null} if there is none. */
    private static @Nullable String propertyThatNeedsAFleet(Executor properties) {
        if (Boolean.TRUE.equals(properties.fleet())) {
            return "fleet";
        }
        return properties.sharedLimits().entrySet().stream()
                .filter(limit -> limit.getValue().acrossFleet())
                .map(limit -> CheckedProperties.path("shared-limits", limit.getKey(), "across-fleet")
                        .toString())
                .findFirst()
                .orElse(null);
    }

    /**
     * Stops what {@link ExecutorLifecycle} has not shut down: all executors after a start that failed, and those that take longer to drain than Spring
     * waits.
     */
    @Override
    public void destroy() {
        shutdowns.forEach(ExecutorShutdown::stop);
    }

    // ---- what was created ------------------------------------------------------------------------------------------

    /** Returns the properties that were bound last. */
    GroupConcurrencyProperties current() {
        return current;
    }

    void setCurrent(GroupConcurrencyProperties properties) {
        current = properties;
    }

    /** Returns the group executors that have been created, by name. */
    Map<String, ExecutorSettings> executors() {
        return Map.copyOf(executors);
    }

    /** Returns the settings of an executor of the properties or of the application. */
    ExecutorSettings settings(String name, GroupExecutor executor) {
        ExecutorSettings found = executors.get(name);
        return found != null && found.executor() == executor
                ? found
                : new ExecutorSettings(executor, GroupPolicy.builder().build(), current.executor(name));
    }

    /** Returns how to shut down what has been created. */
    List<ExecutorShutdown> shutdowns() {
        return List.copyOf(shutdowns);
    }

    /** Returns the worker pools that have been created, by name. */
    Map<String, WorkerPool> pools() {
        return Map.copyOf(pools);
    }

    /** Returns the isolation executors that have been created, by name. */
    Map<String, IsolationExecutor> isolation() {
        return Map.copyOf(isolation);
    }
}
