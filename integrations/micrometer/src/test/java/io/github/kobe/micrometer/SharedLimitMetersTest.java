package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.Permit;
import io.github.kobe.PermitOptions;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.SharedLimit;
import io.github.kobe.TaskOptions;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.InMemoryStore;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do the meters of shared limits show what the executor says, and stay few? */
@Timeout(60)
class SharedLimitMetersTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final Values values = new Values(registry);
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable resource : open.reversed()) {
            resource.close();
        }
    }

    private static GroupPolicy.Builder policy() {
        return GroupPolicy.builder()
                .name("orders")
                .defaultMaxConcurrencyPerGroup(4)
                .sharedLimit(SharedLimit.by("tenant", key -> key.split("/", 2)[0])
                        .max(2)
                        .max("big", 3))
                .sharedLimit(SharedLimit.by("endpoint", key -> key.split("/", 2)[1]));
    }

    private GroupExecutor monitored(GroupPolicy.Builder policy, GroupTags tags) {
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy.build());
        open.add(executor);
        GroupExecutorMetrics metrics =
                GroupExecutorMetrics.builder(executor).sharedLimitTags(tags).build();
        metrics.bindTo(registry);
        open.add(metrics);
        return executor;
    }

    private Permit acquire(GroupExecutor executor, String key, int cost) throws InterruptedException {
        Permit permit = executor.acquire(key, PermitOptions.builder().cost(cost).build())
                .detach();
        open.add(permit);
        return permit;
    }

    private void scrape(Duration later) {
        clock.add(later);
        values.gauge("active");
    }

    private double gauge(String meter, String limit, String value) {
        return values.gauge("shared." + meter, "limit", limit, "value", value);
    }

    private boolean has(String meter, String limit, String value) {
        return values.has("shared." + meter, "limit", limit, "value", value);
    }

    @Test
    void eachValueHasItsNumbersAndTheRestIsOther() throws Exception {
        GroupExecutor executor = monitored(policy(), GroupTags.of("big", "small"));
        acquire(executor, "big/x", 2);
        acquire(executor, "a/x", 1);
        acquire(executor, "b/y", 2);
        executor.submit("b/x", () -> 1);
        executor.pauseSharedLimit("tenant", "a");
        scrape(SECOND);
        assertThat(gauge("active", "tenant", "big")).isEqualTo(2);
        assertThat(gauge("limit", "tenant", "big")).isEqualTo(3);
        assertThat(gauge("waiting", "tenant", "big")).isZero();
        assertThat(gauge("paused", "tenant", "big")).isZero();
        assertThat(gauge("active", "tenant", "other")).isEqualTo(3);
        assertThat(gauge("waiting", "tenant", "other")).isEqualTo(1);
        assertThat(gauge("paused", "tenant", "other")).isEqualTo(1);
        assertThat(has("limit", "tenant", "other")).isFalse();
        assertThat(gauge("active", "endpoint", "other")).isEqualTo(5);
        assertThat(has("active", "tenant", "small"))
                .as("no group belongs to it")
                .isFalse();

        executor.setSharedLimit("tenant", "big", 7);
        executor.pauseSharedLimit("tenant", "big");
        scrape(SECOND);
        assertThat(gauge("limit", "tenant", "big")).isEqualTo(7);
        assertThat(gauge("paused", "tenant", "big")).isEqualTo(1);
    }

    /** A sum over all JVMs would count it once for each. */
    @Test
    void aLimitOfTheFleetIsAMeterOfItsOwn() throws Exception {
        Fleet fleet = Fleet.builder("fleet", new InMemoryStore()).founding(true).join();
        open.add(fleet);
        GroupExecutor executor = monitored(
                policy().fleet(fleet)
                        .sharedLimit(
                                SharedLimit.by("region", key -> "eu").max(9).acrossFleet()),
                GroupTags.first(5));
        acquire(executor, "a/x", 1);
        scrape(SECOND);
        assertThat(gauge("fleet.limit", "region", "eu")).isEqualTo(9);
        assertThat(has("limit", "region", "eu")).isFalse();
        assertThat(gauge("limit", "tenant", "a")).isEqualTo(2);
        assertThat(has("fleet.limit", "tenant", "a")).isFalse();
    }

    @Test
    void withoutTagsALimitHasItsSums() throws Exception {
        GroupExecutor executor = monitored(policy(), GroupTags.none());
        acquire(executor, "a/x", 1);
        acquire(executor, "b/x", 1);
        scrape(SECOND);
        assertThat(values.values("value")).containsExactly("other");
        assertThat(values.values("limit")).containsExactly("endpoint", "tenant");
        assertThat(gauge("active", "tenant", "other")).isEqualTo(2);
    }

    @Test
    void anUnlimitedValueHasNoLimit() throws Exception {
        GroupExecutor executor = monitored(policy(), GroupTags.first(5));
        acquire(executor, "a/x", 1);
        scrape(SECOND);
        assertThat(has("limit", "endpoint", "x")).isFalse();
        executor.setSharedLimit("endpoint", "x", 9);
        scrape(SECOND);
        assertThat(gauge("limit", "endpoint", "x")).isEqualTo(9);
        executor.resetSharedLimit("endpoint", "x");
        scrape(SECOND);
        assertThat(has("limit", "endpoint", "x")).isFalse();
    }

    @Test
    void classesOfValuesAreSums() throws Exception {
        GroupExecutor executor =
                monitored(policy(), GroupTags.mapped(value -> value.startsWith("b") ? "with b" : null));
        acquire(executor, "big/x", 2);
        acquire(executor, "b/x", 1);
        acquire(executor, "a/x", 1);
        scrape(SECOND);
        assertThat(gauge("active", "tenant", "with b")).isEqualTo(3);
        assertThat(gauge("limit", "tenant", "with b")).isEqualTo(5);
        assertThat(gauge("active", "tenant", "other")).isEqualTo(1);
    }

    @Test
    void aValueThatIsCalledOtherIsNotTheRest() throws Exception {
        GroupExecutor executor = monitored(policy(), GroupTags.first(5));
        acquire(executor, "other/x", 1);
        scrape(SECOND);
        assertThat(gauge("active", "tenant", "_other")).isEqualTo(1);
        assertThat(gauge("active", "tenant", "other")).isZero();
    }

    @Test
    void valuesThatOthersChooseMakeNoMoreSeriesThanAllowed() {
        GroupExecutor executor = monitored(policy().idleGroupTtl(Duration.ZERO), GroupTags.first(3));
        AtomicInteger most = new AtomicInteger();
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < 20; i++) {
                executor.submit("attacker-" + round + "-" + i + "/x", () -> 1).join();
            }
            Blocker blocker = new Blocker();
            executor.submit("running-" + round + "/x", blocker);
            scrape(SECOND);
            most.accumulateAndGet(values.values("value").size(), Math::max);
            blocker.release();
        }
        assertThat(most.get()).as("three tenants, the endpoint x, and other").isBetween(3, 5);
    }

    @Test
    void aValueThatIsIdleForAnHourLosesItsMetersAndItsSlot() {
        GroupExecutor executor = monitored(policy().idleGroupTtl(Duration.ZERO), GroupTags.first(1));
        Blocker first = new Blocker();
        executor.submit("first/x", first);
        scrape(SECOND);
        assertThat(gauge("active", "tenant", "first")).isEqualTo(1);
        first.release();
        await().until(() -> executor.sharedLimits().isEmpty());
        scrape(SECOND);
        assertThat(gauge("active", "tenant", "first")).isZero();
        assertThat(has("limit", "tenant", "first")).as("it is not known").isFalse();

        Blocker second = new Blocker();
        executor.submit("second/x", second);
        scrape(SECOND);
        assertThat(has("active", "tenant", "second")).as("the slot is taken").isFalse();
        assertThat(gauge("active", "tenant", "other")).isEqualTo(1);
        scrape(Duration.ofHours(1));
        scrape(SECOND);
        assertThat(has("active", "tenant", "first")).isFalse();
        assertThat(gauge("active", "tenant", "second")).isEqualTo(1);
        assertThat(gauge("active", "tenant", "other")).isZero();
        second.release();
    }

    @Test
    void closingRemovesAll() throws Exception {
        GroupExecutor executor = monitored(policy(), GroupTags.first(5));
        acquire(executor, "a/x", 1);
        scrape(SECOND);
        assertThat(values.names()).contains("group.concurrency.shared.active");
        ((AutoCloseable) open.get(1)).close();
        assertThat(registry.getMeters()).extracting(Meter::getId).isEmpty();
    }

    @Test
    void prometheusSeesOneSetOfLabels() throws Exception {
        PrometheusMeterRegistry prometheus =
                new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), clock);
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy().build());
        open.add(executor);
        GroupExecutorMetrics.builder(executor)
                .sharedLimitTags(GroupTags.first(5))
                .tags("region", "eu")
                .build()
                .bindTo(prometheus);
        acquire(executor, "a/x", 2);
        executor.submit("a/y", () -> 1);
        clock.add(SECOND);
        prometheus.scrape();
        Scrape scrape = Scrape.parse(prometheus.scrape());
        assertThat(scrape.names())
                .contains(
                        "group_concurrency_shared_active_permits",
                        "group_concurrency_shared_limit_permits",
                        "group_concurrency_shared_waiting_groups",
                        "group_concurrency_shared_paused");
        assertThat(scrape.labelsOf("group_concurrency_shared_active_permits"))
                .containsExactlyInAnyOrder("name", "limit", "value", "region");
        assertThat(scrape.values("group_concurrency_shared_active_permits", "value"))
                .containsExactlyInAnyOrder("a", "x", "y", "other");
    }

    @Test
    void rejectionsByCostAppearUnderTheirReason() throws Exception {
        GroupExecutor executor = monitored(policy().rejectionPolicy(RejectionPolicy.DISCARD), GroupTags.none());
        executor.submit("a/x", () -> 1, TaskOptions.builder().cost(3).build()).await();
        scrape(SECOND);
        assertThat(values.count("completed", "outcome", "rejected", "reason", "too_costly"))
                .isEqualTo(1);
    }

    @Test
    void tagsOfThisLibraryAreRefused() {
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy().build());
        open.add(executor);
        assertThatThrownBy(() -> GroupExecutorMetrics.builder(executor).tags("limit", "mine"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("tags must not have the key of a tag of this library, but has limit=mine");
    }
}
