package io.github.kobe.console;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.management.HotSpotDiagnosticMXBean;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLoad;
import io.github.kobe.console.ConsoleKit.Blocker;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Timer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What does a console cost while nobody looks, and at most while somebody does? */
@Timeout(60)
class IdleCostTest {

    @TempDir
    Path directory;

    /** Returns whether a thread of a console exists, virtual threads included. */
    private boolean hasThread() throws IOException {
        Path dump = directory.resolve("threads-" + dumps++);
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(dump.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
        return Files.readString(dump).contains("\"console-");
    }

    private int dumps;

    /** The JDK's server has one that accepts connections, and that is all. */
    @Test
    void consoleHasThreadsOnlyWhileThereAreClients() throws IOException {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b);
                Site site = Site.of(Console.builder().add(executor).every(Duration.ofMillis(10)))) {
            ConsoleKit.eventually(() -> assertThat(hasThread()).isFalse());
            try (RawClient client = site.stream("")) {
                client.readAnswer();
                client.readEvent();
                assertThat(hasThread()).isTrue();
            }
            ConsoleKit.eventually(() -> assertThat(hasThread()).isFalse());
        }
    }

    /** A timer or a thread that nobody sees would read the executors while no client is there. */
    @Test
    void onlyTheServerStartsThreads() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(JdkServer.class.getName())
                .and()
                .doNotHaveFullyQualifiedName(JdkServer.class.getName() + "$RequestThreads")
                .should()
                .callMethod(Thread.class, "ofVirtual")
                .orShould()
                .callMethod(Thread.class, "ofPlatform")
                .orShould()
                .callMethod(Thread.class, "startVirtualThread", Runnable.class)
                .orShould()
                .callConstructorWhere(target(owner(assignableTo(Thread.class))))
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Executors.class, Timer.class, ForkJoinPool.class)
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("io.github.kobe.console"));
    }

    /** The group is in the last snapshot, and retires when the last client has left. */
    @Test
    void snapshotIsGarbageWhenTheLastClientHasLeft() throws IOException {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b.idleGroupTtl(Duration.ZERO));
                Site site = Site.of(Console.builder().add(executor).every(Duration.ofMillis(10)))) {
            CountDownLatch released = new CountDownLatch(1);
            WeakReference<String> key = submit(executor, released);
            try (RawClient client = site.stream("")) {
                client.readAnswer();
                assertThat(ConsoleKit.json(client.readEvent()).get("groups").get("rows"))
                        .hasSize(1);
            }
            ConsoleKit.eventually(
                    () -> assertThat(site.console().handler().streamCount()).isZero());
            assertThat(site.view("").get("groups").get("rows")).hasSize(1);
            released.countDown();
            ConsoleKit.eventually(() -> {
                System.gc();
                assertThat(key.get() == null).as("the key is collected").isTrue();
            });
        }
    }

    /** Nothing but the executor, and who asks it, refers to the key. */
    private static WeakReference<String> submit(GroupExecutor executor, CountDownLatch released) {
        String key = new StringBuilder("a group that nobody else refers to").toString();
        executor.submit(key, "t", () -> released.await(1, TimeUnit.MINUTES));
        return new WeakReference<>(key);
    }

    /** A group is known for as long as it would be without a console. */
    @Test
    void watchedGroupRetires() throws IOException {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b.idleGroupTtl(Duration.ofMillis(50)));
                Site site = Site.of(Console.builder().add(executor).every(Duration.ofMillis(5)))) {
            Blocker blocker = Blocker.in(executor, "a", 1);
            try (RawClient client = site.stream("detail=0." + Site.id("a"))) {
                client.readAnswer();
                assertThat(ConsoleKit.json(client.readEvent()).get("groups").get("rows"))
                        .hasSize(1);
                blocker.release();
                ConsoleKit.eventually(() -> {
                    JsonNode groups = ConsoleKit.json(client.readEvent()).get("groups");
                    assertThat(groups.get("rows")).isEmpty();
                    assertThat(groups.get("detail").isNull()).isTrue();
                });
            }
            assertThat(executor.activeGroupKeys()).isEmpty();
        }
    }

    @Test
    void partOfASnapshotIsReadWhenItIsAskedFor() {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b)) {
            Snapshot snapshot = new Snapshot(new Watched(List.of(executor), List.of(), List.of(), List.of()), 0);
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
                    new Snapshots(new Watched(List.of(executor), List.of(), List.of(), List.of()), Duration.ofNanos(1));
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
            Watched watched = new Watched(List.of(executor), List.of(), List.of(), List.of());
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
