package io.github.kobe.fleet;

import static io.github.kobe.fleet.VirtualFleet.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.fleet.VirtualFleet.Node;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What does the protocol make of a load, if a message takes a quarter of a millisecond? In virtual time, so each run is the same. */
class FleetLoadTest {

    private static final long TTL = 10_000 * MS;
    private static final long SECOND = 1_000 * MS;

    private final VirtualFleet fleet = new VirtualFleet(MS / 4);

    private List<Node> nodes(int count) {
        List<Node> nodes =
                IntStream.range(0, count).mapToObj(i -> fleet.join(TTL)).toList();
        fleet.run(10 * MS);
        return nodes;
    }

    @Test
    void firstStartOfAnIdleGroupCostsOneCall() {
        Node node = nodes(1).getFirst();
        fleet.calls.clear();
        node.submit("g", 10, 1, 0);
        fleet.run(MS / 2);
        assertThat(node.completed("g")).isEqualTo(1);
        assertThat(fleet.calls).hasSize(1);
    }

    @Test
    void tasksWithPermitsInHandCostNoCall() {
        List<Node> nodes = nodes(2);
        nodes.forEach(node -> node.load("g", 10, MS));
        fleet.run(SECOND);
        fleet.calls.clear();
        long before = nodes.stream().mapToLong(n -> n.completed("g")).sum();
        fleet.run(10 * SECOND);
        long tasks = nodes.stream().mapToLong(n -> n.completed("g")).sum() - before;
        assertThat(tasks).isGreaterThan(99_000);
        assertThat(fleet.calls.size()).as("calls for %d tasks", tasks).isLessThan((int) (tasks / 1_000));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void onePermitIsSharedFairlyAndIsBusy(int count) {
        List<Node> nodes = nodes(count);
        nodes.forEach(node -> node.load("g", 1, 5 * MS));
        fleet.run(5 * SECOND);
        long busy = nodes.stream().mapToLong(n -> n.busy("g")).sum();
        assertThat(busy).isGreaterThan(5 * SECOND * 95 / 100);
        assertThat(nodes)
                .allSatisfy(n -> assertThat((double) n.busy("g"))
                        .as("share of %s", n.name)
                        .isBetween(busy * 0.9 / count, busy * 1.1 / count));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void sharesAreMaxMinFairToOnePermit(int count) {
        List<Node> nodes = nodes(count);
        nodes.getFirst().load("g", 10, 5 * MS); // the first one has all permits before the others come
        fleet.run(SECOND);
        nodes.subList(1, count).forEach(node -> node.load("g", 10, 5 * MS));
        fleet.run(SECOND);
        List<Integer> held =
                nodes.stream().map(n -> VirtualFleet.heldBy(n.node, "g")).toList();
        assertThat(held.stream().mapToInt(Integer::intValue).sum()).isEqualTo(10);
        assertThat(held).allMatch(h -> h >= 10 / count && h <= 10 / count + 1);
    }

    @Test
    void permitsFollowTheDemand() {
        List<Node> nodes = nodes(2);
        for (int i = 0; i < 6; i++) {
            Node loaded = nodes.get(i % 2);
            loaded.load("g", 10, 20 * MS);
            fleet.run(2 * SECOND);
            loaded.unload("g");
        }
        long busy = nodes.stream().mapToLong(n -> n.busy("g")).sum();
        assertThat(busy).isGreaterThan(10 * 12 * SECOND * 95 / 100);
    }

    @Test
    void permitsFollowTheDemandByHeartbeatsIfPushesAreLost() {
        fleet.pushesAreLost = true;
        List<Node> nodes = nodes(2);
        nodes.get(0).submit("g", 10, 10, MS);
        fleet.run(100 * MS);
        nodes.get(1).submit("g", 10, 10, MS);
        // the holder's next heartbeat, then the next one of the node that waits
        fleet.run(2 * TTL / 8 + 30 * MS);
        assertThat(nodes.get(1).completed("g")).isEqualTo(10);
    }

    @Test
    void permitsOfAKilledNodeComeBack() {
        List<Node> nodes = nodes(2);
        nodes.getFirst().load("g", 10, 5 * MS);
        fleet.run(SECOND);
        nodes.getFirst().kill();
        nodes.getLast().load("g", 10, 5 * MS);
        fleet.run(TTL + TTL / 8 + 100 * MS);
        assertThat(VirtualFleet.heldBy(nodes.getLast().node, "g")).isEqualTo(10);
        assertThat(fleet.shard.sessions).hasSize(1);
    }

    @Test
    void idleGroupsLeaveNothingInTheStore() {
        List<Node> nodes = nodes(2);
        for (int i = 0; i < 10_000; i++) {
            nodes.get(i % 2).submit("g" + i, 3, 2, MS);
        }
        fleet.run(SECOND);
        assertThat(fleet.shard.groups).hasSize(10_000);
        fleet.run(5 * SECOND + 3 * TTL / 8);
        assertThat(fleet.shard.groups).isEmpty();
        assertThat(fleet.shard.sessions.values()).allMatch(s -> s.groups.isEmpty());
    }

    @Test
    void retiredGroupIsReturnedAtOnce() {
        Node node = nodes(1).getFirst();
        node.submit("g", 10, 5, MS);
        fleet.run(10 * MS);
        assertThat(fleet.shard.groups).containsOnlyKeys("g");
        node.retire("g");
        fleet.run(MS);
        assertThat(fleet.shard.groups).isEmpty();
    }

    @Test
    void nodeThatLeavesReturnsEverythingAtOnce() {
        List<Node> nodes = nodes(2);
        for (int i = 0; i < 200; i++) {
            nodes.getFirst().submit("g" + i, 3, 1, MS);
        }
        fleet.run(100 * MS);
        nodes.getFirst().leave();
        fleet.run(10 * MS);
        assertThat(fleet.shard.groups).isEmpty();
        assertThat(fleet.shard.sessions).hasSize(1);
        assertThat(nodes.getFirst().node.state()).isEqualTo(FleetNode.State.LEFT);
    }

    @Test
    void nodeThatLeavesKeepsWhatItUses() {
        List<Node> nodes = nodes(2);
        nodes.getFirst().submit("g", 3, 3, 500 * MS);
        fleet.run(10 * MS);
        nodes.getFirst().leave();
        nodes.getLast().load("g", 3, MS);
        fleet.run(400 * MS);
        assertThat(VirtualFleet.heldBy(nodes.getLast().node, "g")).isZero();
        fleet.run(200 * MS);
        assertThat(VirtualFleet.heldBy(nodes.getLast().node, "g")).isEqualTo(3);
        assertThat(nodes.getFirst().node.state()).isEqualTo(FleetNode.State.LEFT);
    }

    @Test
    void manyGroupsNeedFewCalls() {
        Node node = nodes(1).getFirst();
        fleet.calls.clear();
        for (int i = 0; i < 1_000; i++) {
            node.submit("g" + i, 3, 3, MS);
        }
        fleet.run(50 * MS);
        assertThat(node.completed("g999")).isEqualTo(3);
        assertThat(fleet.calls.size()).as("64 groups a call").isLessThan(25);
    }
}
