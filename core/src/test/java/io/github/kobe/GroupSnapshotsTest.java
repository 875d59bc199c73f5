package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.kobe.TestKit.BlockingTask;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What does the stream of all groups show? */
@Timeout(60)
class GroupSnapshotsTest {

    private static Map<String, GroupStats> groups(GroupExecutor executor) {
        return executor.groups().collect(Collectors.toMap(GroupStats::groupKey, Function.identity()));
    }

    @Test
    void everyKnownGroupIsInItAsGroupStatsShowsIt() {
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(2)
                .defaultMaxInFlightPerGroup(3)
                .perGroupMaxInFlight(Map.of("b", 1))
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .defaultQueueThresholdPerGroup(1))) {
            BlockingTask blocker = BlockingTask.in(executor, "b");
            for (int i = 0; i < 3; i++) {
                executor.submit("b", "t" + i, () -> "ran");
            }
            resultOf(executor.submit("a", "t", () -> "ran"));
            Map<String, GroupStats> groups = groups(executor);
            assertThat(groups.keySet()).isEqualTo(executor.activeGroupKeys()).isEqualTo(Set.of("a", "b"));
            GroupStats a = executor.groupStats("a").orElseThrow();
            assertThat(groups.get("a")).isEqualTo(a);
            assertThat(a.maxInFlight()).isEqualTo(3);
            assertThat(a.limit()).isEqualTo(2);
            GroupStats b = groups.get("b");
            assertThat(b.maxInFlight()).isEqualTo(1);
            assertThat(b.maxConcurrency()).isEqualTo(2);
            assertThat(b.activeCount()).isEqualTo(1);
            assertThat(b.queuedCount()).isEqualTo(1);
            assertThat(b.counts().rejected()).isEqualTo(2);
            blocker.release();
        }
    }

    @Test
    void inFlightLimitThatIsNotSetIsUnlimited() {
        try (GroupExecutor executor = executor(b -> b)) {
            resultOf(executor.submit("g", "t", () -> "ran"));
            assertThat(executor.groupStats("g").orElseThrow().maxInFlight()).isEqualTo(Integer.MAX_VALUE);
        }
    }

    /** Threads add and retire groups while others read. A group that was there all the time must be in each stream, once. */
    @Test
    void streamIsReadWhileGroupsComeAndGo() throws InterruptedException {
        try (GroupExecutor executor = executor(b -> b.idleGroupTtl(Duration.ZERO))) {
            BlockingTask blocker = BlockingTask.in(executor, "stays");
            AtomicBoolean done = new AtomicBoolean();
            List<Thread> submitters = IntStream.range(0, 2)
                    .mapToObj(n -> Thread.ofPlatform().start(() -> {
                        for (int i = 0; !done.get(); i++) {
                            resultOf(executor.submit("g" + n + "-" + i % 50, "t", () -> "ran"));
                        }
                    }))
                    .toList();
            for (int i = 0; i < 2_000; i++) {
                Set<String> seen = ConcurrentHashMap.newKeySet();
                executor.groups().forEach(group -> {
                    assertThat(seen.add(group.groupKey())).isTrue();
                    assertThat(group.counts().submitted()).isGreaterThanOrEqualTo(0);
                });
                assertThat(seen).contains("stays");
            }
            done.set(true);
            for (Thread submitter : submitters) {
                submitter.join();
            }
            blocker.release();
        }
    }

    /** A scrape reads all groups. Each costs its snapshot: a record, counts, and what they refer to. */
    @Test
    void readingAGroupAllocatesLittle() {
        int groups = 2_000;
        try (GroupExecutor executor = executor(b -> b)) {
            Stream.iterate(0, i -> i + 1).limit(groups).forEach(i -> resultOf(executor.submit("g" + i, "t", () -> "")));
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long sum = 0;
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 20; i++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                sum += executor.groups().mapToLong(g -> g.counts().submitted()).sum();
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(sum).isEqualTo(20L * groups);
            assertThat(least / groups).isLessThan(400);
        }
    }

    @Test
    void retiredGroupIsNotInIt() {
        try (GroupExecutor executor = executor(b -> b.idleGroupTtl(Duration.ZERO))) {
            resultOf(executor.submit("g", "t", () -> "ran"));
            TestKit.eventually(() -> assertThat(executor.groups()).isEmpty());
            assertThat(executor.groupStats("g")).isEmpty();
            assertThat(executor.stats().counts().succeeded()).isEqualTo(1);
        }
    }
}
