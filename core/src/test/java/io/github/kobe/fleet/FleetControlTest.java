package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.fleet.FaultyStore.Fault;
import io.github.kobe.fleet.TestNodes.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Do settings hold for the whole fleet that are made while it runs, or that nodes disagree about? */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FleetControlTest {

    private final TestNodes nodes = new TestNodes();
    private final AtomicInteger running = new AtomicInteger();
    private final Semaphore end = new Semaphore(0);

    @BeforeEach
    void waitLongEnough() {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    @AfterEach
    void close() {
        end.release(1_000);
        nodes.close();
        Awaitility.reset();
    }

    private Node node(int limit) {
        return nodes.add(policy -> policy.defaultMaxConcurrencyPerGroup(limit));
    }

    /** Tasks that each run until a permit of {@link #end} is released. */
    private List<TaskHandle<?>> submit(Node node, String group, int number) {
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            tasks.add(node.executor().submit(group, "task", () -> {
                running.incrementAndGet();
                try {
                    end.acquire();
                } finally {
                    running.decrementAndGet();
                }
                return null;
            }));
        }
        return tasks;
    }

    @Test
    void pausedGroupStartsNothingOnAnyNodeUntilItIsResumed() {
        Node first = node(2);
        Node second = node(2);
        first.executor().submit("tenant", "before", () -> {}).join();
        second.fleet().control().pause("tenant").join();
        await().until(() -> first.group("tenant").held() == 0);
        List<TaskHandle<?>> tasks = submit(first, "tenant", 1);
        tasks.addAll(submit(second, "tenant", 1));
        await().until(() ->
                first.group("tenant").paused() && second.group("tenant").paused());
        assertThat(running).hasValue(0);
        end.release(2);
        first.fleet().control().resume("tenant").join();
        assertThat(tasks).allMatch(task -> task.join().isSuccess());
    }

    @Test
    void liveLimitIsRaisedBeyondThePolicyOfANode() {
        Node node = node(1);
        submit(node, "tenant", 5);
        await().until(() -> running.get() == 1);
        node.fleet().control().setLimit("tenant", 3).join();
        await().until(() -> running.get() == 3);
        assertThat(node.group("tenant").limit()).isEqualTo(3);
        node.fleet().control().resetLimit("tenant").join();
        await().until(() -> node.group("tenant").limit() == 1);
        end.release(3);
        await().until(() -> running.get() == 1 && node.group("tenant").used() == 1);
        assertThat(node.executor().groupStats("tenant").orElseThrow().queuedCount())
                .isEqualTo(1);
    }

    @Test
    void loweredLiveLimitHoldsWhenRunningTasksHaveReturned() {
        Node first = node(4);
        Node second = node(4);
        submit(first, "tenant", 10);
        submit(second, "tenant", 10);
        await().until(() -> running.get() == 4);
        first.fleet().control().setLimit("tenant", 1).join();
        await().until(() ->
                first.group("tenant").limit() == 1 && second.group("tenant").limit() == 1);
        end.release(4);
        await().until(() ->
                first.group("tenant").used() + second.group("tenant").used() == 1 && running.get() == 1);
        assertThat(nodes.look("tenant").holdings().stream()
                        .mapToInt(FleetReply.Holding::granted)
                        .sum())
                .isEqualTo(1);
    }

    private static FleetGroupStats total(Node node) {
        return node.fleet()
                .groups()
                .filter(group -> group.groupKey().isEmpty())
                .findFirst()
                .orElse(new FleetGroupStats("", 0, false, 0, 0, 0, 0));
    }

    @Test
    void totalLimitHoldsOverAllGroupsOfAllNodes() {
        Node first = nodes.add(fleet -> fleet.totalLimit(3), policy -> policy.defaultMaxConcurrencyPerGroup(2));
        Node second = nodes.add(fleet -> fleet.totalLimit(3), policy -> policy.defaultMaxConcurrencyPerGroup(2));
        TestNodes.Referee referee = new TestNodes.Referee();
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            for (Node node : List.of(first, second)) {
                tasks.add(node.executor().submit("tenant-" + i % 4, "task", () -> {
                    referee.begin();
                    Thread.yield();
                    referee.end();
                }));
            }
        }
        assertThat(tasks).allMatch(task -> task.join().isSuccess());
        assertThat(referee.most()).isBetween(1, 3);
        first.fleet().control().setTotalLimit(1).join();
        // until a node has heard of it, tasks start on the permits that it holds
        await().until(() -> total(first).held() + total(second).held() <= 1);
        for (int i = 0; i < 3; i++) {
            submit(first, "tenant-" + i, 2);
            submit(second, "tenant-" + i, 2);
        }
        await().until(() ->
                running.get() == 1 && total(first).used() + total(second).used() == 1);
        first.fleet().control().resetTotalLimit().join();
        await().until(() -> running.get() == 3);
    }

    @Test
    void newerConfigurationVersionDecidesDuringARollingDeployment() {
        Node old = nodes.add(fleet -> fleet.configurationVersion(1), policy -> policy.defaultMaxConcurrencyPerGroup(1));
        submit(old, "tenant", 4);
        await().until(() -> running.get() == 1);
        Node deployed =
                nodes.add(fleet -> fleet.configurationVersion(2), policy -> policy.defaultMaxConcurrencyPerGroup(3));
        submit(deployed, "tenant", 4);
        await().until(() -> running.get() == 3);
        await().until(() ->
                old.group("tenant").limit() == 3 && deployed.group("tenant").limit() == 3);
    }

    @Test
    void onlyNodeOfAGroupRaisesAndLowersItsLimitWhileTheGroupIsInUse() {
        Node node = node(2);
        submit(node, "tenant", 10);
        await().until(() -> running.get() == 2);
        node.executor().setMaxConcurrency("tenant", 4);
        await().until(() -> running.get() == 4);
        node.executor().setMaxConcurrency("tenant", 1);
        await().until(() -> node.group("tenant").limit() == 1);
        node.executor().setMaxConcurrency("tenant", 5);
        await().until(() -> running.get() == 5);
    }

    @Test
    void allNodesOfAGroupRaiseItsLimitWhileTheGroupIsInUse() {
        Node first = node(2);
        Node second = node(2);
        submit(first, "tenant", 10);
        submit(second, "tenant", 10);
        await().until(() -> running.get() == 2);
        first.executor().setMaxConcurrency("tenant", 5);
        second.executor().setMaxConcurrency("tenant", 5);
        await().until(() -> running.get() == 5);
        assertThat(first.group("tenant").limit()).isEqualTo(5);
    }

    @Test
    void twoExecutorsOfOneFleetShareTheLimitOfAKey() {
        Node node = node(2);
        try (GroupExecutor second = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(2)
                .fleet(node.fleet())
                .build())) {
            submit(node, "tenant", 5);
            for (int i = 0; i < 5; i++) {
                second.submit("tenant", "task", () -> {
                    running.incrementAndGet();
                    end.acquire();
                    running.decrementAndGet();
                    return null;
                });
            }
            await().until(() -> running.get() == 2 && node.group("tenant").used() == 2);
            assertThat(node.group("tenant").held()).isEqualTo(2);
            assertThat(node.fleet().stats().sessions()).hasSize(2);
            end.release(100);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"FAILS", "SILENT", "THROWS", "RETURNS_NULL", "WRONG_ANSWER"})
    void changeFailsIfTheStoreDoesNotApplyItForAsLongAsTheTtl(Fault fault) {
        FaultyStore way = new FaultyStore(nodes.store);
        Node node = nodes.add(way, fleet -> fleet.ttl(Duration.ofMillis(200)), policy -> policy);
        way.set(fault);
        CompletableFuture<Void> change = node.fleet().control().pause("tenant");
        assertThatThrownBy(() -> change.get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("PAUSED = 1 was not applied in 200 ms");
        way.set(Fault.NONE);
    }

    @Test
    void manyChangesAtTheSameTimeAreAllApplied() throws Exception {
        Node first = node(1);
        Node second = node(1);
        first.executor().submit("tenant", "before", () -> {}).join();
        CountDownLatch applied = new CountDownLatch(40);
        for (int i = 0; i < 20; i++) {
            first.fleet().control().setLimit("a-" + i, 2).thenRun(applied::countDown);
            second.fleet().control().setLimit("b-" + i, 2).thenRun(applied::countDown);
        }
        applied.await();
    }

    @Test
    void settingsOutOfRangeAreRejected() {
        Node node = node(1);
        assertThatThrownBy(() -> node.fleet().control().setLimit("tenant", 0))
                .hasMessage("limit must be at least 1, but is 0");
        assertThatThrownBy(() -> Fleet.builder("test", nodes.store)
                        .ttl(Duration.ofMillis(10))
                        .join())
                .hasMessage("ttl must be between PT0.08S and PT24H, but is PT0.01S");
        assertThatThrownBy(() -> Fleet.join("no spaces", nodes.store)).hasMessageContaining("'no spaces'");
    }
}
