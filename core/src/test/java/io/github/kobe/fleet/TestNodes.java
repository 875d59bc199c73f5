package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** Several nodes of one fleet in this JVM, each with an executor, on one store. */
final class TestNodes implements AutoCloseable {

    /** Longer than any pause of a busy machine. */
    static final Duration LONG_TTL = Duration.ofSeconds(60);

    /** One node. */
    record Node(Fleet fleet, GroupExecutor executor) {
        FleetGroupStats group(String key) {
            return fleet.groupStats(key).orElse(new FleetGroupStats(key, 0, false, 0, 0, 0, 0));
        }
    }

    final FleetStore store;
    final List<Node> nodes = new ArrayList<>();

    TestNodes(FleetStore store) {
        this.store = store;
    }

    TestNodes() {
        this(new InMemoryStore());
    }

    /** A node with default settings, except that the fleet is a new one and that no pause of the machine matters. */
    Node add(UnaryOperator<GroupPolicy.Builder> policy) {
        return add(fleet -> fleet, policy);
    }

    Node add(UnaryOperator<Fleet.Builder> settings, UnaryOperator<GroupPolicy.Builder> policy) {
        return add(store, settings, policy);
    }

    /** @param way leads to the store of all nodes */
    Node add(FleetStore way, UnaryOperator<Fleet.Builder> settings, UnaryOperator<GroupPolicy.Builder> policy) {
        Fleet fleet = settings.apply(Fleet.builder("test", way)
                        .node("node-" + nodes.size())
                        .ttl(LONG_TTL)
                        .founding(true))
                .join();
        Node node = new Node(
                fleet,
                GroupExecutor.newVirtualThreadExecutor(
                        policy.apply(GroupPolicy.builder().fleet(fleet)).build()));
        nodes.add(node);
        return node;
    }

    /** What the store has of a group; {@code null} if nothing. */
    FleetReply.GroupSnapshot look(String group) {
        FleetReply.Snapshot snapshot = look();
        return snapshot.groups().stream()
                .filter(g -> g.group().equals(group))
                .findFirst()
                .orElse(null);
    }

    /** What the store has of the groups of all sessions. */
    FleetReply.Snapshot look() {
        FleetReply.Snapshot sessions = call(new FleetRequest.Look(List.of(), List.of()));
        List<String> names = sessions.sessions().stream()
                .map(FleetReply.SessionSnapshot::session)
                .toList();
        List<String> groups = call(new FleetRequest.Look(names, List.of())).sessions().stream()
                .flatMap(session -> session.groups().stream())
                .distinct()
                .toList();
        return call(new FleetRequest.Look(names, groups));
    }

    private FleetReply.Snapshot call(FleetRequest request) {
        FleetStore.Listener none = new FleetStore.Listener() {
            @Override
            public void pushed(int shard, FleetPush push) {}

            @Override
            public void available(int shard) {}
        };
        try (FleetStore.Connection connection = store.connect("test", none)) {
            return (FleetReply.Snapshot)
                    connection.call(0, request).toCompletableFuture().join();
        }
    }

    /**
     * While all wait, each has its turn: none runs all its tasks before another one begins.
     *
     * @param order the name of the node of each task, in the order in which they ran
     */
    static void assertThatEachHasItsTurn(List<Node> all, List<String> order) {
        for (Node node : all) {
            String name = node.fleet().node();
            int lastOfOthers = order.size() - 1;
            while (order.get(lastOfOthers).equals(name)) {
                lastOfOthers--;
            }
            assertThat(order.indexOf(name)).isLessThan(lastOfOthers);
            assertThat(order.subList(0, order.size() / 2)).contains(name);
        }
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.executor().shutdown());
        nodes.forEach(node -> node.fleet().close());
    }

    /** Counts exactly how many tasks run at once, on whichever node. */
    static final class Referee {
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        void begin() {
            int now = running.incrementAndGet();
            most.accumulateAndGet(now, Math::max);
        }

        void end() {
            running.decrementAndGet();
        }

        int running() {
            return running.get();
        }

        int most() {
            return most.get();
        }
    }
}
