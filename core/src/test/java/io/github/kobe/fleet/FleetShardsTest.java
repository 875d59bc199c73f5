package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.kobe.SharedLimit;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.fleet.FaultyStore.Fault;
import io.github.kobe.fleet.TestNodes.Node;
import io.github.kobe.fleet.TestNodes.Referee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do limits hold if the groups of a fleet are in several shards of the store? */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FleetShardsTest {

    private static final int SHARDS = 3;
    private static final int GROUPS = 12;

    private final ShardedStore store = new ShardedStore();
    private final TestNodes nodes = new TestNodes(store);

    /** Each shard is a store of its own. */
    private static final class ShardedStore implements FleetStore {
        private final List<FaultyStore> shards = Stream.generate(() -> new FaultyStore(new InMemoryStore()))
                .limit(SHARDS)
                .toList();

        @Override
        public Connection connect(String fleet, Listener listener) {
            List<Connection> connections = IntStream.range(0, SHARDS)
                    .mapToObj(shard -> shards.get(shard).connect(fleet, new Listener() {
                        @Override
                        public void pushed(int one, FleetPush push) {
                            listener.pushed(shard, push);
                        }

                        @Override
                        public void available(int one) {
                            listener.available(shard);
                        }
                    }))
                    .toList();
            return new Connection() {
                @Override
                public int shards() {
                    return SHARDS;
                }

                @Override
                public CompletionStage<FleetReply> call(int shard, FleetRequest request) {
                    return connections.get(shard).call(0, withoutShards(request));
                }

                @Override
                public void close() {
                    connections.forEach(Connection::close);
                }
            };
        }

        /** Of its own, each store has one. */
        private static FleetRequest withoutShards(FleetRequest request) {
            return request instanceof FleetRequest.Hello hello
                    ? new FleetRequest.Hello(
                            hello.session(),
                            hello.seq(),
                            hello.node(),
                            hello.ttl(),
                            hello.reclaimAfter(),
                            1,
                            hello.founding())
                    : request;
        }
    }

    @AfterEach
    void close() {
        store.shards.forEach(shard -> shard.set(Fault.NONE));
        nodes.close();
    }

    @Test
    void limitsOfGroupsInAllShardsAndTheTotalLimitHold() {
        List<Node> all = Stream.generate(() ->
                        nodes.add(fleet -> fleet.totalLimit(5), policy -> policy.defaultMaxConcurrencyPerGroup(2)))
                .limit(2)
                .toList();
        List<Referee> ofGroups = Stream.generate(Referee::new).limit(GROUPS).toList();
        Referee ofAll = new Referee();
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            int group = i % GROUPS;
            for (Node node : all) {
                tasks.add(node.executor().submit("tenant-" + group, "task", () -> {
                    ofAll.begin();
                    ofGroups.get(group).begin();
                    Thread.yield();
                    ofGroups.get(group).end();
                    ofAll.end();
                }));
            }
        }
        assertThat(tasks).allMatch(task -> task.join().isSuccess());
        assertThat(ofGroups).allMatch(referee -> referee.most() <= 2);
        assertThat(ofAll.most()).isBetween(1, 5);
        assertThat(all.getFirst().fleet().stats().sessions()).hasSize(SHARDS);
    }

    /** A value is in another shard than its groups. */
    @Test
    void sharedLimitsInAllShardsHold() {
        SharedLimit tenant =
                SharedLimit.by("tenant", key -> key.split("/")[0]).max(2).acrossFleet();
        List<Node> all = Stream.generate(() -> nodes.add(
                        policy -> policy.defaultMaxConcurrencyPerGroup(2).sharedLimit(tenant)))
                .limit(2)
                .toList();
        List<Referee> ofTenants = Stream.generate(Referee::new).limit(GROUPS).toList();
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            int group = i % GROUPS;
            for (Node node : all) {
                tasks.add(node.executor().submit("tenant-" + group + "/" + i % 5, "task", () -> {
                    ofTenants.get(group).begin();
                    Thread.yield();
                    ofTenants.get(group).end();
                }));
            }
        }
        assertThat(tasks).allMatch(task -> task.join().isSuccess());
        assertThat(ofTenants).allMatch(referee -> referee.most() <= 2);
        Node first = all.getFirst();
        first.fleet().control().setSharedLimit("tenant", "tenant-1", 7).join();
        first.executor().submit("tenant-1/new", "task", () -> {}).join(); // a node that wants nothing of it is not told
        await().atMost(Duration.ofSeconds(60))
                .until(() -> first.fleet()
                        .sharedLimitStats("tenant", "tenant-1")
                        .filter(stats -> stats.limit() == 7)
                        .isPresent());
    }

    /** Returns a group that is in another shard than the total limit. */
    private static String groupBesidesTheTotalLimit() {
        int ofTotal = FleetNames.shardOf(FleetNames.TOTAL, SHARDS);
        return IntStream.range(0, 100)
                .mapToObj(i -> "tenant-" + i)
                .filter(key -> FleetNames.shardOf(FleetNames.ofGroup(key), SHARDS) != ofTotal)
                .findFirst()
                .orElseThrow();
    }

    /** Their permits of the total limit may be granted to other nodes, although those of their groups may not. */
    @Test
    void tasksOfAllGroupsAreCancelledIfTheLeaseOnTheTotalLimitIsLost() {
        Node node = nodes.add(
                fleet -> fleet.ttl(Duration.ofSeconds(1)).totalLimit(5).onLeaseLost(LeaseLostAction.INTERRUPT),
                policy -> policy.defaultMaxConcurrencyPerGroup(2));
        CountDownLatch running = new CountDownLatch(1);
        TaskHandle<?> task = node.executor().submit(groupBesidesTheTotalLimit(), "task", () -> {
            running.countDown();
            new CountDownLatch(1).await();
            return null;
        });
        await().atMost(Duration.ofSeconds(60)).until(() -> running.getCount() == 0);
        store.shards.get(FleetNames.shardOf(FleetNames.TOTAL, SHARDS)).set(Fault.SILENT);
        await().atMost(Duration.ofSeconds(60)).until(task::isDone);
        assertThat(task.join().status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void settingOfAGroupReachesItsShard() {
        Node node = nodes.add(policy -> policy.defaultMaxConcurrencyPerGroup(2));
        for (int i = 0; i < GROUPS; i++) {
            String group = "tenant-" + i;
            node.executor().submit(group, "task", () -> {}).join();
            node.fleet().control().setLimit(group, 7).join();
            await().atMost(Duration.ofSeconds(60)).until(() -> node.group(group).limit() == 7);
        }
    }
}
