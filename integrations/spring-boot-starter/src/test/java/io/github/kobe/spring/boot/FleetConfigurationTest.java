package io.github.kobe.spring.boot;

import static io.github.kobe.spring.boot.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskHandle;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetStore;
import io.github.kobe.fleet.InMemoryStore;
import io.github.kobe.fleet.LeaseLostAction;
import io.github.kobe.fleet.UnreachableMode;
import io.github.kobe.redis.RedisStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** When is there a fleet, and which executors are in it? */
class FleetConfigurationTest {

    private final ApplicationContextRunner runner = Runners.withAutoConfigurations();

    private final ApplicationContextRunner withStore = runner.withBean(FleetStore.class, InMemoryStore::new)
            .withPropertyValues("group-concurrency.fleet.name=orders", "group-concurrency.fleet.founding=true");

    @Test
    void withoutPropertiesThereIsNone() {
        runner.run(context -> assertThat(context).doesNotHaveBean(Fleet.class).doesNotHaveBean(FleetStore.class));
    }

    @Test
    void withoutTheRedisModuleTheStartFailsAndSaysWhatToAdd() {
        runner.withClassLoader(new FilteredClassLoader(RedisStore.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Fleet.class));
        runner.withClassLoader(new FilteredClassLoader(RedisStore.class))
                .withPropertyValues("group-concurrency.fleet.name=orders")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(
                                ConfigurationMistakeException.class,
                                mistake -> assertThat(mistake.action()).contains("group-concurrency-redis")));
    }

    @Test
    void aStoreOfTheApplicationNeedsNoRedis() {
        withStore
                .withClassLoader(new FilteredClassLoader(RedisStore.class))
                .run(context -> assertThat(context).hasSingleBean(Fleet.class).hasSingleBean(FleetStore.class));
    }

    @Test
    void anApplicationStartsWithoutRedisAndIsDown() {
        runner.withPropertyValues(
                        "group-concurrency.fleet.name=orders",
                        "group-concurrency.fleet.redis.uri=redis://127.0.0.1:1",
                        "group-concurrency.fleet.ttl=200ms",
                        "group-concurrency.executors.default.shutdown.await-termination-period=0s",
                        "group-concurrency.health.enabled=true")
                .run(context -> {
                    assertThat(context).hasSingleBean(RedisStore.class);
                    TaskHandle<Integer> task =
                            context.getBean(GroupExecutor.class).submit("acme", () -> 1);
                    GroupConcurrencyHealthIndicator health = context.getBean(GroupConcurrencyHealthIndicator.class);
                    eventually().until(() -> health.health().getStatus().equals(Status.DOWN));
                    assertThat(health.health().getDetails().get("groupConcurrencyFleet"))
                            .asString()
                            .contains("no lease");
                    assertThat(task.isDone()).isFalse();
                });
    }

    @Test
    void aFleetThatDoesNotStopWithoutItsStoreIsNotDown() {
        runner.withPropertyValues(
                        "group-concurrency.fleet.name=orders",
                        "group-concurrency.fleet.redis.uri=redis://127.0.0.1:1",
                        "group-concurrency.fleet.ttl=200ms",
                        "group-concurrency.fleet.when-unreachable=open",
                        "group-concurrency.health.enabled=true")
                .run(context -> {
                    GroupConcurrencyHealthIndicator health = context.getBean(GroupConcurrencyHealthIndicator.class);
                    assertThat(health.health().getDetails().get("groupConcurrencyFleet"))
                            .as("nothing is wanted")
                            .asString()
                            .contains("reachable");
                    CountDownLatch end = new CountDownLatch(1);
                    TaskHandle<Boolean> task =
                            context.getBean(GroupExecutor.class).submit("acme", () -> end.await(1, TimeUnit.MINUTES));
                    eventually()
                            .until(() -> String.valueOf(
                                            health.health().getDetails().get("groupConcurrencyFleet"))
                                    .contains("no lease"));
                    assertThat(health.health().getStatus()).isEqualTo(Status.UP);
                    end.countDown();
                    assertThat(task.join().isSuccess()).isTrue();
                });
    }

    @Test
    void allExecutorsAreInItExceptThoseThatSayOtherwise() {
        withStore
                .withPropertyValues(
                        "group-concurrency.executors.a.default-max-concurrency-per-group=1",
                        "group-concurrency.executors.b.fleet=true",
                        "group-concurrency.executors.c.fleet=false")
                .run(context -> eventually()
                        .untilAsserted(() -> assertThat(
                                        context.getBean(Fleet.class).stats().sessions())
                                .extracting(session -> session.executor())
                                .containsExactlyInAnyOrder("a", "b")));
    }

    @Test
    void aSharedLimitIsTheFleetsIfItsPropertySaysSo() {
        String limits = "group-concurrency.executors.default.shared-limits.";
        withStore
                .withPropertyValues(
                        limits + "tenant.part=0",
                        limits + "tenant.max=3",
                        limits + "tenant.across-fleet=true",
                        limits + "kind.part=1",
                        limits + "kind.max=4")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    executor.submit("acme:orders", () -> 1).join();
                    assertThat(context.getBean(Fleet.class).sharedLimits())
                            .singleElement()
                            .satisfies(limit -> {
                                assertThat(limit.name()).isEqualTo("tenant");
                                assertThat(limit.value()).isEqualTo("acme");
                                assertThat(limit.limit()).isEqualTo(3);
                            });
                    assertThat(executor.sharedLimitStats("kind", "orders")
                                    .orElseThrow()
                                    .max())
                            .isEqualTo(4);
                });
    }

    @Test
    void aFleetOfTheApplicationReplacesThatOfTheProperties() {
        Fleet own = Fleet.builder("own", new InMemoryStore()).founding(true).join();
        withStore.withBean("mine", Fleet.class, () -> own).run(context -> {
            assertThat(context.getBean(Fleet.class)).isSameAs(own);
            context.getBean(GroupExecutor.class).submit("acme", () -> 1).join();
            assertThat(own.stats().sessions()).hasSize(1);
        });
    }

    @Test
    void springDestroysTheExecutorsBeforeTheFleet() {
        withStore.run(context -> assertThat(context.getSourceApplicationContext()
                        .getBeanFactory()
                        .getDependentBeans("groupConcurrencyFleet"))
                .contains(ConfiguredExecutors.BEAN_NAME));
    }

    @Test
    void theFleetIsClosedAfterTheExecutorsHaveDrained() {
        CountDownLatch closing = new CountDownLatch(1);
        withStore.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            TaskHandle<Boolean> running = executor.submit("acme", () -> closing.await(1, TimeUnit.MINUTES));
            TaskHandle<Integer> queued = executor.submit("acme", () -> 1);
            eventually().until(() -> executor.stats().totalActiveCount() == 1);
            Thread close = Thread.ofVirtual().start(context::close);
            eventually().until(() -> isShutDown(executor));
            closing.countDown();
            close.join();
            assertThat(running.join().isSuccess()).isTrue();
            assertThat(queued.join().isSuccess())
                    .as("it needs a lease to start")
                    .isTrue();
        });
    }

    private static boolean isShutDown(GroupExecutor executor) {
        try {
            executor.submit("other", () -> 1);
            return false;
        } catch (ExecutorShutdownException e) {
            return true;
        }
    }

    @Test
    void everyPropertyReachesTheFleet() {
        GroupConcurrencyProperties.Fleet bound = new Binder(new MapConfigurationPropertySource(Map.ofEntries(
                        Map.entry("fleet.name", "orders"),
                        Map.entry("fleet.node", "n1"),
                        Map.entry("fleet.ttl", "20s"),
                        Map.entry("fleet.heartbeat", "1s"),
                        Map.entry("fleet.quantum", "40ms"),
                        Map.entry("fleet.linger", "6s"),
                        Map.entry("fleet.reclaim-after", "7s"),
                        Map.entry("fleet.when-unreachable", "keep-last"),
                        Map.entry("fleet.on-lease-lost", "interrupt"),
                        Map.entry("fleet.total-limit", "9"),
                        Map.entry("fleet.configuration-version", "4"),
                        Map.entry("fleet.founding", "true"),
                        Map.entry("fleet.redis.uri", "redis://localhost"),
                        Map.entry("fleet.redis.timeout", "3s"),
                        Map.entry("fleet.redis.shards", "5"))))
                .bind("fleet", Bindable.of(GroupConcurrencyProperties.Fleet.class))
                .get();
        assertThat(bound)
                .isEqualTo(new GroupConcurrencyProperties.Fleet(
                        "orders",
                        "n1",
                        new GroupConcurrencyProperties.Redis("redis://localhost", Duration.ofSeconds(3), 5),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(1),
                        Duration.ofMillis(40),
                        Duration.ofSeconds(6),
                        UnreachableMode.KEEP_LAST,
                        LeaseLostAction.INTERRUPT,
                        Duration.ofSeconds(7),
                        9,
                        4,
                        true));
        assertThat(bound.toString()).as("a URI may have a password").doesNotContain("redis://");
        try (Fleet fleet = FleetMapping.fleet(bound, new InMemoryStore())) {
            assertThat(fleet.name()).isEqualTo("orders");
            assertThat(fleet.node()).isEqualTo("n1");
        }
        assertThat(RedisMapping.store(bound.redis())).hasToString("RedisStore[localhost:6379, shards=5, timeout=PT3S]");
    }
}
