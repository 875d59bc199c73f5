package io.github.kobe.fleet;

import io.github.kobe.fleet.FleetReply.GroupSnapshot;
import io.github.kobe.fleet.FleetReply.Holding;
import io.github.kobe.fleet.FleetReply.SessionSnapshot;
import io.github.kobe.fleet.FleetReply.Snapshot;
import io.github.kobe.fleet.FleetRequest.Look;
import io.github.kobe.fleet.FleetView.Group;
import io.github.kobe.fleet.FleetView.Holder;
import io.github.kobe.fleet.FleetView.Node;
import io.github.kobe.internal.kernel.SharedKey;
import io.github.kobe.internal.util.Checks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Asks all shards of a store what they hold, one call for each, and puts the answers together. */
final class FleetLook {

    /** In place of a group that the store does not know, so that the others are in the order in which they were asked for. */
    private static final Group UNUSED = new Group("", 0, false, List.of());

    private final String fleet;

    /** The keys that were asked for, by the names of their groups in the store. */
    private final Map<String, String> keys = new LinkedHashMap<>();

    private FleetLook(String fleet, Collection<String> asked, String what, UnaryOperator<String> nameOf) {
        this.fleet = fleet;
        asked.forEach(key -> keys.put(nameOf.apply(key), key));
        Checks.check(
                keys.size() <= FleetRequest.MAX_GROUPS,
                "number of " + what,
                "at most " + FleetRequest.MAX_GROUPS,
                keys.size());
    }

    static FleetLook groups(String fleet, Collection<String> groupKeys) {
        return new FleetLook(
                fleet, groupKeys, "groupKeys", key -> key.isEmpty() ? FleetNames.TOTAL : FleetNames.ofGroup(key));
    }

    static FleetLook sharedLimit(String fleet, String name, Collection<String> values) {
        return new FleetLook(fleet, values, "values", value -> FleetNames.ofShared(sharedKey(name, value)));
    }

    static SharedKey sharedKey(String name, String value) {
        return new SharedKey(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
    }

    CompletableFuture<FleetView> look(FleetStore.Connection connection, NodeSettings settings) {
        List<CompletableFuture<FleetReply>> answers = new ArrayList<>();
        for (int shard = 0; shard < settings.shards(); shard++) {
            answers.add(StoreCall.send(connection, shard, new Look(List.of(), namesOf(shard, settings.shards())))
                    .toCompletableFuture()
                    .copy()
                    .orTimeout(settings.ttl() / 4, TimeUnit.NANOSECONDS));
        }
        // not on the thread of the store: what depends on the future is user code
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        done -> view(
                                answers.stream().map(CompletableFuture::join).toList()),
                        Thread::startVirtualThread);
    }

    private List<String> namesOf(int shard, int shards) {
        return keys.keySet().stream()
                .filter(name -> FleetNames.shardOf(name, shards) == shard)
                .toList();
    }

    private FleetView view(List<FleetReply> answers) {
        Map<String, Node> nodes = new TreeMap<>();
        Map<String, Group> groups = new LinkedHashMap<>();
        keys.keySet().forEach(name -> groups.put(name, UNUSED));
        long learning = 0;
        for (FleetReply answer : answers) {
            if (!(answer instanceof Snapshot snapshot)) {
                throw new IllegalStateException("fleet '" + fleet + "': the store gave a wrong answer");
            }
            learning = Math.max(learning, snapshot.learning());
            Map<String, String> nodeOf = new TreeMap<>();
            for (SessionSnapshot session : snapshot.sessions()) {
                nodeOf.put(session.session(), session.node());
                Duration left = Duration.ofMillis(Math.max(0, session.expiresIn()));
                nodes.merge(session.node(), new Node(session.node(), 1, left), FleetLook::sum);
            }
            snapshot.groups().forEach(group -> groups.put(group.group(), groupOf(group, nodeOf)));
        }
        groups.values().removeIf(UNUSED::equals);
        return new FleetView(
                fleet, Duration.ofMillis(learning), List.copyOf(nodes.values()), List.copyOf(groups.values()));
    }

    private static Node sum(Node one, Node other) {
        Duration soonest = one.expiresIn().compareTo(other.expiresIn()) < 0 ? one.expiresIn() : other.expiresIn();
        return new Node(one.node(), one.sessions() + other.sessions(), soonest);
    }

    private Group groupOf(GroupSnapshot snapshot, Map<String, String> nodeOf) {
        Map<String, Holder> holders = new TreeMap<>();
        for (Holding holding : snapshot.holdings()) {
            String node = nodeOf.getOrDefault(holding.session(), holding.session());
            long debt = Math.max(0, holding.used() - holding.granted());
            holders.merge(node, new Holder(node, holding.granted(), holding.wanted(), debt), Holder::plus);
        }
        return new Group(
                keys.getOrDefault(snapshot.group(), snapshot.group()),
                snapshot.limit(),
                snapshot.paused(),
                List.copyOf(holders.values()));
    }
}
