package io.github.kobe.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPolicy;
import io.github.kobe.SharedLimit;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.pool.WorkerPoolBuilder;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** Do properties mean what the builders of the core mean? */
class PropertyMappingTest {

    private static GroupConcurrencyProperties bind(Map<String, ?> properties) {
        return new Binder(new MapConfigurationPropertySource(properties))
                .bindOrCreate(GroupConcurrencyProperties.PREFIX, Bindable.of(GroupConcurrencyProperties.class));
    }

    private static GroupPolicy policy(GroupConcurrencyProperties properties, String name) {
        return PropertyMapping.groupPolicy(name, properties.executor(name), () -> properties.executor(name), null)
                .build();
    }

    @Test
    void theDefaultsAreThoseOfTheCoreExceptThatGroupsAreBounded() {
        GroupConcurrencyProperties none = bind(Map.of());
        assertThat(policy(none, "x"))
                .hasToString(GroupPolicy.builder()
                        .name("x")
                        .maxGroups(100_000)
                        .build()
                        .toString());
        assertThat(PropertyMapping.workerPool("x", none.pool("x")))
                .hasToString(WorkerPool.builder().name("x").toString());
        assertThat(PropertyMapping.isolationPolicy("x", none.isolation("x")).build())
                .hasToString(IsolationPolicy.builder().name("x").build().toString());
    }

    @Test
    void everyPropertyOfAnExecutorReachesItsPolicy() {
        String prefix = "group-concurrency.executors.orders.";
        GroupConcurrencyProperties properties = bind(Map.ofEntries(
                Map.entry(prefix + "default-max-concurrency-per-group", "2"),
                Map.entry(prefix + "default-max-in-flight-per-group", "3"),
                Map.entry(prefix + "default-queue-threshold-per-group", "4"),
                Map.entry(prefix + "global-max-in-flight", "5"),
                Map.entry(prefix + "global-queue-threshold", "6"),
                Map.entry(prefix + "max-groups", "7"),
                Map.entry(prefix + "fairness-policy", "service-time"),
                Map.entry(prefix + "priority-ageing", "8s"),
                Map.entry(prefix + "rejection-policy", "block"),
                Map.entry(prefix + "max-block-time", "9s"),
                Map.entry(prefix + "record-times", "true"),
                Map.entry(prefix + "idle-group-ttl", "10s"),
                Map.entry(prefix + "groups.acme.max-concurrency", "11"),
                Map.entry(prefix + "groups.acme.max-in-flight", "12"),
                Map.entry(prefix + "groups.acme.queue-threshold", "13"),
                Map.entry(prefix + "groups[a/b].weight", "14")));

        assertThat(policy(properties, "orders"))
                .hasToString(
                        "GroupPolicy[name orders, max concurrency 2 (acme 11), max in flight 3 (acme 12), queue threshold 4 (acme 13),"
                                + " weight 1 (a/b 14), global max in flight 5, global queue threshold 6, rejection policy BLOCK, max block time 9 s,"
                                + " fairness SERVICE_TIME, priority ageing 8 s, idle group ttl 10 s, max groups 7, records times]");
    }

    @Test
    void everyPropertyOfASharedLimitReachesItsPolicy() {
        String prefix = "group-concurrency.executors.orders.shared-limits.";
        GroupConcurrencyProperties properties = bind(Map.ofEntries(
                Map.entry(prefix + "tenant.part", "1"),
                Map.entry(prefix + "tenant.max", "10"),
                Map.entry(prefix + "tenant.weight", "2"),
                Map.entry(prefix + "tenant.values.acme.max", "20"),
                Map.entry(prefix + "tenant.values[Big/One].max", "30"),
                Map.entry(prefix + "tenant.values.acme.weight", "3"),
                Map.entry(prefix + "endpoint.key-pattern", "(?:web|api)/([^:]+):.*"),
                Map.entry(prefix + "plan.separator", "--"),
                Map.entry(prefix + "plan.part", "0")));

        List<SharedLimit> limits = policy(properties, "orders").sharedLimits();
        Map<String, SharedLimit> byName = limits.stream().collect(Collectors.toMap(SharedLimit::name, limit -> limit));
        assertThat(byName).containsOnlyKeys("tenant", "endpoint", "plan");
        SharedLimit tenant = byName.get("tenant");
        assertThat(tenant.classifier().apply("orders:acme")).isEqualTo("acme");
        assertThat(tenant.classifier().apply("orders:acme:more")).isEqualTo("acme");
        assertThat(tenant.classifier().apply("orders:")).isEmpty();
        assertThat(tenant.classifier().apply("orders"))
                .as("it has no such part")
                .isNull();
        assertThat(tenant.maxResolver().applyAsInt("acme")).isEqualTo(20);
        assertThat(tenant.maxResolver().applyAsInt("Big/One")).isEqualTo(30);
        assertThat(tenant.maxResolver().applyAsInt("other")).isEqualTo(10);
        assertThat(tenant.weightByValue()).isEqualTo(Map.of("acme", 3));
        assertThat(tenant.weightResolver().applyAsInt("other")).isEqualTo(2);
        SharedLimit endpoint = byName.get("endpoint");
        assertThat(endpoint.classifier().apply("api/prices:acme")).isEqualTo("prices");
        assertThat(endpoint.classifier().apply("api/prices")).isNull();
        assertThat(endpoint.maxResolver().applyAsInt("prices")).isEqualTo(Integer.MAX_VALUE);
        assertThat(endpoint.hasWeights()).isFalse();
        assertThat(byName.get("plan").classifier().apply("gold--acme")).isEqualTo("gold");
    }

    @Test
    void everyPropertyOfAPoolReachesItsBuilder() {
        String prefix = "group-concurrency.pools.images.";
        GroupConcurrencyProperties properties = bind(Map.ofEntries(
                Map.entry(prefix + "min-workers", "2"),
                Map.entry(prefix + "max-workers", "8"),
                Map.entry(prefix + "keep-alive", "3s"),
                Map.entry(prefix + "queue-capacity", "4"),
                Map.entry(prefix + "rejection-policy", "block"),
                Map.entry(prefix + "max-block-time", "5s"),
                Map.entry(prefix + "threads", "virtual"),
                Map.entry(prefix + "priority-ageing", "6s"),
                Map.entry(prefix + "grace", "7s"),
                Map.entry(prefix + "max-zombies", "1"),
                Map.entry(prefix + "sizing", "utilization"),
                Map.entry(prefix + "utilization", "0.5")));

        assertThat(PropertyMapping.workerPool("images", properties.pool("images")))
                .hasToString(
                        "WorkerPool[name images, workers 2 to 8, sizing by utilization 0.5, keep alive 3 s, queue capacity 4,"
                                + " rejection policy BLOCK, max block time 5 s, threads VIRTUAL, priority ageing 6 s, grace 7 s, max zombies 1]");
    }

    @Test
    void everyPropertyOfAnIsolationExecutorReachesItsPolicy() {
        String prefix = "group-concurrency.isolation.searches.";
        GroupConcurrencyProperties properties = bind(Map.ofEntries(
                Map.entry(prefix + "max-concurrency", "2"),
                Map.entry(prefix + "white-list", "acme"),
                Map.entry(prefix + "slow-threshold", "3s"),
                Map.entry(prefix + "target-wait", "4s"),
                Map.entry(prefix + "max-share", "0.5"),
                Map.entry(prefix + "white-list-share", "0.6"),
                Map.entry(prefix + "new-key-share", "0.7"),
                Map.entry(prefix + "task-expiry", "8s"),
                Map.entry(prefix + "task-timeout", "9s"),
                Map.entry(prefix + "queue-capacity", "10"),
                Map.entry(prefix + "max-tracked-keys", "11"),
                Map.entry(prefix + "stats-window", "12s")));

        assertThat(PropertyMapping.isolationPolicy("searches", properties.isolation("searches"))
                        .build())
                .hasToString(
                        "IsolationPolicy[name searches, max concurrency 2, white list [acme], slow threshold 3 s, target wait 4 s,"
                                + " max share 0.5, white list share 0.6, new key share 0.7, task expiry 8 s, task timeout 9 s, queue capacity 10,"
                                + " max tracked keys 11, stats window 12 s]");
    }

    /** A setting that the core gets later needs a property, or is for customizers. */
    @Test
    void everySettingOfABuilderIsAPropertyOrNeedsCode() {
        assertThat(settings(GroupPolicy.Builder.class))
                .containsExactlyInAnyOrderElementsOf(union(List.of(
                        components(
                                GroupConcurrencyProperties.Executor.class,
                                "groups",
                                "sharedLimits",
                                "propagateContext",
                                "shutdown"),
                        Set.of(
                                "perGroupMaxConcurrency",
                                "perGroupMaxInFlight",
                                "perGroupQueueThreshold",
                                "perGroupWeight"),
                        Set.of("name", "contextCarrier", "closeTimeout"),
                        Set.of(
                                "concurrencyResolver",
                                "sharedLimit",
                                "maxInFlightResolver",
                                "queueThresholdResolver",
                                "weightResolver",
                                "rejectionHandler",
                                "taskLifecycleListener",
                                "fleet"))));
        assertThat(settings(WorkerPoolBuilder.class))
                .containsExactlyInAnyOrderElementsOf(union(List.of(
                        components(
                                GroupConcurrencyProperties.Pool.class, "utilization", "propagateContext", "shutdown"),
                        Set.of("name", "contextCarrier", "closeTimeout"),
                        Set.of("recovery", "taskLifecycleListener"))));
        assertThat(settings(IsolationPolicy.Builder.class))
                .containsExactlyInAnyOrderElementsOf(union(List.of(
                        components(GroupConcurrencyProperties.Isolation.class, "propagateContext", "shutdown"),
                        Set.of("name", "contextCarrier", "closeTimeout"),
                        Set.of("listener", "taskLifecycleListener"))));
    }

    private static Set<String> settings(Class<?> builder) {
        return Arrays.stream(builder.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && method.getReturnType() == builder)
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> components(Class<?> properties, String... without) {
        Set<String> names = Arrays.stream(properties.getRecordComponents())
                .map(RecordComponent::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(names).contains(without);
        names.removeAll(Set.of(without));
        return names;
    }

    private static Set<String> union(List<Set<String>> sets) {
        return sets.stream().flatMap(Set::stream).collect(Collectors.toCollection(TreeSet::new));
    }
}
