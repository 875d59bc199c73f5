package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLoad;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What does a console cost while nobody looks, and at most while somebody does? */
@Timeout(60)
class IdleCostTest {

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).collect(Collectors.toSet());
    }

    @Test
    void onlyTheServerOfTheJdkHasThreads() throws IOException {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b)) {
            Set<String> before = threads();
            try (Site site = Site.of(Console.builder().add(executor).every(Duration.ofMillis(10)))) {
                try (RawClient client = site.stream("")) {
                    client.readAnswer();
                    client.readEvent();
                }
                ConsoleKit.eventually(
                        () -> assertThat(site.console().handler().streamCount()).isZero());
                Set<String> left = threads();
                left.removeAll(before);
                assertThat(left)
                        .allMatch(
                                name -> name.matches(
                                        "HTTP-Dispatcher|idle-timeout-task|server-timer|ForkJoinPool-1-worker-.*|.*Unblocker.*|.*Poller.*"));
            }
        }
    }

    @Test
    void snapshotIsGarbageWhenTheLastClientHasLeft() throws IOException {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b.idleGroupTtl(Duration.ZERO));
                Site site = Site.of(Console.builder().add(executor).every(Duration.ofMillis(10)))) {
            String key = new StringBuilder("a group that nobody else refers to").toString();
            WeakReference<String> reference = new WeakReference<>(key);
            executor.submit(key, "t", () -> 1);
            key = null;
            try (RawClient client = site.stream("")) {
                client.readAnswer();
                client.readEvent();
                site.view("");
            }
            ConsoleKit.eventually(
                    () -> assertThat(site.console().handler().streamCount()).isZero());
            ConsoleKit.eventually(() -> {
                System.gc();
                assertThat(reference.get() == null).as("the key is collected").isTrue();
            });
        }
    }

    /** A group is known for as long as it would be without a console. */
    @Test
    void watchedGroupRetires() throws IOException {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b.idleGroupTtl(Duration.ofMillis(50)));
                Site site = Site.of(Console.builder().add(executor).every(Duration.ofMillis(5)));
                RawClient client = site.stream("detail=0." + Site.id("a"))) {
            executor.submit("a", "t", () -> 1).join();
            client.readAnswer();
            ConsoleKit.eventually(() -> {
                var groups = ConsoleKit.json(client.readEvent()).get("groups");
                assertThat(groups.get("rows")).isEmpty();
                assertThat(groups.get("detail").isNull()).isTrue();
            });
            assertThat(executor.activeGroupKeys()).isEmpty();
        }
    }

    @Test
    void partOfASnapshotIsReadWhenItIsAskedFor() {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b)) {
            Snapshot snapshot = new Snapshot(new Watched(List.of(executor), List.of(), List.of()), 0);
            executor.submit("a", "t", () -> 1).join();
            assertThat(snapshot.costNanos()).isZero();
            assertThat(snapshot.groups().getFirst().loads())
                    .extracting(GroupLoad::groupKey)
                    .containsExactly("a");
            assertThat(snapshot.costNanos()).isPositive();
            executor.submit("b", "t", () -> 1).join();
            assertThat(snapshot.groups().getFirst().loads()).hasSize(1);
            long cost = snapshot.costNanos();
            assertThat(snapshot.pools()).isEmpty();
            assertThat(snapshot.groups()).hasSize(1);
            assertThat(snapshot.costNanos()).isGreaterThanOrEqualTo(cost);
        }
    }

    /** If a snapshot takes long, because there are very many groups, there are fewer snapshots. */
    @Test
    void snapshotsTakeAtMostATwentiethOfTheTime() {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b)) {
            executor.submit("a", "t", () -> 1).join();
            Snapshots snapshots =
                    new Snapshots(new Watched(List.of(executor), List.of(), List.of()), Duration.ofNanos(1));
            Snapshot snapshot = snapshots.current();
            assertThat(snapshots.intervalNanos(snapshot)).isEqualTo(1);
            snapshot.groups();
            assertThat(snapshots.intervalNanos(snapshot)).isEqualTo(20 * snapshot.costNanos());
        }
        assertThat(Snapshots.EVERY).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void clientThatComesWithinTheIntervalGetsTheSameSnapshot() throws InterruptedException {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b)) {
            Watched watched = new Watched(List.of(executor), List.of(), List.of());
            Snapshots slow = new Snapshots(watched, Duration.ofHours(1));
            Snapshot first = slow.current();
            assertThat(slow.current()).isSameAs(first);
            Snapshots fast = new Snapshots(watched, Duration.ofNanos(1));
            Snapshot early = fast.current();
            Snapshot next = fast.after(early);
            assertThat(next).isNotSameAs(early);
            assertThat(next.takenAt() - early.takenAt()).isGreaterThanOrEqualTo(TimeUnit.NANOSECONDS.toNanos(1));
        }
    }
}
