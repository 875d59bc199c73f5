package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.pool.WorkerPool;
import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code groupconcurrency}, for the executors of the properties and those of the application. */
@AutoConfiguration(after = GroupConcurrencyAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnAvailableEndpoint(GroupConcurrencyEndpoint.class)
public final class GroupConcurrencyEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    static GroupConcurrencyEndpoint groupConcurrencyEndpoint(
            ConfiguredExecutors configured, ListableBeanFactory beans) {
        Map<String, ExecutorSettings> settings = new HashMap<>();
        all(beans, GroupExecutor.class)
                .forEach((name, executor) -> settings.put(name, configured.settings(name, executor)));
        return new GroupConcurrencyEndpoint(
                settings, all(beans, WorkerPool.class), all(beans, IsolationExecutor.class), all(beans, Fleet.class));
    }

    private static <T> Map<String, T> all(ListableBeanFactory beans, Class<T> type) {
        return BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, type, false, true);
    }
}
