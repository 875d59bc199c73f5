package io.github.kobe.spring.boot;

import io.github.kobe.ContextCarrier;
import io.github.kobe.SharedLimit;
import io.github.kobe.context.ContextSnapshotCarrier;
import io.github.kobe.context.MdcCarrier;
import io.github.kobe.fleet.Fleet;
import io.micrometer.context.ContextSnapshotFactory;
import org.slf4j.MDC;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.TaskDecorator;

/** The executors and pools of the properties, their context and their shutdown. */
@AutoConfiguration
@EnableConfigurationProperties(GroupConcurrencyProperties.class)
@Import(ExecutorRegistrar.class)
public final class GroupConcurrencyAutoConfiguration {

    @Bean(ConfiguredExecutors.BEAN_NAME)
    static ConfiguredExecutors groupConcurrencyExecutors(
            GroupConcurrencyProperties properties,
            ObjectProvider<GroupPolicyCustomizer> policyCustomizers,
            ObjectProvider<WorkerPoolCustomizer> poolCustomizers,
            ObjectProvider<IsolationPolicyCustomizer> isolationCustomizers,
            ObjectProvider<ContextCarrier> carriers,
            ObjectProvider<Fleet> fleets,
            ObjectProvider<SharedLimit> sharedLimits,
            ConfigurableListableBeanFactory beans) {
        closeAfterExecutors(beans);
        return new ConfiguredExecutors(
                properties, policyCustomizers, poolCustomizers, isolationCustomizers, carriers, fleets, sharedLimits);
    }

    /** Spring destroys what depends on a bean before the bean, and does not know what is found by a provider. */
    private static void closeAfterExecutors(ConfigurableListableBeanFactory beans) {
        for (String fleet : beans.getBeanNamesForType(Fleet.class, true, false)) {
            beans.registerDependentBean(fleet, ConfiguredExecutors.BEAN_NAME);
        }
    }

    @Bean(TaskExecutorFactory.BEAN_NAME)
    static TaskExecutorFactory groupConcurrencyTaskExecutors(
            GroupConcurrencyProperties properties,
            ListableBeanFactory beans,
            ObjectProvider<TaskDecorator> decorators) {
        return new TaskExecutorFactory(properties, beans, decorators);
    }

    @Bean
    static ExecutorLifecycle groupConcurrencyLifecycle(
            ConfigurableApplicationContext context, ConfiguredExecutors executors) {
        return new ExecutorLifecycle(context, executors);
    }

    /** What {@code propagate-context} carries, unless the application defines carriers of its own. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(ContextCarrier.class)
    static final class CarrierConfiguration {

        @Bean
        @Order(0)
        @ConditionalOnClass(ContextSnapshotFactory.class)
        ContextCarrier groupConcurrencySnapshotCarrier() {
            return ContextSnapshotCarrier.create();
        }

        /** Inside the other one, because an observation changes the MDC. */
        @Bean
        @Order(1)
        @ConditionalOnClass(MDC.class)
        ContextCarrier groupConcurrencyMdcCarrier() {
            return MdcCarrier.create();
        }
    }
}
