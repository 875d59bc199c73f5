package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskOptions;
import io.github.kobe.TaskStatus;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Do the meters of an executor show what it does, and do they come and go as they should? */
class GroupExecutorMetricsTest {

    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final Values values = new Values(registry);

    private static GroupExecutor executor(GroupPolicy.Builder policy) {
        return GroupExecutor.newVirtualThreadExecutor(policy.name("orders").build());
    }

    private void nextScrape() {
        clock.add(Duration.ofSeconds(1));
    }

    @Test
    void everyMeterHasNameTypeUnitAndTheTagName() {
        try (GroupExecutor executor = executor(GroupPolicy.builder().globalMaxInFlight(4))) {
            GroupExecutorMetrics.builder(executor)
                    .groupTags(GroupTags.of("acme"))
                    .timers(true)
                    .build()
                    .bindTo(registry);
            executor.submit("acme", () -> 1).join();
            nextScrape();
            values.gauge("active");
            assertThat(registry.getMeters())
                    .allSatisfy(
                            meter -> assertThat(meter.getId().getTag("name")).isEqualTo("orders"))
                    .allSatisfy(
                            meter -> assertThat(meter.getId().getDescription()).isNotBlank());
            assertThat(registry.getMeters().stream().map(Meter::getId).map(GroupExecutorMetricsTest::text))
                    .containsExactlyInAnyOrderElementsOf(expectedMeters());
        }
    }

    private static List<String> expectedMeters() {
        List<String> expected = new ArrayList<>(List.of(
                "active GAUGE tasks",
                "queued GAUGE tasks",
                "retrying GAUGE tasks",
                "limit GAUGE tasks",
                "queue.oldest GAUGE seconds",
                "groups GAUGE null state=known",
                "groups GAUGE null state=paused",
                "submitted COUNTER tasks",
                "retries COUNTER null",
                "callback.faults COUNTER null",
                "group.limit GAUGE tasks group=acme",
                "group.weight GAUGE null group=acme",
                "group.queue.oldest GAUGE seconds group=acme"));
        List<String> outcomes = List.of(
                "outcome=success reason=none",
                "outcome=failure reason=none",
                "outcome=timeout reason=none",
                "outcome=cancelled reason=none",
                "outcome=rejected reason=group_queue_full",
                "outcome=rejected reason=global_queue_full",
                "outcome=rejected reason=expired",
                "outcome=rejected reason=shut_down",
                "outcome=rejected reason=paused",
                "outcome=rejected reason=too_many_groups",
                "outcome=rejected reason=too_costly");
        outcomes.forEach(outcome -> expected.add("completed COUNTER tasks " + outcome));
        for (String group : List.of("acme", "other")) {
            expected.add("group.active GAUGE tasks group=" + group);
            expected.add("group.queued GAUGE tasks group=" + group);
            expected.add("group.paused GAUGE null group=" + group);
            outcomes.forEach(outcome -> expected.add("group.completed COUNTER tasks group=" + group + " " + outcome));
        }
        for (String tag : List.of("none", "other")) {
            expected.add("task.wait TIMER seconds tag=" + tag);
            for (String outcome : List.of("success", "failure", "timeout", "cancelled")) {
                expected.add("task.run TIMER seconds outcome=" + outcome + " tag=" + tag);
            }
        }
        return expected;
    }

    private static String text(Meter.Id id) {
        StringBuilder text = new StringBuilder(id.getName().substring("group.concurrency.".length()))
                .append(' ')
                .append(id.getType())
                .append(' ')
                .append(id.getBaseUnit());
        id.getTags().stream()
                .filter(tag -> !tag.getKey().equals("name"))
                .forEach(
                        tag -> text.append(' ').append(tag.getKey()).append('=').append(tag.getValue()));
        return text.toString();
    }

    @Test
    void gaugesShowTheState() throws Exception {
        try (GroupExecutor executor = executor(GroupPolicy.builder().globalMaxInFlight(4))) {
            GroupExecutorMetrics.monitor(registry, executor);
            Blocker blocker = new Blocker();
            executor.submit("acme", blocker);
            blocker.awaitStarted();
            TaskHandle<Integer> queued = executor.submit("acme", () -> 1);
            executor.pauseGroup("paused");
            executor.submit("paused", () -> 1);
            await().until(() -> executor.stats().oldestWaiting().isPositive());
            assertThat(values.gauge("active")).isEqualTo(1);
            assertThat(values.gauge("queued")).isEqualTo(2);
            assertThat(values.gauge("retrying")).isZero();
            assertThat(values.gauge("limit")).isEqualTo(4);
            assertThat(values.gauge("queue.oldest")).isPositive();
            assertThat(values.gauge("groups", "state", "known")).isEqualTo(2);
            assertThat(values.gauge("groups", "state", "paused")).isEqualTo(1);
            blocker.release();
            queued.join();
        }
    }

    @Test
    void tasksAreCountedByOutcomeAndReason() throws Exception {
        GroupPolicy.Builder policy =
                GroupPolicy.builder().defaultQueueThresholdPerGroup(1).rejectionPolicy(RejectionPolicy.DISCARD);
        try (GroupExecutor executor = executor(policy)) {
            GroupExecutorMetrics.monitor(registry, executor);
            executor.submit("acme", () -> 1).join();
            executor.submit("acme", failing()).join();
            executor.submit(
                            "acme",
                            new Blocker(),
                            TaskOptions.builder().timeout(Duration.ofMillis(1)).build())
                    .join();
            executor.submit(
                            "acme",
                            failing(),
                            TaskOptions.builder()
                                    .retry(RetryPolicy.fixedDelay(3, Duration.ofMillis(1)))
                                    .build())
                    .join();
            Blocker blocker = new Blocker();
            executor.submit("acme", blocker);
            blocker.awaitStarted();
            TaskHandle<Integer> cancelled = executor.submit("acme", () -> 1);
            assertThat(executor.submit("acme", () -> 1).join().status()).isEqualTo(TaskStatus.REJECTED);
            cancelled.cancel(false);
            cancelled.join();
            assertThat(values.count("submitted")).isEqualTo(7);
            assertThat(values.count("retries")).isEqualTo(2);
            assertThat(values.count("completed", "outcome", "success")).isEqualTo(1);
            assertThat(values.count("completed", "outcome", "failure")).isEqualTo(2);
            assertThat(values.count("completed", "outcome", "timeout")).isEqualTo(1);
            assertThat(values.count("completed", "outcome", "cancelled")).isEqualTo(1);
            assertThat(values.count("completed", "outcome", "rejected", "reason", "group_queue_full"))
                    .isEqualTo(1);
            assertThat(values.sum("completed")).isEqualTo(6);
            blocker.release();
        }
    }

    private static Callable<Integer> failing() {
        return () -> {
            throw new IllegalStateException("expected");
        };
    }

    @Test
    void faultsOfCallbacksAreCounted() {
        GroupPolicy.Builder policy = GroupPolicy.builder().concurrencyResolver(key -> {
            throw new IllegalStateException("expected");
        });
        try (GroupExecutor executor = executor(policy)) {
            GroupExecutorMetrics.monitor(registry, executor);
            executor.submit("acme", () -> 1).join();
            assertThat(values.count("callback.faults")).isEqualTo(1);
        }
    }

    @Test
    void unlimitedIsNoSample() {
        try (GroupExecutor executor =
                executor(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(Integer.MAX_VALUE))) {
            GroupExecutorMetrics.builder(executor)
                    .groupTags(GroupTags.of("acme"))
                    .build()
                    .bindTo(registry);
            executor.submit("acme", () -> 1).join();
            values.gauge("active");
            assertThat(values.has("limit")).isFalse();
            assertThat(values.has("group.limit")).isFalse();

            executor.setGlobalMaxInFlight(5);
            executor.setMaxConcurrency("acme", 3);
            nextScrape();
            values.gauge("active");
            assertThat(values.gauge("limit")).isEqualTo(5);
            assertThat(values.gauge("group.limit", "group", "acme")).isEqualTo(3);

            executor.setGlobalMaxInFlight(Integer.MAX_VALUE);
            executor.setMaxConcurrency("acme", Integer.MAX_VALUE);
            nextScrape();
            values.gauge("active");
            assertThat(values.has("limit")).isFalse();
            assertThat(values.has("group.limit")).isFalse();
        }
    }

    @Test
    void metersShareOneSnapshotForASecond() {
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            GroupExecutorMetrics.monitor(registry, executor);
            assertThat(values.count("submitted")).isZero();
            executor.submit("acme", () -> 1).join();
            clock.add(Duration.ofMillis(999));
            assertThat(values.count("submitted")).isZero();
            assertThat(values.count("completed", "outcome", "success")).isZero();
            clock.add(Duration.ofMillis(1));
            assertThat(values.count("completed", "outcome", "success")).isEqualTo(1);
            assertThat(values.count("submitted")).isEqualTo(1);
        }
    }

    @Test
    void withoutAgeEveryReadIsCurrent() {
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            GroupExecutorMetrics.builder(executor)
                    .maxSnapshotAge(Duration.ZERO)
                    .build()
                    .bindTo(registry);
            assertThat(values.count("submitted")).isZero();
            executor.submit("acme", () -> 1).join();
            assertThat(values.count("submitted")).isEqualTo(1);
        }
        assertThatThrownBy(() -> GroupExecutorMetrics.builder(executor(GroupPolicy.builder()))
                        .maxSnapshotAge(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxSnapshotAge")
                .hasMessageContaining("PT-0.001S");
    }

    @Test
    void recordedTimesAreExportedWithoutTimers() throws Exception {
        try (GroupExecutor executor = executor(GroupPolicy.builder().recordTimes(true))) {
            GroupExecutorMetrics.monitor(registry, executor);
            assertThat(values.has("task.wait")).isFalse();
            Blocker blocker = new Blocker();
            executor.submit("acme", blocker);
            blocker.awaitStarted();
            TaskHandle<Integer> queued = executor.submit("acme", () -> 1);
            await().until(() -> executor.stats().oldestWaiting().isPositive());
            blocker.release();
            queued.join();
            values.gauge("active");
            var wait = registry.get("group.concurrency.task.wait")
                    .tags("tag", "none")
                    .functionTimer();
            var run = registry.get("group.concurrency.task.run")
                    .tags("tag", "none", "outcome", "none")
                    .functionTimer();
            assertThat((long) wait.count())
                    .isEqualTo(executor.stats().waitingTime().count());
            assertThat(Math.round(wait.totalTime(TimeUnit.NANOSECONDS)))
                    .isEqualTo(executor.stats().waitingTime().total().toNanos())
                    .isPositive();
            assertThat(run.count()).isEqualTo(2);
            assertThat(run.getId().getDescription()).contains("attempts");
            assertThat(Math.round(run.totalTime(TimeUnit.NANOSECONDS)))
                    .isEqualTo(executor.stats().runningTime().total().toNanos())
                    .isPositive();
        }
    }

    @Test
    void timersShowWaitAndRunByTagAndOutcome() throws Exception {
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            GroupExecutorMetrics metrics =
                    GroupExecutorMetrics.builder(executor).timers(true).build();
            metrics.bindTo(registry);
            Blocker blocker = new Blocker();
            TaskOptions report = TaskOptions.builder().tag("report").build();
            TaskHandle<Boolean> running = executor.submit("acme", blocker, report);
            blocker.awaitStarted();
            TaskHandle<Integer> queued = executor.submit("acme", failing(), report);
            TaskHandle<Integer> cancelled = executor.submit("acme", () -> 1, report);
            cancelled.cancel(true);
            await().until(() -> executor.stats().oldestWaiting().isPositive());
            blocker.release();
            running.join();
            queued.join();
            cancelled.join();
            assertThat(timer("task.wait", "tag", "report").count())
                    .as("the cancelled task never started")
                    .isEqualTo(2);
            assertThat(Math.round(timer("task.wait", "tag", "report").totalTime(TimeUnit.NANOSECONDS)))
                    .isEqualTo(queued.join().waited().toNanos());
            assertThat(Math.round(timer("task.run", "tag", "report", "outcome", "success")
                            .totalTime(TimeUnit.NANOSECONDS)))
                    .isEqualTo(running.join().durationNanos());
            assertThat(timer("task.run", "tag", "report", "outcome", "failure").count())
                    .isEqualTo(1);
            assertThat(timer("task.run", "tag", "report", "outcome", "cancelled")
                            .count())
                    .as("the cancelled task never ran")
                    .isZero();
            metrics.close();
            executor.submit("acme", () -> 1, report).join();
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    private Timer timer(String name, String... tags) {
        return registry.get("group.concurrency." + name).tags(tags).timer();
    }

    @Test
    void tagsWithTimersOfTheirOwnAreBounded() {
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            GroupExecutorMetrics.builder(executor).timers(true).build().bindTo(registry);
            for (int i = 0; i < 200; i++) {
                executor.submit(
                                "acme",
                                () -> 1,
                                TaskOptions.builder().tag("tag-" + i).build())
                        .join();
            }
            assertThat(values.values("tag")).hasSize(51).contains("tag-0", "tag-49", "other");
            assertThat(timer("task.wait", "tag", "other").count()).isEqualTo(150);
        }
    }

    @Test
    void anExecutorOfTheSameNameIsRefused() {
        try (GroupExecutor first = executor(GroupPolicy.builder());
                GroupExecutor second = executor(GroupPolicy.builder())) {
            GroupExecutorMetrics metrics = GroupExecutorMetrics.monitor(registry, first);
            int meters = registry.getMeters().size();
            assertThatThrownBy(() -> GroupExecutorMetrics.monitor(registry, second))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("group.concurrency.active")
                    .hasMessageContaining("name=orders");
            assertThat(registry.getMeters()).hasSize(meters);
            metrics.close();
            second.submit("acme", () -> 1).join();
            GroupExecutorMetrics.monitor(registry, second);
            assertThat(values.count("submitted")).isEqualTo(1);
        }
    }

    /** A registry may refuse a meter: a Prometheus registry does so if the tag keys of a name differ, and it is told to throw. */
    @Test
    void nothingIsLeftIfTheRegistryRefusesAMeter() {
        List<String> refused = List.of(
                "group.concurrency.callback.faults",
                "group.concurrency.group.paused",
                "group.concurrency.group.queue.oldest",
                "group.concurrency.task.run");
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            executor.submit("acme", () -> 1).join();
            for (String name : refused) {
                SimpleMeterRegistry refusing = new SimpleMeterRegistry();
                refusing.config().meterFilter(new MeterFilter() {
                    @Override
                    public Meter.Id map(Meter.Id id) {
                        if (id.getName().equals(name)) {
                            throw new IllegalArgumentException("expected");
                        }
                        return id;
                    }
                });
                GroupExecutorMetrics metrics = GroupExecutorMetrics.builder(executor)
                        .groupTags(GroupTags.first(5))
                        .timers(true)
                        .build();
                assertThatThrownBy(() -> metrics.bindTo(refusing)).as(name).hasMessage("expected");
                assertThat(refusing.getMeters()).as(name).isEmpty();
                metrics.bindTo(registry);
                assertThat(registry.getMeters()).as(name).isNotEmpty();
                metrics.close();
            }
        }
    }

    @Test
    void closeRemovesEverythingFromAllRegistries() {
        MeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (GroupExecutor executor = executor(GroupPolicy.builder().globalMaxInFlight(3))) {
            GroupExecutorMetrics metrics = GroupExecutorMetrics.builder(executor)
                    .groupTags(GroupTags.first(5))
                    .timers(true)
                    .tags(Tags.of("region", "eu"))
                    .build();
            metrics.bindTo(registry);
            metrics.bindTo(prometheus);
            executor.submit("acme", () -> 1).join();
            nextScrape();
            values.gauge("active");
            assertThat(values.values("region")).containsExactly("eu");
            assertThat(values.values("group")).contains("acme");
            assertThat(((PrometheusMeterRegistry) prometheus).scrape()).contains("group_concurrency_active_tasks");
            metrics.close();
            metrics.close();
            assertThat(registry.getMeters()).isEmpty();
            assertThat(prometheus.getMeters()).isEmpty();
            assertThat(((PrometheusMeterRegistry) prometheus).scrape()).isEmpty();
            assertThatThrownBy(() -> metrics.bindTo(registry)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aCompositeRegistryShowsTheSameInAllItsRegistries() {
        CompositeMeterRegistry composite = new CompositeMeterRegistry(clock);
        composite.add(registry);
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            GroupExecutorMetrics metrics = GroupExecutorMetrics.builder(executor)
                    .groupTags(GroupTags.first(5))
                    .timers(true)
                    .build();
            metrics.bindTo(composite);
            executor.submit("acme", () -> 1).join();
            nextScrape();
            assertThat(values.count("submitted")).isEqualTo(1);
            assertThat(values.count("group.completed", "group", "acme", "outcome", "success"))
                    .isEqualTo(1);
            SimpleMeterRegistry late = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
            composite.add(late);
            assertThat(new Values(late).count("group.completed", "group", "acme", "outcome", "success"))
                    .isEqualTo(1);
            metrics.close();
            assertThat(composite.getMeters()).isEmpty();
            assertThat(registry.getMeters()).isEmpty();
            assertThat(late.getMeters()).isEmpty();
        }
    }

    @Test
    void metersDoNotKeepTheExecutorAndLeaveWithIt() {
        WeakReference<GroupExecutor> weak = bindAndForget();
        await().until(() -> {
            System.gc();
            return weak.get() == null;
        });
        assertThat(registry.getMeters()).isNotEmpty();
        nextScrape();
        values.count("submitted");
        assertThat(registry.getMeters()).isEmpty();
    }

    private WeakReference<GroupExecutor> bindAndForget() {
        GroupExecutor executor = executor(GroupPolicy.builder());
        GroupExecutorMetrics.builder(executor)
                .groupTags(GroupTags.first(5))
                .timers(true)
                .build()
                .bindTo(registry);
        executor.submit("acme", () -> 1).join();
        nextScrape();
        assertThat(values.count("submitted")).isEqualTo(1);
        executor.close();
        return new WeakReference<>(executor);
    }

    @Test
    void metersWorkWithoutTheBinder() {
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            WeakReference<Object> binder = new WeakReference<>(GroupExecutorMetrics.monitor(registry, executor));
            await().until(() -> {
                System.gc();
                return binder.get() == null;
            });
            executor.submit("acme", () -> 1).join();
            nextScrape();
            assertThat(values.count("submitted")).isEqualTo(1);
            assertThat(values.gauge("active")).isZero();
        }
    }

    @Test
    void aListenerOfTheRegistryMayReadMetersWhileTheyAreRegistered() {
        registry.config().onMeterAdded(meter -> registry.getMeters().forEach(Meter::measure));
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            GroupExecutorMetrics.builder(executor)
                    .groupTags(GroupTags.first(5))
                    .maxSnapshotAge(Duration.ZERO)
                    .build()
                    .bindTo(registry);
            executor.submit("acme", () -> 1).join();
            assertThat(values.count("submitted")).isEqualTo(1);
            assertThat(values.count("group.completed", "group", "acme", "outcome", "success"))
                    .isEqualTo(1);
        }
    }

    @Test
    void statisticsAreReadableAfterAShutdown() {
        GroupExecutor executor = executor(GroupPolicy.builder().taskLifecycleListener(new TaskLifecycleListener() {}));
        GroupExecutorMetrics.monitor(registry, executor);
        executor.submit("acme", () -> 1).join();
        executor.close();
        assertThat(values.count("completed", "outcome", "success")).isEqualTo(1);
        assertThat(values.gauge("active")).isZero();
    }
}
