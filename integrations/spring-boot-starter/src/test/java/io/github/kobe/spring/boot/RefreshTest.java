package io.github.kobe.spring.boot;

import static io.github.kobe.spring.boot.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.TaskHandle;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.pool.WorkerPool;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

/** Do properties that change while the application runs reach the executors, without a rebuild and without undoing changes by hand? */
class RefreshTest {

    private static final String ORDERS = "group-concurrency.executors.orders.";

    private final Map<String, Object> properties = new HashMap<>(Map.of(
            ORDERS + "default-max-concurrency-per-group", 2,
            ORDERS + "groups.acme.max-concurrency", 4));

    private final ApplicationContextRunner runner = Runners.withAutoConfigurations()
            .withInitializer(context -> context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource("changing", properties)));

    private final LogRecords log = LogRecords.start();

    @AfterEach
    void stopLog() {
        log.close();
    }

    private void change(ConfigurableApplicationContext context, Map<String, ?> values) {
        properties.putAll(values);
        context.publishEvent(new EnvironmentChangeEvent(context, values.keySet()));
    }

    private void remove(ConfigurableApplicationContext context, String property) {
        properties.remove(property);
        context.publishEvent(new EnvironmentChangeEvent(context, Set.of(property)));
    }

    private static int limit(GroupExecutor executor, String group) throws InterruptedException {
        executor.submit(group, () -> 1).await();
        return executor.groupStats(group).map(GroupStats::limit).orElseThrow();
    }

    @Test
    void aRaisedLimitStartsQueuedTasks() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            CountDownLatch release = new CountDownLatch(1);
            for (int i = 0; i < 6; i++) {
                TaskHandle<?> unused = executor.submit("acme", () -> {
                    release.await();
                    return 1;
                });
            }
            assertThat(executor.groupStats("acme").orElseThrow().activeCount()).isEqualTo(4);

            change(context, Map.of(ORDERS + "groups.acme.max-concurrency", 5));

            assertThat(context.getBean(GroupExecutor.class)).as("not rebuilt").isSameAs(executor);
            assertThat(executor.groupStats("acme").orElseThrow().activeCount()).isEqualTo(5);
            assertThat(executor.groupStats("acme").orElseThrow().queuedCount()).isEqualTo(1);
            release.countDown();
        });
    }

    @Test
    void everyLivePropertyOfAnExecutorIsApplied() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            change(
                    context,
                    Map.of(
                            ORDERS + "default-max-concurrency-per-group", 3,
                            ORDERS + "default-queue-threshold-per-group", 5,
                            ORDERS + "global-max-in-flight", 6,
                            ORDERS + "global-queue-threshold", 7,
                            ORDERS + "groups.new.max-concurrency", 8,
                            ORDERS + "groups.new.max-in-flight", 9,
                            ORDERS + "groups.new.queue-threshold", 10,
                            ORDERS + "groups.new.weight", 11));

            assertThat(executor.defaultMaxConcurrency()).isEqualTo(3);
            assertThat(executor.defaultQueueThreshold()).isEqualTo(5);
            assertThat(executor.stats().globalInFlightMax()).isEqualTo(6);
            assertThat(executor.globalQueueThreshold()).isEqualTo(7);
            limit(executor, "new");
            GroupStats stats = executor.groupStats("new").orElseThrow();
            assertThat(stats.maxConcurrency()).isEqualTo(8);
            assertThat(stats.maxInFlight()).isEqualTo(9);
            assertThat(stats.queueCapacity()).isEqualTo(10);
            assertThat(stats.weight()).isEqualTo(11);
        });
    }

    @Test
    void limitsOfASharedLimitAreAppliedAndWhatWasSetByHandStays() {
        String tenant = ORDERS + "shared-limits.tenant.";
        properties.put(tenant + "part", 0);
        properties.put(tenant + "max", 1);
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            CountDownLatch release = new CountDownLatch(1);
            for (String key : List.of("a:x", "a:y", "a:z", "b:x", "b:y", "by hand:x")) {
                TaskHandle<?> unused = executor.submit(key, () -> {
                    release.await();
                    return 1;
                });
            }
            executor.setSharedLimit("tenant", "by hand", 9);
            executor.pauseSharedLimit("tenant", "b");

            change(context, Map.of(tenant + "max", 2, tenant + "values.a.max", 3));

            assertThat(max(executor, "a")).isEqualTo(3);
            assertThat(executor.sharedLimitStats("tenant", "a").orElseThrow().activeCount())
                    .as("queued tasks have started")
                    .isEqualTo(3);
            assertThat(max(executor, "b")).isEqualTo(2);
            assertThat(executor.sharedLimitStats("tenant", "b").orElseThrow().paused())
                    .isTrue();
            assertThat(max(executor, "by hand")).isEqualTo(9);
            assertThat(log.texts())
                    .anyMatch(
                            text -> text.endsWith("max of shared limit tenant 'by hand' stays as it was set by hand"));
            executor.resetSharedLimit("tenant", "by hand");
            assertThat(max(executor, "by hand")).isEqualTo(2);
            var later = executor.submit("later:x", () -> {
                release.await();
                return 1;
            });
            assertThat(max(executor, "later")).isEqualTo(2);

            change(context, Map.of(tenant + "values.a.weight", 5));
            assertThat(log.texts()).anyMatch(text -> text.contains("values.a.weight takes effect at the next start"));
            change(context, Map.of(tenant + "weight", 5, tenant + "across-fleet", true));
            assertThat(log.texts())
                    .anyMatch(text -> text.contains("tenant.weight takes effect at the next start"))
                    .anyMatch(text -> text.contains("across-fleet takes effect at the next start"));
            release.countDown();
            later.await();
        });
    }

    private static int max(GroupExecutor executor, String tenant) {
        return executor.sharedLimitStats("tenant", tenant).orElseThrow().max();
    }

    @Test
    void aRemovedPropertyIsTheDefaultAgain() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            change(context, Map.of(ORDERS + "global-max-in-flight", 6));

            remove(context, ORDERS + "groups.acme.max-concurrency");
            remove(context, ORDERS + "global-max-in-flight");
            assertThat(limit(executor, "acme")).isEqualTo(2);
            assertThat(executor.stats().globalInFlightMax()).isEqualTo(Integer.MAX_VALUE);

            change(context, Map.of(ORDERS + "default-max-concurrency-per-group", 3));
            assertThat(limit(executor, "acme")).as("follows the default").isEqualTo(3);

            change(context, Map.of(ORDERS + "groups.acme.max-concurrency", 4));
            assertThat(limit(executor, "acme")).isEqualTo(4);
        });
    }

    @Test
    void whatWasSetByHandWinsUntilItIsReset() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            ExecutorSettings settings =
                    context.getBean(ConfiguredExecutors.class).settings("orders", executor);
            settings.setByHand("acme", Map.of(GroupSetting.MAX_CONCURRENCY, 20), null);
            settings.setByHand(Map.of(ExecutorSetting.DEFAULT_MAX_CONCURRENCY, 30));

            change(
                    context,
                    Map.of(
                            ORDERS + "groups.acme.max-concurrency", 5,
                            ORDERS + "groups.acme.weight", 6,
                            ORDERS + "default-max-concurrency-per-group", 7));
            assertThat(limit(executor, "acme")).isEqualTo(20);
            assertThat(executor.groupStats("acme").orElseThrow().weight())
                    .as("was not set by hand")
                    .isEqualTo(6);
            assertThat(executor.defaultMaxConcurrency()).isEqualTo(30);

            settings.reset("acme");
            settings.reset();
            assertThat(limit(executor, "acme")).isEqualTo(5);
            assertThat(executor.groupStats("acme").orElseThrow().weight()).isEqualTo(6);
            assertThat(executor.defaultMaxConcurrency()).isEqualTo(7);

            change(context, Map.of(ORDERS + "groups.acme.max-concurrency", 8));
            assertThat(limit(executor, "acme")).isEqualTo(8);
        });
    }

    @Test
    void aValueByHandThatHappensToBeThatOfThePropertyIsByHandAllTheSame() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            ExecutorSettings settings =
                    context.getBean(ConfiguredExecutors.class).settings("orders", executor);
            change(context, Map.of(ORDERS + "groups.acme.max-concurrency", 5));
            settings.setByHand("acme", Map.of(GroupSetting.MAX_CONCURRENCY, 5), null);

            change(context, Map.of(ORDERS + "groups.acme.max-concurrency", 6));

            assertThat(limit(executor, "acme")).isEqualTo(5);
        });
    }

    @Test
    void whatTheApplicationSetItselfIsByHand() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.setMaxConcurrency("acme", 20);
            executor.setDefaultMaxConcurrency(30);

            change(
                    context,
                    Map.of(
                            ORDERS + "groups.acme.max-concurrency", 5,
                            ORDERS + "default-max-concurrency-per-group", 7));

            assertThat(limit(executor, "acme")).isEqualTo(20);
            assertThat(executor.defaultMaxConcurrency()).isEqualTo(30);
        });
    }

    @Test
    void aPauseSurvivesAChangedProperty() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.pauseGroup("acme");

            change(context, Map.of(ORDERS + "groups.acme.max-concurrency", 5));

            assertThat(executor.liveSettings().get("acme")).hasToString("max concurrency 5, paused");
        });
    }

    @Test
    void whatACustomizerSaysStaysUntilThePropertyChanges() {
        runner.withUserConfiguration(Customized.class).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            assertThat(executor.defaultMaxConcurrency()).isEqualTo(50);

            change(context, Map.of(ORDERS + "global-max-in-flight", 60));
            assertThat(executor.defaultMaxConcurrency()).isEqualTo(50);
            remove(context, ORDERS + "groups.acme.max-concurrency");
            assertThat(limit(executor, "acme")).as("what the resolver says").isEqualTo(40);

            change(context, Map.of(ORDERS + "default-max-concurrency-per-group", 7));
            assertThat(executor.defaultMaxConcurrency()).isEqualTo(7);
        });
    }

    @Test
    void aWrongValueChangesNothing() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);

            change(
                    context,
                    Map.of(
                            ORDERS + "groups.acme.max-concurrency", 0,
                            ORDERS + "default-max-concurrency-per-group", 7));
            assertThat(limit(executor, "acme")).isEqualTo(4);
            assertThat(executor.defaultMaxConcurrency()).isEqualTo(2);
            assertThat(log.texts())
                    .singleElement()
                    .asString()
                    .contains(ORDERS + "groups.acme.max-concurrency", "must be at least 1, but is 0");

            change(context, Map.of(ORDERS + "groups.acme.max-concurrency", 5));
            assertThat(limit(executor, "acme")).isEqualTo(5);
            assertThat(executor.defaultMaxConcurrency()).isEqualTo(7);
        });
    }

    @Test
    void whatCannotChangeWhileTasksRunIsNamed() {
        runner.run(context -> {
            change(
                    context,
                    Map.of(
                            ORDERS + "rejection-policy",
                            "block",
                            ORDERS + "max-groups",
                            3,
                            "group-concurrency.executors.other.global-max-in-flight",
                            3,
                            "group-concurrency.fleet.ttl",
                            "20s",
                            "server.port",
                            1));
            assertThat(log.texts())
                    .containsExactly(
                            "group-concurrency.executors.orders.max-groups takes effect at the next start",
                            "group-concurrency.executors.orders.rejection-policy takes effect at the next start",
                            "group-concurrency.executors.other.global-max-in-flight takes effect at the next start",
                            "group-concurrency.fleet.ttl takes effect at the next start");
        });
    }

    @Test
    void poolsAndIsolationExecutorsChangeToo() {
        properties.put("group-concurrency.pools.images.min-workers", 2);
        properties.put("group-concurrency.pools.images.max-workers", 3);
        properties.put("group-concurrency.isolation.searches.max-concurrency", 4);
        runner.run(context -> {
            WorkerPool pool = context.getBean(WorkerPool.class);
            IsolationExecutor isolation = context.getBean(IsolationExecutor.class);
            change(
                    context,
                    Map.of(
                            "group-concurrency.pools.images.min-workers", 7,
                            "group-concurrency.pools.images.max-workers", 8,
                            "group-concurrency.pools.images.queue-capacity", 9,
                            "group-concurrency.isolation.searches.max-concurrency", 5,
                            "group-concurrency.isolation.searches.queue-capacity", 0));
            assertThat(pool.stats().minWorkers()).isEqualTo(7);
            assertThat(pool.stats().maxWorkers()).isEqualTo(8);
            assertThat(pool.stats().queueCapacity()).isEqualTo(9);

            change(
                    context,
                    Map.of(
                            "group-concurrency.pools.images.min-workers", 1,
                            "group-concurrency.pools.images.max-workers", 2));
            assertThat(pool.stats().minWorkers()).isEqualTo(1);
            assertThat(pool.stats().maxWorkers()).isEqualTo(2);

            eventually().untilAsserted(() -> {
                isolation.submit("key", () -> 1).await(); // the supplier is asked while there are tasks
                assertThat(isolation.stats().maxConcurrency()).isEqualTo(5);
            });
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Customized {

        @Bean
        GroupPolicyCustomizer customizer() {
            return (name, policy) -> policy.defaultMaxConcurrencyPerGroup(50).concurrencyResolver(key -> 40);
        }
    }
}
