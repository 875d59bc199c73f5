package io.github.kobe.spring.boot;

import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetStore;
import io.github.kobe.redis.RedisStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** The fleet that the executors of the properties share their limits with, if the properties name one. */
@AutoConfiguration(before = GroupConcurrencyAutoConfiguration.class)
@Conditional(GroupConcurrencyFleetAutoConfiguration.OnFleet.class)
public final class GroupConcurrencyFleetAutoConfiguration {

    /** Closed after the executors, which {@link ConfiguredExecutors} makes depend on it. */
    @Bean
    @ConditionalOnMissingBean
    static Fleet groupConcurrencyFleet(GroupConcurrencyProperties properties, ObjectProvider<FleetStore> stores) {
        FleetStore store = stores.getIfAvailable();
        if (store == null) {
            throw new ConfigurationMistakeException(
                    "The properties '" + FleetMapping.PATH + ".*' name a fleet, but there is no store for it.",
                    "Add the dependency io.github.kobe:group-concurrency-redis, or define a bean of type FleetStore.",
                    null);
        }
        return FleetMapping.fleet(properties.fleet(), store);
    }

    /** The store in Redis, unless the application defines another one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RedisStore.class)
    @ConditionalOnMissingBean(FleetStore.class)
    static final class RedisConfiguration {

        @Bean
        static RedisStore groupConcurrencyFleetStore(GroupConcurrencyProperties properties) {
            return RedisMapping.store(properties.fleet().redis());
        }
    }

    /** Whether the properties name a fleet, or a store, which would be of no use without one. */
    static final class OnFleet extends AnyNestedCondition {

        OnFleet() {
            super(ConfigurationPhase.PARSE_CONFIGURATION);
        }

        @ConditionalOnProperty(FleetMapping.PATH + ".name")
        static final class OnName {}

        @ConditionalOnProperty(FleetMapping.PATH + ".redis.uri")
        static final class OnUri {}
    }
}
