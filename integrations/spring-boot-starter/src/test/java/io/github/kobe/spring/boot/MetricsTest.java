package io.github.kobe.spring.boot;

import static io.github.kobe.spring.boot.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.micrometer.GroupExecutorMetrics;
import io.github.kobe.micrometer.GroupTags;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Which meters does an application have? */
class MetricsTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final LogRecords log = LogRecords.start();

    private final ApplicationContextRunner runner = Runners.withAutoConfigurations()
            .withConfiguration(AutoConfigurations.of(
                    MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class))
            .withBean(MeterRegistry.class, () -> registry);

    @AfterEach
    void stopLog() {
        log.close();
    }

    private Set<String> names(String prefix) {
        return registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getName().startsWith(prefix))
                .map(id -> id.getTag("name"))
                .collect(Collectors.toSet());
    }

    private Set<String> groups() {
        return registry.find("group.concurrency.group.active").meters().stream()
                .map(meter -> meter.getId().getTag("group"))
                .collect(Collectors.toSet());
    }

    @Test
    void allExecutorsHaveMetersUntilTheContextIsClosed() {
        runner.withUserConfiguration(OwnExecutor.class)
                .withPropertyValues(
                        "group-concurrency.executors.orders.max-groups=5",
                        "group-concurrency.pools.images.max-workers=2",
                        "group-concurrency.isolation.searches.max-concurrency=2")
                .run(context -> {
                    assertThat(names("group.concurrency.active")).containsExactlyInAnyOrder("orders", "own");
                    assertThat(names("executor.pool.max")).containsExactly("images");
                    assertThat(names("group.concurrency.isolation.running")).containsExactly("searches");
                    assertThat(groups()).isEmpty();
                    assertThat(registry.find("group.concurrency.task.run").meters())
                            .isEmpty();

                    context.close();
                    assertThat(names("")).isEmpty();
                });
    }

    @Test
    void namedGroupsHaveMetersOfTheirOwn() {
        runner.withPropertyValues("group-concurrency.metrics.groups=acme,globex")
                .run(context -> assertThat(groups()).containsExactlyInAnyOrder("acme", "globex", "other"));
    }

    @Test
    void theFirstGroupsHaveMetersOfTheirOwn() {
        runner.withPropertyValues("group-concurrency.metrics.groups=*", "group-concurrency.metrics.max-groups=2")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    for (String key : new String[] {"acme", "globex", "initech"}) {
                        executor.submit(key, () -> 1).get();
                    }
                    eventually().untilAsserted(() -> {
                        registry.get("group.concurrency.active")
                                .gauge()
                                .value(); // takes a snapshot, if the last one is a second old
                        assertThat(groups())
                                .hasSize(3)
                                .contains("other")
                                .isSubsetOf("acme", "globex", "initech", "other");
                    });
                });
    }

    @Test
    void tagsOfTheApplicationReplaceThoseOfTheProperties() {
        runner.withPropertyValues("group-concurrency.metrics.groups=acme")
                .withBean(GroupTags.class, () -> GroupTags.of("initech"))
                .run(context -> assertThat(groups()).containsExactlyInAnyOrder("initech", "other"));
    }

    @Test
    void timersAreAddedOnRequest() {
        runner.withPropertyValues("group-concurrency.metrics.timers=true").run(context -> {
            context.getBean(GroupExecutor.class).submit("acme", () -> 1).get();
            assertThat(registry.find("group.concurrency.task.run").timer()).isNotNull();
        });
    }

    @Test
    void tooFewGroupsAreAMistake() {
        runner.withPropertyValues("group-concurrency.metrics.groups=*", "group-concurrency.metrics.max-groups=0")
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("at least 1, but is 0"));
    }

    @Test
    void metersThatTheApplicationRegistersItselfStay() {
        runner.withUserConfiguration(OwnExecutor.class)
                .withBean(
                        GroupExecutorMetrics.class,
                        () -> GroupExecutorMetrics.builder(OwnExecutor.EXECUTOR).build())
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(names("group.concurrency.active")).containsExactly("own");
                    assertThat(log.texts()).singleElement().asString().contains("name=own");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnExecutor {

        private static final GroupExecutor EXECUTOR = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().name("own").build());

        @Bean(destroyMethod = "")
        GroupExecutor own() {
            return EXECUTOR;
        }
    }
}
