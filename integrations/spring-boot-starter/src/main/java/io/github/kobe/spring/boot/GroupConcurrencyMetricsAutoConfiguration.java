package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.micrometer.GroupExecutorMetrics;
import io.github.kobe.micrometer.GroupTags;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.Metrics;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

/** Meters of the executors and pools of the properties and of the application. */
@AutoConfiguration(
        after = GroupConcurrencyAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass({MeterRegistry.class, GroupExecutorMetrics.class})
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = GroupConcurrencyProperties.PREFIX + ".metrics.enabled", matchIfMissing = true)
public final class GroupConcurrencyMetricsAutoConfiguration {

    private static final String FIRST_GROUPS = "*";

    /** After the binders of the application, which may register meters of its own executors. */
    @Bean
    @Order
    static GroupConcurrencyMetrics groupConcurrencyMetrics(
            GroupConcurrencyProperties properties,
            ObjectProvider<GroupExecutor> executors,
            ObjectProvider<WorkerPool> pools,
            ObjectProvider<IsolationExecutor> isolation,
            ObjectProvider<Fleet> fleets,
            ObjectProvider<GroupTags> groupTags) {
        Metrics metrics = properties.metrics();
        return new GroupConcurrencyMetrics(
                executors,
                pools,
                isolation,
                fleets,
                groupTags.getIfAvailable(() -> tags(metrics, metrics.groups())),
                tags(metrics, metrics.sharedLimits()),
                metrics.timers());
    }

    private static GroupTags tags(Metrics metrics, List<String> keys) {
        CheckedProperties properties =
                new CheckedProperties(CheckedProperties.path(GroupConcurrencyProperties.PREFIX, "metrics"), () -> {});
        if (keys.contains(FIRST_GROUPS)) {
            return properties.convert("max-groups", metrics.maxGroups(), GroupTags::first);
        }
        return keys.isEmpty() ? GroupTags.none() : GroupTags.of(keys);
    }
}
