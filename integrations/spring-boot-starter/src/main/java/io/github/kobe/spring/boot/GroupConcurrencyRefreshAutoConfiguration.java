package io.github.kobe.spring.boot;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Applies properties that change while the application runs, if Spring Cloud announces them. */
@AutoConfiguration(after = GroupConcurrencyAutoConfiguration.class)
@ConditionalOnClass(EnvironmentChangeEvent.class)
public final class GroupConcurrencyRefreshAutoConfiguration {

    @Bean
    static PropertyRefresher groupConcurrencyPropertyRefresher(Environment environment, ConfiguredExecutors executors) {
        return new PropertyRefresher(environment, executors);
    }

    @Bean
    static ApplicationListener<EnvironmentChangeEvent> groupConcurrencyEnvironmentListener(
            PropertyRefresher refresher) {
        return event -> refresher.refresh(event.getKeys());
    }
}
