package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Do the meters of groups add up, never go back, and stay few? */
class GroupSeriesTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final Values values = new Values(registry);
    private final List<GroupExecutor> executors = new ArrayList<>();

    @AfterEach
    void closeExecutors() {
        executors.forEach(GroupExecutor::close);
    }

    private GroupExecutor monitored(GroupPolicy.Builder policy, GroupTags tags) {
        GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(policy.name("orders").build());
        executors.add(executor);
        GroupExecutorMetrics.builder(executor).groupTags(tags).build().bindTo(registry);
        return executor;
    }

    private void scrape() {
        scrape(Duration.ofSeconds(1));
    }

    private void scrape(Duration later) {
        clock.add(later);
        values.gauge("active");
    }

    /** The rest is exported a second late. */
    private void scrapeTwice() {
        scrape();
        scrape();
    }

    private static void run(GroupExecutor executor, String key, int tasks) {
        for (int i = 0; i < tasks; i++) {
            executor.submit(key, () -> 1).join();
        }
    }

    private long succeeded(String group) {
        return values.count("group.completed", "group", group, "outcome", "success");
    }

    @Test
    void namedKeysHaveMetersAndTheRestIsOther() throws Exception {
        GroupExecutor executor =
                monitored(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2), GroupTags.of("vip", "free"));
        executor.setWeight("vip", 3);
        run(executor, "vip", 3);
        run(executor, "a", 2);
        run(executor, "b", 1);
        executor.pauseGroup("free");
        executor.pauseGroup("c");
        executor.submit("free", () -> 1);
        executor.submit("c", () -> 1);
        Blocker blocker = new Blocker();
        executor.submit("b", blocker);
        blocker.awaitStarted();
        await().until(() -> executor.stats().oldestWaiting().isPositive());
        scrapeTwice();
        assertThat(values.values("group")).containsExactlyInAnyOrder("vip", "free", "other");
        assertThat(succeeded("vip")).isEqualTo(3);
        assertThat(succeeded("free")).isZero();
        assertThat(succeeded("other")).isEqualTo(3);
        assertThat(values.gauge("group.active", "group", "vip")).isZero();
        assertThat(values.gauge("group.active", "group", "other")).isEqualTo(1);
        assertThat(values.gauge("group.queued", "group", "free")).isEqualTo(1);
        assertThat(values.gauge("group.queued", "group", "other")).isEqualTo(1);
        assertThat(values.gauge("group.paused", "group", "free")).isEqualTo(1);
        assertThat(values.gauge("group.paused", "group", "vip")).isZero();
        assertThat(values.gauge("group.paused", "group", "other")).isEqualTo(1);
        assertThat(values.gauge("group.queue.oldest", "group", "free")).isPositive();
        assertThat(values.gauge("group.limit", "group", "vip")).isEqualTo(2);
        assertThat(values.gauge("group.weight", "group", "vip")).isEqualTo(3);
        assertThat(values.has("group.limit", "group", "other")).isFalse();
        blocker.release();
    }

    @Test
    void theFirstGroupsHaveMetersAndTheRestIsOther() {
        GroupExecutor executor = monitored(GroupPolicy.builder(), GroupTags.first(2));
        run(executor, "a", 1);
        scrape();
        run(executor, "b", 2);
        scrape();
        run(executor, "c", 4);
        run(executor, "a", 8);
        scrapeTwice();
        assertThat(values.values("group")).containsExactlyInAnyOrder("a", "b", "other");
        assertThat(succeeded("a")).isEqualTo(9);
        assertThat(succeeded("b")).isEqualTo(2);
        assertThat(succeeded("other")).isEqualTo(4);
        assertThat(values.sum("group.completed")).isEqualTo(values.sum("completed"));
    }

    @Test
    void groupsOfAnExecutorThatWasUsedBeforeHaveTheirWholeCount() {
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().name("orders").build());
        executors.add(executor);
        run(executor, "a", 3);
        GroupExecutorMetrics.builder(executor)
                .groupTags(GroupTags.first(2))
                .build()
                .bindTo(registry);
        assertThat(succeeded("a")).isEqualTo(3);
        assertThat(succeeded("other")).isZero();
    }

    @Test
    void mappedGroupsAreSummedByClass() throws Exception {
        GroupExecutor executor = monitored(
                GroupPolicy.builder().perGroupMaxConcurrency(Map.of("vip-1", 3, "vip-2", 4)),
                GroupTags.mapped(key -> key.startsWith("vip") ? "vip" : key.startsWith("free") ? "free" : null));
        run(executor, "vip-1", 1);
        run(executor, "vip-2", 2);
        run(executor, "free-1", 4);
        run(executor, "x", 8);
        Blocker blocker = new Blocker();
        executor.submit("vip-2", blocker);
        blocker.awaitStarted();
        scrapeTwice();
        assertThat(values.values("group")).containsExactlyInAnyOrder("vip", "free", "other");
        assertThat(succeeded("vip")).isEqualTo(3);
        assertThat(succeeded("free")).isEqualTo(4);
        assertThat(succeeded("other")).isEqualTo(8);
        assertThat(values.gauge("group.limit", "group", "vip")).isEqualTo(7);
        assertThat(values.gauge("group.active", "group", "vip")).isEqualTo(1);
        blocker.release();
    }

    @Test
    void classesAreBoundedAndAFunctionThatThrowsMeansOther() {
        AtomicInteger throwing = new AtomicInteger();
        GroupExecutor executor = monitored(GroupPolicy.builder(), GroupTags.mapped(key -> {
            if (key.equals("bad")) {
                throwing.incrementAndGet();
                throw new IllegalStateException("expected");
            }
            return key;
        }));
        for (int i = 0; i < 80; i++) {
            run(executor, "class-" + i, 1);
        }
        run(executor, "bad", 1);
        scrapeTwice();
        assertThat(throwing).hasPositiveValue();
        assertThat(values.values("group")).hasSize(51);
        assertThat(succeeded("other")).isEqualTo(31);
        assertThat(values.sum("group.completed")).isEqualTo(81);
    }

    /** A key may be chosen by others, and must not be able to write lines of the log. */
    @Test
    void theLogHasAKeyWhoseFunctionThrewInOneLine() {
        List<LogRecord> records = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                records.add(record);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("io.github.kobe.micrometer");
        logger.addHandler(handler);
        try {
            GroupExecutor executor = monitored(GroupPolicy.builder(), GroupTags.mapped(key -> {
                throw new AssertionError("expected");
            }));
            run(executor, "a\nWARNING: b\u2028" + "c".repeat(1000), 1);
            run(executor, "another", 1);
            scrapeTwice();
            assertThat(succeeded("other")).isEqualTo(2);
            assertThat(records).hasSize(1);
            assertThat(records.get(0).getMessage())
                    .contains("'a?WARNING: b?c")
                    .doesNotContain("\n")
                    .hasSizeLessThan(300);
        } finally {
            logger.removeHandler(handler);
        }
    }

    @Test
    void aKeyThatReadsOtherIsNotMixedWithTheRest() {
        GroupExecutor executor = monitored(GroupPolicy.builder(), GroupTags.of("other", "_other", ""));
        run(executor, "other", 1);
        run(executor, "_other", 2);
        run(executor, "", 4);
        run(executor, "x", 8);
        scrapeTwice();
        assertThat(succeeded("_other")).isEqualTo(1);
        assertThat(succeeded("__other")).isEqualTo(2);
        assertThat(succeeded("_")).isEqualTo(4);
        assertThat(succeeded("other")).isEqualTo(8);
    }

    @Test
    void aGroupThatRetiresAndReturnsTenTimesIsCountedOn() {
        GroupExecutor executor = monitored(GroupPolicy.builder().idleGroupTtl(Duration.ZERO), GroupTags.of("a"));
        AtomicLong reported = reportedTasks(executor);
        Map<String, Double> last = new HashMap<>();
        for (int round = 1; round <= 10; round++) {
            int tasks = 3 * round;
            run(executor, "a", 2);
            run(executor, "b", 1);
            await().until(() -> reported.get() == tasks);
            scrape();
            assertNoneDecreased(last);
            assertThat(succeeded("a")).isEqualTo(2L * round);
            scrape();
            assertNoneDecreased(last);
            assertThat(succeeded("other")).isEqualTo(round);
        }
    }

    /** The tasks of retired groups that the metrics know of: consumers are called in the order of their registration. */
    private static AtomicLong reportedTasks(GroupExecutor executor) {
        AtomicLong reported = new AtomicLong();
        executor.onGroupRetired(group -> reported.addAndGet(group.counts().succeeded()));
        return reported;
    }

    private void assertNoneDecreased(Map<String, Double> last) {
        values.counters().forEach((counter, value) -> {
            assertThat(value).as(counter).isGreaterThanOrEqualTo(last.getOrDefault(counter, 0.0));
            last.put(counter, value);
        });
    }

    @Test
    void aGroupThatIsNeverSeenAliveByAScrapeIsCounted() {
        GroupExecutor executor = monitored(GroupPolicy.builder().idleGroupTtl(Duration.ZERO), GroupTags.first(2));
        run(executor, "a", 3);
        executor.close(); // returns when retired groups are reported
        scrapeTwice();
        assertThat(succeeded("a")).isEqualTo(3);
        assertThat(succeeded("other")).isZero();
    }

    @Test
    void aShutdownLosesAndDoublesNothing() {
        GroupExecutor executor = monitored(GroupPolicy.builder(), GroupTags.of("a"));
        run(executor, "a", 1);
        run(executor, "b", 1);
        scrape();
        run(executor, "a", 2);
        run(executor, "b", 3);
        executor.close();
        scrapeTwice();
        assertThat(succeeded("a")).isEqualTo(3);
        assertThat(succeeded("other")).isEqualTo(4);
    }

    @Test
    void aSeriesThatIsSilentForAnHourIsRemovedAndReturnsWithItsNextTask() {
        GroupExecutor executor =
                monitored(GroupPolicy.builder().idleGroupTtl(ChronoUnit.FOREVER.getDuration()), GroupTags.first(2));
        run(executor, "a", 1);
        run(executor, "b", 1);
        scrape();
        run(executor, "c", 1);
        scrape(HOUR.minusSeconds(2));
        run(executor, "b", 1);
        scrape();
        assertThat(values.values("group")).containsExactlyInAnyOrder("a", "b", "other");
        scrape();
        assertThat(values.values("group"))
                .as("a is silent, and the executor still knows it")
                .containsExactlyInAnyOrder("b", "other");
        scrape();
        assertThat(values.values("group")).as("c gets the slot of a").containsExactlyInAnyOrder("b", "c", "other");
        assertThat(succeeded("c")).as("it was counted as other").isZero();
        run(executor, "a", 1);
        run(executor, "c", 1);
        scrape();
        assertThat(values.values("group")).containsExactlyInAnyOrder("b", "c", "other");
        assertThat(succeeded("c")).isEqualTo(1);
        scrape();
        assertThat(succeeded("other")).as("c once, a once").isEqualTo(2);
        scrape(HOUR);
        assertThat(values.values("group")).containsExactly("other");
        run(executor, "a", 1);
        scrape();
        assertThat(values.values("group")).contains("a");
        assertThat(succeeded("a")).as("its tasks while it was shown").isEqualTo(2);
        assertThat(succeeded("other")).isEqualTo(2);
    }

    @Test
    void aNamedKeyThatIsSilentForAnHourIsRemovedAndReturns() {
        GroupExecutor executor = monitored(GroupPolicy.builder().idleGroupTtl(Duration.ZERO), GroupTags.of("a"));
        AtomicLong reported = reportedTasks(executor);
        run(executor, "a", 1);
        await().until(() -> reported.get() == 1);
        scrape();
        scrape(HOUR);
        assertThat(values.values("group")).containsExactly("other");
        run(executor, "a", 1);
        await().until(() -> reported.get() == 2);
        scrapeTwice();
        assertThat(succeeded("a")).isEqualTo(2);
        assertThat(succeeded("other")).isZero();
    }

    @Test
    void aGroupThatIsBusyIsNotSilent() throws Exception {
        GroupExecutor executor = monitored(GroupPolicy.builder(), GroupTags.first(2));
        Blocker blocker = new Blocker();
        executor.submit("a", blocker);
        blocker.awaitStarted();
        scrape();
        scrape(HOUR.multipliedBy(3));
        assertThat(values.values("group")).contains("a");
        blocker.release();
    }

    @Test
    void oneHundredThousandKeysHaveAtMostFiftyOneSeriesAndLeaveNothingBehind() {
        GroupExecutor executor = monitored(GroupPolicy.builder().idleGroupTtl(Duration.ZERO), GroupTags.first(50));
        useKeys(executor, 0, 10_000);
        long before = usedHeap();
        int mostSeries = useKeys(executor, 10_000, 110_000);
        assertThat(mostSeries).isEqualTo(51);
        scrapeTwice();
        assertThat(registry.getMeters().size()).as("16 for each series").isLessThan(51 * 16 + 30);
        assertThat(values.sum("completed")).isEqualTo(110_000);
        assertThat(values.sum("group.completed"))
                .as("without the tasks of series that were removed")
                .isBetween(100_000L, 110_000L);
        assertThat(usedHeap() - before)
                .as("bytes kept for 100,000 keys; an entry of a map for each would be 5 MB")
                .isLessThan(3_000_000);
    }

    /** Scrapes now and then, and drops what is silent, so that keys take the slots of others. Returns how many series there were at most. */
    private int useKeys(GroupExecutor executor, int from, int to) {
        List<TaskHandle<?>> handles = new ArrayList<>();
        int mostSeries = 0;
        for (int i = from; i < to; i++) {
            handles.add(executor.submit("key-" + i, () -> 1));
            if (i % 1000 == 999) {
                handles.forEach(TaskHandle::join);
                handles.clear();
                scrape(Duration.ofMinutes(40));
                mostSeries = Math.max(mostSeries, values.values("group").size());
            }
        }
        await().until(() -> executor.activeGroupKeys().isEmpty());
        return mostSeries;
    }

    private static long usedHeap() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        return used;
    }

    @Test
    void countersNeverGoBackAndAddUpWhileGroupsRetire() throws Exception {
        for (GroupTags tags : List.of(
                GroupTags.first(3),
                GroupTags.of("k0", "k5"),
                GroupTags.mapped(key -> key.equals("k7") ? "seven" : null))) {
            GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                    .name("orders")
                    .idleGroupTtl(Duration.ZERO)
                    .defaultMaxConcurrencyPerGroup(4)
                    .build());
            executors.add(executor);
            try (GroupExecutorMetrics metrics = GroupExecutorMetrics.builder(executor)
                    .groupTags(tags)
                    .maxSnapshotAge(Duration.ZERO)
                    .build()) {
                metrics.bindTo(registry);
                countersNeverGoBack(executor);
            }
        }
    }

    private void countersNeverGoBack(GroupExecutor executor) throws InterruptedException {
        int submitters = 3;
        int tasks = 20_000;
        CountDownLatch running = new CountDownLatch(submitters);
        AtomicReference<Throwable> fault = new AtomicReference<>();
        for (int s = 0; s < submitters; s++) {
            int seed = s;
            Thread.ofPlatform().start(() -> {
                try {
                    for (int i = 0; i < tasks; i++) {
                        executor.submit("k" + (i * 7 + seed) % 10, () -> 1);
                    }
                } catch (Throwable e) {
                    fault.set(e);
                } finally {
                    running.countDown();
                }
            });
        }
        Map<String, Double> last = new HashMap<>();
        while (running.getCount()
                > 0) { // the clock stands still, so no report of a retired group takes longer than a second
            assertNoneDecreased(last);
            assertThat(values.sum("group.completed")).isLessThanOrEqualTo((long) submitters * tasks);
        }
        assertThat(fault.get()).isNull();
        assertThat(executor.shutdown(Duration.ofMinutes(1))).isTrue(); // returns when retired groups are reported
        scrape();
        assertNoneDecreased(last);
        scrape();
        assertNoneDecreased(last);
        assertThat(values.sum("completed")).isEqualTo((long) submitters * tasks);
        assertThat(values.sum("group.completed")).isEqualTo((long) submitters * tasks);
    }
}
