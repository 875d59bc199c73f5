package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.SharedLimit;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetStats;
import io.github.kobe.fleet.FleetStore;
import io.github.kobe.fleet.InMemoryStore;
import io.github.kobe.fleet.SessionState;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Do meters show what this JVM has in a fleet? */
class FleetMetricsTest {

    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final Values values = new Values(registry);
    private final FleetStore store = new InMemoryStore();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Blocker> blockers = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        blockers.forEach(Blocker::release);
        for (AutoCloseable resource : open.reversed()) {
            resource.close();
        }
    }

    private Fleet fleet() {
        return fleet(true);
    }

    private Fleet fleet(boolean founding) {
        Fleet fleet = Fleet.builder("orders", store)
                .ttl(Duration.ofMinutes(1))
                .heartbeat(Duration.ofMillis(50))
                .founding(founding)
                .join();
        open.add(fleet);
        return fleet;
    }

    private GroupExecutor executor(Fleet fleet, int limit) {
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .name("executor")
                .defaultMaxConcurrencyPerGroup(limit)
                .fleet(fleet)
                .build());
        open.add(executor);
        return executor;
    }

    private void block(GroupExecutor executor, int tasks) {
        for (int i = 0; i < tasks; i++) {
            Blocker blocker = new Blocker();
            blockers.add(blocker);
            executor.submit("tenant", blocker);
        }
    }

    @Test
    void metersShowWhatIsHeldWantedUsedAndOwed() {
        Fleet fleet = fleet();
        FleetMetrics metrics =
                FleetMetrics.builder(fleet).maxSnapshotAge(Duration.ZERO).build();
        metrics.bindTo(registry);
        assertThat(values.gauge("fleet.held")).isZero();
        block(executor(fleet, 2), 5);
        await().until(() -> values.gauge("fleet.used") == 2);
        assertThat(values.gauge("fleet.held")).isEqualTo(2);
        assertThat(values.gauge("fleet.wanted")).as("not more than the limit").isEqualTo(2);
        assertThat(values.gauge("fleet.debt")).isZero();
        assertThat(values.gauge("fleet.groups")).isEqualTo(1);
        metrics.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void metersShowSharedLimitsApart() {
        Fleet fleet = fleet();
        FleetMetrics.builder(fleet).maxSnapshotAge(Duration.ZERO).build().bindTo(registry);
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(9)
                .sharedLimit(SharedLimit.by("region", key -> "eu").max(2).acrossFleet())
                .fleet(fleet)
                .build());
        open.add(executor);
        block(executor, 5);
        await().until(() -> values.gauge("fleet.shared.used") == 2);
        assertThat(values.gauge("fleet.shared.held")).isEqualTo(2);
        assertThat(values.gauge("fleet.shared.wanted")).isEqualTo(2);
        assertThat(values.gauge("fleet.shared.debt")).isZero();
        assertThat(values.gauge("fleet.shared.values")).isEqualTo(1);
        assertThat(values.gauge("fleet.groups")).isEqualTo(1);
    }

    @Test
    void metersShowTheStateOfTheSessionsAndTheCallsOfTheStore() {
        Fleet fleet = fleet();
        FleetMetrics.builder(fleet).maxSnapshotAge(Duration.ZERO).build().bindTo(registry);
        assertThat(values.gauge("fleet.lease")).as("before the first task").isZero();
        executor(fleet, 1).submit("a", () -> 1).join();
        executor(fleet, 1).submit("b", () -> 1).join();
        await().until(() -> values.gauge("fleet.sessions", "state", "member") == 2);
        assertThat(values.gauge("fleet.sessions", "state", "joining")).isZero();
        assertThat(values.values("state")).containsExactlyInAnyOrder("joining", "registering", "member", "left");
        await().until(() -> values.gauge("fleet.nodes") == 2);
        assertThat(values.gauge("fleet.learning")).isZero();
        assertThat(values.gauge("fleet.lease")).isBetween(1.0, 60.0); // seconds, but at most three quarters of the TTL
        long exchanges = values.count("fleet.exchanges");
        await().until(() -> values.count("fleet.exchanges") > exchanges);
        assertThat(values.count("fleet.calls.lost")).isZero();
        assertThat(values.count("fleet.faults")).isZero();
    }

    @Test
    void meterShowsForHowLongTheStoreGrantsNothing() {
        Fleet fleet = fleet(false);
        FleetMetrics.builder(fleet).maxSnapshotAge(Duration.ZERO).build().bindTo(registry);
        executor(fleet, 1);
        await().until(() -> values.gauge("fleet.learning") > 0);
        assertThat(values.gauge("fleet.learning")).isLessThanOrEqualTo(60.0); // seconds, at most the TTL
    }

    @Test
    void afterTheFleetIsClosedItHoldsNothing() {
        Fleet fleet = fleet();
        FleetMetrics.builder(fleet).maxSnapshotAge(Duration.ZERO).build().bindTo(registry);
        GroupExecutor executor = executor(fleet, 2);
        executor.submit("tenant", () -> 1).join();
        assertThat(values.gauge("fleet.held")).isPositive();
        executor.close();
        fleet.close();
        assertThat(values.gauge("fleet.held")).isZero();
        assertThat(values.count("fleet.exchanges")).as("counters stay").isPositive();
    }

    private static FleetStats.Session session(SessionState state, Duration leaseLeft) {
        return new FleetStats.Session("executor", 0, "id", state, leaseLeft, Duration.ZERO, 1);
    }

    private static Duration shortestLease(FleetStats.Session... sessions) {
        return Duration.ofNanos(FleetMetrics.shortestLeaseNanos(new FleetStats(
                "orders",
                "node",
                List.of(sessions),
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                new FleetStats.SharedLimits(0, 0, 0, 0, 0))));
    }

    @Test
    void shortestLeaseIsZeroIfThatOfOneSessionIsOver() {
        FleetStats.Session valid = session(SessionState.MEMBER, Duration.ofSeconds(5));
        FleetStats.Session shorter = session(SessionState.MEMBER, Duration.ofSeconds(3));
        assertThat(shortestLease(valid, shorter)).isEqualTo(Duration.ofSeconds(3));
        assertThat(shortestLease(valid, session(SessionState.MEMBER, Duration.ZERO)))
                .isZero();
        assertThat(shortestLease(valid, session(SessionState.JOINING, Duration.ZERO)))
                .isZero();
        assertThat(shortestLease()).isZero();
    }

    @Test
    void sessionThatHasLeftHasNoLeaseToLose() {
        FleetStats.Session valid = session(SessionState.MEMBER, Duration.ofSeconds(5));
        assertThat(shortestLease(valid, session(SessionState.LEFT, Duration.ZERO)))
                .isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aFleetOfTheSameNameIsRefused() {
        FleetMetrics.monitor(registry, fleet());
        Fleet second = fleet();
        assertThatThrownBy(() -> FleetMetrics.monitor(registry, second))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("name=orders");
    }

    @Test
    void prometheusShowsThem() {
        PrometheusMeterRegistry prometheus =
                new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), clock);
        List<String> failures = new ArrayList<>();
        prometheus.config().onMeterRegistrationFailed((id, reason) -> failures.add(id + ": " + reason));
        Fleet fleet = fleet();
        FleetMetrics.builder(fleet).maxSnapshotAge(Duration.ZERO).build().bindTo(prometheus);
        block(executor(fleet, 2), 3);
        await().until(() -> fleet.stats().used() == 2);
        Scrape scrape = Scrape.parse(prometheus.scrape());
        assertThat(failures).isEmpty();
        assertThat(scrape.names())
                .containsExactlyInAnyOrder(
                        "group_concurrency_fleet_held_permits",
                        "group_concurrency_fleet_wanted_permits",
                        "group_concurrency_fleet_used_permits",
                        "group_concurrency_fleet_debt_permits",
                        "group_concurrency_fleet_shared_held_permits",
                        "group_concurrency_fleet_shared_wanted_permits",
                        "group_concurrency_fleet_shared_used_permits",
                        "group_concurrency_fleet_shared_debt_permits",
                        "group_concurrency_fleet_shared_values",
                        "group_concurrency_fleet_groups",
                        "group_concurrency_fleet_nodes",
                        "group_concurrency_fleet_sessions",
                        "group_concurrency_fleet_lease_seconds",
                        "group_concurrency_fleet_learning_seconds",
                        "group_concurrency_fleet_exchanges_total",
                        "group_concurrency_fleet_calls_lost_total",
                        "group_concurrency_fleet_faults_total");
        assertThat(scrape.value("group_concurrency_fleet_held_permits", "name", "orders"))
                .isEqualTo(2);
        assertThat(scrape.value("group_concurrency_fleet_wanted_permits", "name", "orders"))
                .isEqualTo(2);
    }
}
