package io.github.kobe.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.ContextCarrier;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.Permit;
import io.github.kobe.SharedLimit;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.spring.GroupTaskExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.beans.factory.support.BeanDefinitionOverrideException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/** Which beans do properties make? */
class ExecutorBeansTest {

    private final ApplicationContextRunner runner = Runners.withAutoConfigurations();

    @Test
    void withoutPropertiesThereIsOneExecutor() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(GroupExecutor.class).hasBean("default");
            assertThat(context.getBean(GroupExecutor.class).name()).isEqualTo("default");
            assertThat(context)
                    .doesNotHaveBean(WorkerPool.class)
                    .doesNotHaveBean(IsolationExecutor.class)
                    .doesNotHaveBean(Executor.class);
        });
    }

    @Test
    void sharedLimitsComeFromPropertiesAndBeans() {
        runner.withUserConfiguration(SharedLimitBeans.class)
                .withPropertyValues(
                        "group-concurrency.executors.orders.default-max-concurrency-per-group=9",
                        "group-concurrency.executors.orders.shared-limits.tenant.part=0",
                        "group-concurrency.executors.orders.shared-limits.tenant.max=3",
                        "group-concurrency.executors.mails.max-groups=5")
                .run(context -> {
                    GroupExecutor orders = context.getBean("orders", GroupExecutor.class);
                    assertThat(orders.sharedLimitNames()).containsExactly("tenant", "endpoint");
                    try (Permit permit = orders.acquire("acme:prices")) {
                        assertThat(orders.sharedLimits("acme:prices"))
                                .extracting(Object::toString)
                                .containsExactly(
                                        "tenant 'acme': 1/3 active, 0 of 1 group waits",
                                        "endpoint 'prices': 1/4 active, 0 of 1 group waits");
                        assertThat(permit).isNotNull();
                    }
                    assertThat(context.getBean("mails", GroupExecutor.class).sharedLimitNames())
                            .as("a bean is for all executors; properties come first")
                            .containsExactlyInAnyOrder("tenant", "endpoint");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class SharedLimitBeans {

        @Bean
        SharedLimit tenant() {
            return SharedLimit.by("tenant", key -> "from the bean").max(7);
        }

        @Bean
        SharedLimit endpoint() {
            return SharedLimit.by("endpoint", key -> key.substring(key.indexOf(':') + 1))
                    .max(4);
        }
    }

    @Test
    void executorsHaveTheNamesOfTheirKeys() {
        runner.withPropertyValues(
                        "group-concurrency.executors.orders.default-max-concurrency-per-group=3",
                        "group-concurrency.executors.mails.global-max-in-flight=7",
                        "group-concurrency.pools.images.max-workers=2",
                        "group-concurrency.isolation.searches.max-concurrency=5")
                .run(context -> {
                    assertThat(context.getBeanNamesForType(GroupExecutor.class))
                            .containsExactlyInAnyOrder("orders", "mails");
                    GroupExecutor orders = context.getBean("orders", GroupExecutor.class);
                    assertThat(orders.name()).isEqualTo("orders");
                    assertThat(orders.defaultMaxConcurrency()).isEqualTo(3);
                    assertThat(context.getBean("mails", GroupExecutor.class)
                                    .stats()
                                    .globalInFlightMax())
                            .isEqualTo(7);
                    assertThat(context.getBean("images", WorkerPool.class)
                                    .stats()
                                    .maxWorkers())
                            .isEqualTo(2);
                    assertThat(context.getBean("searches", IsolationExecutor.class)
                                    .stats()
                                    .maxConcurrency())
                            .isEqualTo(5);
                });
    }

    @Test
    void theDefaultOfSeveralIsPrimary() {
        runner.withPropertyValues(
                        "group-concurrency.executors.default.global-max-in-flight=1",
                        "group-concurrency.executors.mails.global-max-in-flight=7")
                .run(context ->
                        assertThat(context.getBean(GroupExecutor.class).name()).isEqualTo("default"));
    }

    @Test
    void anExecutorOfTheApplicationReplacesTheDefault() {
        runner.withUserConfiguration(OwnExecutor.class)
                .run(context ->
                        assertThat(context).hasSingleBean(GroupExecutor.class).hasBean("own"));
    }

    @Test
    void anExecutorOfTheApplicationAndOneOfPropertiesExistTogether() {
        runner.withUserConfiguration(OwnExecutor.class)
                .withPropertyValues("group-concurrency.executors.orders.global-max-in-flight=7")
                .run(context -> assertThat(context.getBeanNamesForType(GroupExecutor.class))
                        .containsExactlyInAnyOrder("own", "orders"));
    }

    @Test
    void aNameThatABeanHasAlreadyIsAMistake() {
        runner.withUserConfiguration(OwnExecutor.class)
                .withPropertyValues("group-concurrency.executors.own.global-max-in-flight=7")
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(BeanDefinitionOverrideException.class)
                        .hasMessageContaining("group-concurrency.executors.own"));
    }

    @Test
    void oneNameForAnExecutorAndAPoolIsAMistake() {
        runner.withPropertyValues(
                        "group-concurrency.executors.orders.global-max-in-flight=7",
                        "group-concurrency.pools.orders.max-workers=7")
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(ConfigurationMistakeException.class)
                        .hasMessageContaining("group-concurrency.pools.orders")
                        .hasMessageContaining("group-concurrency.executors.orders"));
    }

    @Test
    void customizersCompleteThePolicyInOrder() {
        runner.withUserConfiguration(Customizers.class)
                .withPropertyValues(
                        "group-concurrency.executors.orders.default-max-concurrency-per-group=3",
                        "group-concurrency.pools.images.max-workers=2",
                        "group-concurrency.isolation.searches.max-concurrency=5")
                .run(context -> {
                    GroupExecutor orders = context.getBean("orders", GroupExecutor.class);
                    orders.submit("large", () -> 1).get();
                    assertThat(orders.groupStats("large").orElseThrow().limit()).isEqualTo(50);
                    assertThat(context.getBean(Customizers.class).calls)
                            .containsExactlyInAnyOrder("first orders", "second orders", "images", "searches")
                            .containsSubsequence("first orders", "second orders");
                });
    }

    @Test
    void tasksSeeTheMdcOfTheirSubmitter() {
        runner.withPropertyValues(
                        "group-concurrency.executors.with.propagate-context=true",
                        "group-concurrency.executors.without.propagate-context=false")
                .run(context -> {
                    MDC.put("tenant", "acme");
                    try {
                        assertThat(context.getBean("with", GroupExecutor.class)
                                        .submit("g", () -> MDC.get("tenant"))
                                        .get())
                                .isEqualTo("acme");
                        assertThat(context.getBean("without", GroupExecutor.class)
                                        .submit("g", () -> String.valueOf(MDC.get("tenant")))
                                        .get())
                                .isEqualTo("null");
                    } finally {
                        MDC.clear();
                    }
                });
    }

    @Test
    void aCarrierOfTheApplicationReplacesThoseOfTheStarter() {
        runner.withUserConfiguration(OwnCarrier.class).run(context -> {
            assertThat(context).hasSingleBean(ContextCarrier.class);
            assertThat(context.getBean(GroupExecutor.class).contextCarrier())
                    .isSameAs(context.getBean(ContextCarrier.class));
        });
    }

    @Test
    void aTaskExecutorRunsAsyncMethodsAndLeavesTheOneOfSpringBootAlone() {
        runner.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
                .withUserConfiguration(AsyncMethods.class)
                .withPropertyValues("group-concurrency.task-executors.mails.group=mail")
                .run(context -> {
                    assertThat(context).hasBean("applicationTaskExecutor");
                    assertThat(context.getBean(AsyncTaskExecutor.class))
                            .isSameAs(context.getBean("applicationTaskExecutor"));
                    assertThat(context.getBean("mails")).isInstanceOf(GroupTaskExecutor.class);
                    AsyncMethods methods = context.getBean(AsyncMethods.class);
                    assertThat(methods.limited().get()).isEqualTo("default/mail");
                    assertThat(methods.unlimited().get()).startsWith("task-");
                    assertThat(methods.decorated()).isNotEmpty();
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnExecutor {

        @Bean
        GroupExecutor own() {
            return GroupExecutor.newVirtualThreadExecutor(
                    GroupPolicy.builder().name("own").build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnCarrier {

        @Bean
        ContextCarrier carrier() {
            return () -> null;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Customizers {

        private final List<String> calls = new ArrayList<>();

        @Bean
        @Order(2)
        GroupPolicyCustomizer second() {
            return (name, policy) -> {
                calls.add("second " + name);
                policy.concurrencyResolver(key -> key.equals("large") ? 50 : 1);
            };
        }

        @Bean
        @Order(1)
        GroupPolicyCustomizer first() {
            return (name, policy) -> {
                calls.add("first " + name);
                policy.concurrencyResolver(key -> 7);
            };
        }

        @Bean
        WorkerPoolCustomizer pool() {
            return (name, pool) -> calls.add(name);
        }

        @Bean
        IsolationPolicyCustomizer isolation() {
            return (name, policy) -> calls.add(name);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(proxyTargetClass = true)
    static class AsyncMethods {

        private final List<Runnable> decorated = new ArrayList<>();

        @Bean
        TaskDecorator decorator() {
            return task -> {
                decorated.add(task);
                return task;
            };
        }

        List<Runnable> decorated() {
            return decorated;
        }

        @Async("mails")
        CompletableFuture<String> limited() {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @Async
        CompletableFuture<String> unlimited() {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }
}
