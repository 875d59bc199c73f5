package io.github.kobe.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetStore;
import io.github.kobe.fleet.InMemoryStore;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.spring.GroupLimit;
import io.github.kobe.spring.GroupTaskExecutor;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

/** Does an application work that was processed ahead of time, with the properties that it has when it runs? */
class AheadOfTimeTest {

    private static final Map<String, Object> AT_BUILD_TIME = Map.of(
            "management.endpoints.web.exposure.include", "*",
            "group-concurrency.health.enabled", "true",
            "group-concurrency.executors.orders.default-max-concurrency-per-group", "2",
            "group-concurrency.executors.default.global-max-in-flight", "3",
            "group-concurrency.pools.images.max-workers", "4",
            "group-concurrency.isolation.searches.max-concurrency", "5",
            "group-concurrency.task-executors.mails.executor", "orders",
            "group-concurrency.fleet.name", "shop",
            "group-concurrency.fleet.founding", "true");

    @Test
    @CompileWithForkedClassLoader // generated classes use package-private ones
    void theGeneratedContextHasAllBeans() {
        TestGenerationContext generation = new TestGenerationContext();
        AnnotationConfigApplicationContext source = new AnnotationConfigApplicationContext();
        source.getEnvironment().getPropertySources().addFirst(new MapPropertySource("build", AT_BUILD_TIME));
        source.register(Application.class);
        new ApplicationContextAotGenerator().processAheadOfTime(source, generation);
        generation.writeGeneratedContent();

        assertThat(RuntimeHintsPredicates.reflection().onType(GroupConcurrencyProperties.GroupLimits.class))
                .as("binds properties")
                .accepts(generation.getRuntimeHints());
        assertThat(RuntimeHintsPredicates.reflection().onType(EndpointDescriptors.Running.class))
                .as("answers as JSON")
                .accepts(generation.getRuntimeHints());
        assertThat(RuntimeHintsPredicates.reflection().onType(EndpointDescriptors.Holder.class))
                .as("answers as JSON, for a fleet")
                .accepts(generation.getRuntimeHints());
        assertThat(RuntimeHintsPredicates.reflection().onType(GroupConcurrencyProperties.Redis.class))
                .as("binds properties of a fleet")
                .accepts(generation.getRuntimeHints());
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("build", AT_BUILD_TIME));
                context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource(
                                "run",
                                Map.of("group-concurrency.executors.orders.default-max-concurrency-per-group", "7")));
                @SuppressWarnings("unchecked")
                ApplicationContextInitializer<GenericApplicationContext> initializer =
                        compiled.getInstance(ApplicationContextInitializer.class);
                initializer.initialize(context);
                context.refresh();
                check(context);
            }
        });
    }

    private static void check(GenericApplicationContext context) {
        GroupExecutor orders = context.getBean("orders", GroupExecutor.class);
        assertThat(orders.defaultMaxConcurrency())
                .as("the value of the run, not that of the build")
                .isEqualTo(7);
        assertThat(context.getBean(GroupExecutor.class).name())
                .as("the primary one")
                .isEqualTo("default");
        assertThat(context.getBean("images", WorkerPool.class).stats().maxWorkers())
                .isEqualTo(4);
        assertThat(context.getBean("searches", IsolationExecutor.class).stats().maxConcurrency())
                .isEqualTo(5);
        assertThat(context.getBean("mails")).isInstanceOf(GroupTaskExecutor.class);
        assertThat(context.containsBean("applicationTaskExecutor")).isTrue();
        assertThat(context.getBean(GroupConcurrencyEndpoint.class).all().getBody())
                .isNotNull();
        assertThat(context.getBean(GroupConcurrencyMetrics.class)).isNotNull();
        assertThat(context.getBean(Limited.class).call("acme")).isTrue();
        assertThat(context.getBean(Fleet.class).stats().held())
                .as("the call had a permit of the fleet")
                .isPositive();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        GroupConcurrencyAutoConfiguration.class,
        GroupConcurrencyEndpointAutoConfiguration.class,
        GroupConcurrencyFleetAutoConfiguration.class,
        GroupConcurrencyHealthAutoConfiguration.class,
        GroupConcurrencyMetricsAutoConfiguration.class,
        GroupConcurrencyRefreshAutoConfiguration.class,
        GroupLimitAutoConfiguration.class,
        GroupLimitWebAutoConfiguration.class,
        TaskExecutionAutoConfiguration.class
    })
    static class Application {

        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }

        @Bean
        FleetStore store() {
            return new InMemoryStore();
        }

        @Bean
        Limited limited(GroupExecutor executor) {
            return new Limited(executor);
        }
    }

    static class Limited {

        private final GroupExecutor executor;

        Limited(GroupExecutor executor) {
            this.executor = executor;
        }

        @GroupLimit(key = "#tenant")
        boolean call(String tenant) {
            return executor.holds(tenant);
        }
    }
}
