package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Does Prometheus get what it can read, and nothing that misleads? */
class PrometheusScrapeTest {

    private final MockClock clock = new MockClock();
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), clock);

    private Scrape scrape() {
        clock.add(Duration.ofSeconds(1));
        registry.scrape(); // a scrape that finds new groups may show them only the next time
        return Scrape.parse(registry.scrape());
    }

    @Test
    void everyLineIsValidAndNoMeterIsLost() {
        List<String> failures = new ArrayList<>();
        registry.config().onMeterRegistrationFailed((id, reason) -> failures.add(id + ": " + reason));
        try (Everything everything = new Everything(registry)) {
            Scrape scrape = scrape();
            assertThat(everything.orders.name()).isEqualTo("orders");
            assertThat(failures).isEmpty();
            assertThat(scrape.names())
                    .contains(
                            "group_concurrency_active_tasks",
                            "group_concurrency_queued_tasks",
                            "group_concurrency_retrying_tasks",
                            "group_concurrency_limit_tasks",
                            "group_concurrency_queue_oldest_seconds",
                            "group_concurrency_groups",
                            "group_concurrency_submitted_tasks_total",
                            "group_concurrency_retries_total",
                            "group_concurrency_completed_tasks_total",
                            "group_concurrency_callback_faults_total",
                            "group_concurrency_task_wait_seconds_count",
                            "group_concurrency_task_wait_seconds_sum",
                            "group_concurrency_task_wait_seconds_max",
                            "group_concurrency_task_run_seconds_count",
                            "group_concurrency_group_active_tasks",
                            "group_concurrency_group_queued_tasks",
                            "group_concurrency_group_limit_tasks",
                            "group_concurrency_group_weight",
                            "group_concurrency_group_paused",
                            "group_concurrency_group_queue_oldest_seconds",
                            "group_concurrency_group_completed_tasks_total",
                            "executor_active_threads",
                            "executor_queued_tasks",
                            "executor_completed_tasks_total",
                            "executor_pool_size_threads",
                            "executor_pool_core_threads",
                            "executor_pool_max_threads",
                            "executor_queue_remaining_tasks",
                            "executor_idle_seconds_count",
                            "group_concurrency_pool_rejected_tasks_total",
                            "group_concurrency_pool_timeouts_tasks_total",
                            "group_concurrency_pool_zombies_threads",
                            "group_concurrency_pool_replaced_threads_total",
                            "group_concurrency_pool_busy",
                            "group_concurrency_isolation_running_tasks",
                            "group_concurrency_isolation_queued_tasks",
                            "group_concurrency_isolation_reserve_tasks",
                            "group_concurrency_isolation_limit_tasks",
                            "group_concurrency_isolation_lane_running_tasks",
                            "group_concurrency_isolation_lane_wait_seconds_count",
                            "group_concurrency_scope_started_tasks_total",
                            "group_concurrency_scope_completed_tasks_total",
                            "group_concurrency_scope_duration_seconds_count");
        }
    }

    @Test
    void noSampleIsUnlimitedOrNotANumber() {
        try (Everything everything = new Everything(registry)) {
            assertThat(everything.mails.stats().globalInFlightMax()).isEqualTo(Integer.MAX_VALUE);
            assertThat(scrape().samples())
                    .allSatisfy(sample -> assertThat(sample.value()).isFinite().isLessThan(Integer.MAX_VALUE));
        }
    }

    @Test
    void twoExecutorsDoNotClashAlthoughOneHasGroupTagsAndTimers() {
        try (Everything everything = new Everything(registry)) {
            Scrape scrape = scrape();
            assertThat(scrape.values("group_concurrency_completed_tasks_total", "name"))
                    .containsExactlyInAnyOrder("orders", "mails", "nodes");
            assertThat(scrape.value("group_concurrency_completed_tasks_total", "name", "orders", "outcome", "success"))
                    .isEqualTo(4);
            assertThat(scrape.value("group_concurrency_completed_tasks_total", "name", "mails", "outcome", "success"))
                    .isEqualTo(4);
            assertThat(scrape.values("group_concurrency_group_active_tasks", "name"))
                    .containsExactly("orders");
            assertThat(scrape.values("group_concurrency_group_active_tasks", "group"))
                    .containsExactlyInAnyOrder("tenant-0", "tenant-1", "other");
            assertThat(scrape.values("group_concurrency_limit_tasks", "name")).containsExactly("orders");
            assertThat(scrape.values("executor_queue_remaining_tasks", "name")).containsExactly("pool");
            assertThat((long) scrape.value("group_concurrency_task_wait_seconds_count", "name", "mails"))
                    .as("recorded by the executor")
                    .isEqualTo(everything.mails.stats().waitingTime().count());
            assertThat(scrape.value("group_concurrency_task_wait_seconds_count", "name", "orders", "tag", "report"))
                    .as("recorded by a timer")
                    .isEqualTo(4);
        }
    }

    @Test
    void everyMeterHasFixedLabels() {
        try (Everything everything = new Everything(registry)) {
            Scrape scrape = scrape();
            assertThat(scrape.values("group_concurrency_active_tasks", "name")).contains(everything.orders.name());
            for (Scrape.Sample sample : scrape.samples()) {
                assertThat(sample.labels().keySet())
                        .as(sample.toString())
                        .isEqualTo(scrape.labelsOf(sample.name()))
                        .contains("name");
                assertThat(sample.labels().values()).as(sample.toString()).doesNotContain("");
            }
            assertThat(scrape.labelsOf("group_concurrency_completed_tasks_total"))
                    .isEqualTo(Set.of("name", "outcome", "reason"));
        }
    }

    @Test
    void keysWithQuotesAndLineBreaksAreReadable() {
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().name("orders").build())) {
            GroupExecutorMetrics.builder(executor)
                    .groupTags(GroupTags.first(5))
                    .build()
                    .bindTo(registry);
            executor.submit("a \"key\"\nof \\ two lines", () -> 1).join();
            assertThat(scrape().values("group_concurrency_group_active_tasks", "group"))
                    .contains("a \\\"key\\\"\\nof \\\\ two lines");
        }
    }
}
