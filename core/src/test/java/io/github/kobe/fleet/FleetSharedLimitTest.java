package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupPolicy;
import io.github.kobe.LimitKind;
import io.github.kobe.Permit;
import io.github.kobe.PermitResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import io.github.kobe.SharedLimit;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TaskStatus;
import io.github.kobe.fleet.FaultyStore.Fault;
import io.github.kobe.fleet.TestNodes.Node;
import io.github.kobe.fleet.TestNodes.Referee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Does a shared limit hold over all nodes of a fleet, and do its permits go to where they are wanted? Keys of groups are "tenant/endpoint". */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FleetSharedLimitTest {

    private static final Duration SHORT_TTL = Duration.ofSeconds(1);

    private final TestNodes nodes = new TestNodes();
    private final FaultyStore way = new FaultyStore(nodes.store);
    private final Referee referee = new Referee();
    private final AtomicInteger running = new AtomicInteger();
    private final Semaphore end = new Semaphore(0);

    @BeforeEach
    void waitLongEnough() {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    @AfterEach
    void close() {
        end.release(1_000);
        way.set(Fault.NONE);
        nodes.close();
        Awaitility.reset();
    }

    private static SharedLimit tenant(int max) {
        return SharedLimit.by("tenant", key -> key.split("/")[0]).max(max).acrossFleet();
    }

    private static SharedLimit endpoint(int max) {
        return SharedLimit.by("endpoint", key -> key.split("/")[1]).max(max).acrossFleet();
    }

    private Node node(SharedLimit... limits) {
        return node(policy -> policy, limits);
    }

    private Node node(UnaryOperator<GroupPolicy.Builder> settings, SharedLimit... limits) {
        return nodes.add(policy -> settings.apply(with(policy, limits)));
    }

    private static GroupPolicy.Builder with(GroupPolicy.Builder policy, SharedLimit... limits) {
        policy.defaultMaxConcurrencyPerGroup(10);
        for (SharedLimit limit : limits) {
            policy.sharedLimit(limit);
        }
        return policy;
    }

    private static FleetSharedLimitStats stats(Node node, String name, String value) {
        return node.fleet()
                .sharedLimitStats(name, value)
                .orElse(new FleetSharedLimitStats(name, value, 0, false, 0, 0, 0, 0));
    }

    /** Tasks that each run until a permit of {@link #end} is released. */
    private List<TaskHandle<?>> hold(Node node, String group, int number, int cost) {
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            tasks.add(node.executor()
                    .submit(
                            group,
                            () -> {
                                running.addAndGet(cost);
                                try {
                                    end.acquire();
                                } finally {
                                    running.addAndGet(-cost);
                                }
                                return null;
                            },
                            TaskOptions.builder().cost(cost).build()));
        }
        return tasks;
    }

    private List<TaskHandle<?>> hold(Node node, String group, int number) {
        return hold(node, group, number, 1);
    }

    private Runnable work(Referee counts, long micros) {
        return () -> {
            counts.begin();
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(micros));
            counts.end();
        };
    }

    // ---- the limit

    @Test
    void limitIsNeverExceededUnderLoadOfSeveralNodesAndGroups() {
        List<Node> all = List.of(node(tenant(4)), node(tenant(4)), node(tenant(4)));
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            for (Node node : all) {
                tasks.add(node.executor().submit("acme/" + i % 5, "task", work(referee, 100)));
            }
        }
        assertThat(tasks).allMatch(task -> task.join().isSuccess());
        assertThat(referee.most()).isBetween(1, 4);
    }

    @Test
    void withoutAcrossFleetEachNodeHasTheLimitForItself() {
        SharedLimit own = SharedLimit.by("tenant", key -> key.split("/")[0]).max(2);
        hold(node(own), "acme/a", 3);
        hold(node(own), "acme/b", 3);
        await().until(() -> running.get() == 4);
        assertThat(nodes.nodes.getFirst().fleet().sharedLimits()).isEmpty();
    }

    @Test
    void permitsMoveToANodeThatWantsThem() {
        Node first = node(tenant(2));
        Node second = node(tenant(2));
        first.executor().submit("acme/a", "task", () -> {}).join();
        assertThat(stats(first, "tenant", "acme").held()).isPositive();
        hold(second, "acme/b", 2);
        await().until(() -> running.get() == 2);
        await().until(() -> stats(first, "tenant", "acme").held() == 0);
    }

    /** The limits of the groups are never reached: a node that waits for those too does not wait for the shared limit at that moment. */
    @Test
    void everyNodeHasItsTurn() {
        List<Node> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(node(policy -> policy.defaultMaxConcurrencyPerGroup(1_000), tenant(1)));
        }
        List<String> order = new CopyOnWriteArrayList<>();
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            for (Node node : all) {
                tasks.add(node.executor().submit("acme/" + i % 2, "task", () -> {
                    order.add(node.fleet().node());
                    work(referee, 3_000).run();
                }));
            }
        }
        assertThat(tasks).allMatch(task -> task.join().isSuccess());
        assertThat(referee.most()).isEqualTo(1);
        TestNodes.assertThatEachHasItsTurn(all, order);
    }

    /** The policies name the limits in a different order; a node that has one of them must not keep it for ever from one that has the other. */
    @Test
    void nodesThatNeedTheSameLimitsDoNotBlockEachOther() {
        List<Node> all =
                List.of(node(tenant(1), endpoint(1)), node(endpoint(1), tenant(1)), node(tenant(1), endpoint(1)));
        Referee ofTenant = new Referee();
        Referee ofEndpoint = new Referee();
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            for (Node node : all) {
                tasks.add(node.executor().submit("acme/search", "both", () -> {
                    ofEndpoint.begin();
                    work(ofTenant, 200).run();
                    ofEndpoint.end();
                }));
                tasks.add(node.executor().submit("acme/other" + i, "tenant", work(ofTenant, 200)));
                tasks.add(node.executor().submit("other" + i + "/search", "endpoint", work(ofEndpoint, 200)));
            }
        }
        assertThat(tasks).allMatch(task -> task.join().isSuccess());
        assertThat(ofTenant.most()).isEqualTo(1);
        assertThat(ofEndpoint.most()).isEqualTo(1);
    }

    @Test
    void groupsSharedLimitsAndTheTotalLimitHoldTogether() {
        List<Node> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(nodes.add(
                    fleet -> fleet.totalLimit(7),
                    policy -> with(policy, tenant(3), endpoint(4)).defaultMaxConcurrencyPerGroup(2)));
        }
        Map<String, Referee> ofLimits = new ConcurrentHashMap<>();
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            String tenant = "t" + i % 3;
            String endpoint = "e" + i % 2;
            String key = tenant + "/" + endpoint;
            for (Node node : all) {
                tasks.add(node.executor().submit(key, "task", () -> {
                    List<Referee> referees = Stream.of(tenant, endpoint, key)
                            .map(limit -> ofLimits.computeIfAbsent(limit, l -> new Referee()))
                            .toList();
                    referees.forEach(Referee::begin);
                    work(referee, 500).run();
                    referees.forEach(Referee::end);
                }));
            }
        }
        assertThat(tasks).allMatch(task -> task.join().isSuccess());
        assertThat(referee.most()).as("all").isBetween(1, 7);
        assertThat(ofLimits).hasSize(3 + 2 + 6);
        ofLimits.forEach((limit, counts) -> {
            int max = limit.contains("/") ? 2 : limit.startsWith("t") ? 3 : 4;
            assertThat(counts.most()).as(limit).isBetween(1, max);
        });
    }

    @Test
    void valueThatIsNotInUseLeavesNothingInTheStore() {
        Node node = nodes.add(
                fleet -> fleet.ttl(Duration.ofSeconds(2)).linger(Duration.ZERO),
                policy -> with(policy, tenant(2)).idleGroupTtl(Duration.ZERO));
        for (int i = 0; i < 50; i++) {
            node.executor().submit("tenant-" + i + "/a", "task", () -> {}).join();
        }
        await().until(() -> nodes.look().groups().isEmpty());
        await().until(() -> node.fleet().sharedLimits().findAny().isEmpty());
    }

    @Test
    void keyOfAGroupThatLooksLikeASharedLimitIsAnotherLimit() {
        Node node = node(tenant(2));
        hold(node, "acme/a", 2);
        await().until(() -> running.get() == 2);
        hold(node, "~6:tenant:acme", 3); // its tenant is its key, as there is no slash
        await().until(() -> running.get() == 4);
        assertThat(stats(node, "tenant", "acme").used()).isEqualTo(2);
    }

    // ---- settings

    @Test
    void acrossFleetNeedsAFleetAndALimit() {
        assertThatThrownBy(() -> GroupPolicy.builder().sharedLimit(tenant(7)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'tenant'")
                .hasMessageContaining("7")
                .hasMessageContaining("fleet");
        SharedLimit unlimited =
                SharedLimit.by("tenant", key -> key).max("acme", 3).acrossFleet();
        assertThatThrownBy(() -> node(unlimited))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'tenant'")
                .hasMessageContaining("unlimited");
        assertThat(tenant(7).isAcrossFleet()).isTrue();
        assertThat(tenant(7).max(8).weight("a", 2).isAcrossFleet()).isTrue();
        assertThat(tenant(7)).hasToString("SharedLimit[tenant max 7, across fleet]");
    }

    @Test
    void limitIsChangedForTheWholeFleet() {
        Node first = node(tenant(2));
        Node second = node(tenant(2));
        hold(first, "acme/a", 4);
        await().until(() -> running.get() == 2);
        second.fleet().control().setSharedLimit("tenant", "acme", 3).join();
        await().until(() -> running.get() == 3);
        hold(second, "acme/b", 4);
        assertThat(first.executor()
                        .sharedLimitStats("tenant", "acme")
                        .orElseThrow()
                        .max())
                .isEqualTo(3);
        second.fleet().control().resetSharedLimit("tenant", "acme").join();
        await().until(() -> stats(first, "tenant", "acme").limit() == 2);
    }

    @Test
    void pausedLimitStartsNothingOnAnyNodeUntilItIsResumed() {
        Node first = node(tenant(2));
        Node second = node(tenant(2));
        first.executor().submit("acme/a", "before", () -> {}).join();
        second.fleet().control().pauseSharedLimit("tenant", "acme").join();
        await().until(() -> stats(first, "tenant", "acme").held() == 0);
        List<TaskHandle<?>> tasks = hold(first, "acme/a", 1);
        tasks.addAll(hold(second, "acme/b", 1));
        await().until(() -> stats(first, "tenant", "acme").paused()
                && stats(second, "tenant", "acme").paused());
        hold(second, "other/b", 1);
        await().until(() -> running.get() == 1);
        end.release(3);
        first.fleet().control().resumeSharedLimit("tenant", "acme").join();
        assertThat(tasks).allMatch(task -> task.join().isSuccess());
    }

    @Test
    void pauseOfOneExecutorLeavesThePermitsToOthers() throws Exception {
        Node first = node(tenant(2));
        Node second = node(tenant(2));
        first.executor().submit("acme/a", "before", () -> {}).join();
        first.executor().pauseSharedLimit("tenant", "acme");
        List<TaskHandle<?>> paused = hold(first, "acme/a", 1);
        List<TaskHandle<?>> others = hold(second, "acme/b", 2);
        await().until(() -> running.get() == 2);
        Rejection rejection =
                first.executor().tryAcquire("acme/a", Duration.ofMillis(1)).rejection();
        assertThat(rejection.limitedBy()).isEqualTo(LimitKind.PAUSE);
        assertThat(rejection.sharedLimit()).isEqualTo("tenant 'acme'");
        assertThat(rejection.limit()).isEqualTo(2);
        end.release(3);
        assertThat(others).allMatch(task -> task.join().isSuccess());
        first.executor().resumeSharedLimit("tenant", "acme");
        assertThat(paused).allMatch(task -> task.join().isSuccess());
    }

    // ---- what can be seen

    @Test
    void statisticsAndTheViewOfTheStoreShowIt() {
        Node first = node(tenant(3));
        Node second = node(tenant(3));
        hold(first, "acme/a", 2);
        hold(first, "acme/b", 3);
        await().until(() -> running.get() == 3);
        hold(second, "acme/c", 1);
        await().until(() -> stats(second, "tenant", "acme").wanted() == 1);
        FleetSharedLimitStats stats = stats(first, "tenant", "acme");
        assertThat(stats.used()).isEqualTo(3);
        assertThat(stats.limit()).isEqualTo(3);
        assertThat(stats.wanted()).isEqualTo(3);
        assertThat(first.fleet().sharedLimits().map(FleetSharedLimitStats::value))
                .containsExactly("acme");
        assertThat(first.fleet().groups().map(FleetGroupStats::groupKey)).containsExactlyInAnyOrder("acme/a", "acme/b");
        assertThat(first.executor()
                        .sharedLimitStats("tenant", "acme")
                        .orElseThrow()
                        .toString())
                .matches("tenant 'acme': 3/3 active, [0-3] leased, [12] of 2 groups wait");
        await().until(() -> {
            FleetView view = second.fleet()
                    .lookAtSharedLimit("tenant", List.of("acme", "unused"))
                    .join();
            return view.groups().size() == 1
                    && view.groups().getFirst().groupKey().equals("acme")
                    && view.groups().getFirst().wanted() >= 4;
        });
    }

    @Test
    void rejectionNamesTheLimitAndThePermitsHeld() throws Exception {
        Node first = node(tenant(1));
        Node second = node(tenant(1));
        try (Permit permit = first.executor().acquire("acme/a")) {
            // until the group has a permit, its lease is in the way
            Rejection rejection = await().until(
                            () -> second.executor()
                                    .tryAcquire("acme/b", Duration.ofMillis(1))
                                    .rejection(),
                            why -> why.limitedBy() == LimitKind.SHARED);
            assertThat(rejection.sharedLimit()).isEqualTo("tenant 'acme'");
            assertThat(rejection.leased()).isZero();
            assertThat(rejection.limit()).isEqualTo(1);
        }
    }

    // ---- the first use

    @Test
    void firstCallerWaitsForTheFirstAnswer() throws Exception {
        Node node = node(policy -> policy.defaultQueueThresholdPerGroup(0), tenant(1));
        int granted = 0;
        for (int i = 0; i < 20; i++) {
            PermitResult result = node.executor().tryAcquire("tenant-" + i + "/a", Duration.ZERO);
            if (result.isGranted()) {
                granted++;
                result.permit().close();
            }
        }
        assertThat(granted).isPositive(); // on a busy machine an answer may take longer than a caller waits for it
    }

    // ---- the store is gone

    @ParameterizedTest
    @CsvSource({"STOP, 0", "KEEP_LAST, 1", "SHARE, 2", "OPEN, 4"})
    void modeDecidesWhileTheStoreIsGone(UnreachableMode mode, int expected) {
        Node node =
                nodes.add(way, fleet -> fleet.ttl(SHORT_TTL).whenUnreachable(mode), policy -> with(policy, tenant(4)));
        Node other = nodes.add(fleet -> fleet.ttl(SHORT_TTL), policy -> with(policy, tenant(4)));
        hold(other, "acme/b", 3);
        await().until(() -> running.get() == 3);
        node.executor().submit("acme/a", "before", () -> {}).join();
        await().until(() -> stats(node, "tenant", "acme").held() == 1);
        way.set(Fault.FAILS);
        await().until(() -> node.fleet().stats().sessions().stream()
                .noneMatch(session -> session.leaseLeft().isPositive()));
        hold(node, "acme/a", 6);
        await().until(() -> running.get() == 3 + expected);
        assertThat(node.executor().groupStats("acme/a").orElseThrow().queuedCount())
                .isEqualTo(6 - expected);
        way.set(Fault.NONE);
        await().until(() -> stats(node, "tenant", "acme").debt() == Math.max(0, expected - 1)
                || stats(node, "tenant", "acme").held() >= expected);
        assertThat(running.get()).isLessThanOrEqualTo(Math.max(4, 3 + expected));
    }

    @Test
    void tasksAreInterruptedWhenTheLeaseIsLost() {
        Node node = nodes.add(
                way,
                fleet -> fleet.ttl(SHORT_TTL).onLeaseLost(LeaseLostAction.INTERRUPT),
                policy -> with(policy, tenant(2)));
        List<TaskHandle<?>> tasks = hold(node, "acme/a", 1);
        await().until(() -> running.get() == 1);
        way.set(Fault.FAILS);
        assertThat(tasks).allMatch(task -> task.join().status() == TaskStatus.CANCELLED);
    }

    // ---- costs

    @Test
    void nodeGetsAsManyPermitsAsATaskCosts() {
        Node first = node(tenant(4));
        Node second = node(tenant(4));
        first.executor().submit("acme/a", "before", () -> {}).join();
        hold(second, "acme/b", 1, 3);
        await().until(() -> running.get() == 3);
        assertThat(stats(second, "tenant", "acme").used()).isEqualTo(3);
        hold(first, "acme/a", 2);
        await().until(() -> running.get() == 4);
    }

    /** Another node wants the whole limit all the time; half of it is its share. */
    @ParameterizedTest
    @ValueSource(strings = {"group", "shared", "total"})
    void taskThatCostsMoreThanTheShareOfItsNodeDoesNotStarve(String limit) {
        int most = 4;
        SharedLimit[] shared = limit.equals("shared") ? new SharedLimit[] {tenant(most)} : new SharedLimit[0];
        List<Node> both = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            both.add(nodes.add(
                    fleet -> limit.equals("total") ? fleet.totalLimit(most) : fleet,
                    policy -> with(policy, shared)
                            .defaultMaxConcurrencyPerGroup(limit.equals("group") ? most : 2 * most)));
        }
        String group = limit.equals("group") ? "acme/a" : "acme/b";
        AtomicBoolean stop = new AtomicBoolean();
        List<Thread> load = new ArrayList<>();
        for (int i = 0; i < 2 * most; i++) {
            load.add(Thread.ofVirtual().start(() -> {
                while (!stop.get()) {
                    both.getFirst()
                            .executor()
                            .submit("acme/a", "task", work(referee, 500))
                            .join();
                }
            }));
        }
        try {
            TaskOptions costs = TaskOptions.builder().cost(most - 1).build();
            for (int i = 0; i < 5; i++) {
                TaskHandle<?> task = both.get(1)
                        .executor()
                        .submit(
                                group,
                                () -> {
                                    referee.begin();
                                    referee.begin();
                                    work(referee, 500).run();
                                    referee.end();
                                    referee.end();
                                },
                                costs);
                assertThat(task.join().isSuccess()).isTrue();
            }
        } finally {
            stop.set(true);
        }
        assertThat(referee.most()).isBetween(1, most);
        assertThat(load).allSatisfy(Thread::join);
    }

    @Test
    void taskThatCostsMoreThanTheLimitIsRejected() {
        Node node = node(tenant(2));
        node.executor().submit("acme/a", "before", () -> {}).join(); // now the limit in force is known
        TaskHandle<?> task = hold(node, "acme/a", 1, 3).getFirst();
        assertThatThrownBy(task::join).isInstanceOfSatisfying(RejectedTaskException.class, e -> {
            assertThat(e.rejection().reason()).isEqualTo(RejectionReason.TOO_COSTLY);
            assertThat(e.rejection().sharedLimit()).isEqualTo("tenant 'acme'");
            assertThat(e.rejection().limit()).isEqualTo(2);
        });
    }
}
