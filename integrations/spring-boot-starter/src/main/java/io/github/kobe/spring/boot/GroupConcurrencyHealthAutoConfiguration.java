package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import io.github.kobe.fleet.Fleet;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health of the group executors, on request. */
@AutoConfiguration(after = GroupConcurrencyAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBooleanProperty(name = GroupConcurrencyProperties.PREFIX + ".health.enabled")
public final class GroupConcurrencyHealthAutoConfiguration {

    @Bean
    static GroupConcurrencyHealthIndicator groupConcurrencyHealthIndicator(
            GroupConcurrencyProperties properties, ListableBeanFactory beans) {
        return new GroupConcurrencyHealthIndicator(
                BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, GroupExecutor.class, false, true),
                BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, Fleet.class, false, true),
                properties.health().maxWait(),
                properties.fleet().whenUnreachable());
    }
}
