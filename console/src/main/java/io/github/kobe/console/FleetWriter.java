package io.github.kobe.console;

import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetGroupStats;
import io.github.kobe.fleet.FleetSharedLimitStats;
import io.github.kobe.fleet.FleetStats;
import io.github.kobe.fleet.FleetView;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes what one client shows of fleets, as JSON: what this JVM has, and what the store knows of all nodes. */
final class FleetWriter {

    /** As many as one call of the store can have, and one for the total. */
    private static final int MAX_ROWS = 60;

    /** Values of shared limits. There is one call of the store for each limit. */
    private static final int MAX_SHARED_ROWS = 20;

    /** What an operator looks for first: what is owed, then what is missing, then what is held. */
    private static final Comparator<FleetGroupStats> URGENT = Comparator.comparingLong(FleetGroupStats::debt)
            .thenComparingLong(group -> group.wanted() - group.held())
            .thenComparingLong(FleetGroupStats::held)
            .reversed()
            .thenComparing(FleetGroupStats::groupKey);

    private static final Comparator<FleetSharedLimitStats> URGENT_SHARED = Comparator.comparingLong(
                    FleetSharedLimitStats::debt)
            .thenComparingLong(limit -> limit.wanted() - limit.held())
            .thenComparingLong(FleetSharedLimitStats::held)
            .reversed()
            .thenComparing(FleetSharedLimitStats::name)
            .thenComparing(FleetSharedLimitStats::value);

    private FleetWriter() {}

    static void write(JsonWriter json, Snapshot snapshot, View view) {
        json.beginArray("fleet");
        snapshot.fleets().forEach(part -> fleet(json, snapshot, part, view));
        json.endArray();
    }

    private static void fleet(JsonWriter json, Snapshot snapshot, Snapshot.FleetPart part, View view) {
        FleetStats stats = part.stats();
        json.beginObject()
                .put("name", ViewWriter.cut(stats.fleet()))
                .put("node", ViewWriter.cut(stats.node()))
                .put("held", stats.held())
                .put("wanted", stats.wanted())
                .put("used", stats.used())
                .put("debt", stats.debt())
                .put("exchanges", stats.exchanges())
                .put("lostCalls", stats.lostCalls())
                .put("faults", stats.faults());
        json.beginArray("sessions");
        stats.sessions()
                .forEach(session -> json.beginObject()
                        .put("executor", ViewWriter.cut(session.executor()))
                        .put("shard", session.shard())
                        .put("state", ViewWriter.words(session.state()))
                        .put("lease", session.leaseLeft())
                        .put("learning", session.learning())
                        .endObject());
        json.endArray();
        rows(json, snapshot, part, view);
        json.endObject();
    }

    private static void rows(JsonWriter json, Snapshot snapshot, Snapshot.FleetPart part, View view) {
        TopRows<FleetGroupStats> top = new TopRows<>(Math.min(view.size(), MAX_ROWS), URGENT);
        Optional<FleetGroupStats> total = Optional.empty();
        for (FleetGroupStats group : part.groups()) {
            if (group.groupKey().isEmpty()) {
                total = Optional.of(group);
            } else if (GroupTable.containsIgnoringCase(group.groupKey(), view.search())) {
                top.offer(group);
            }
        }
        List<FleetGroupStats> shown = List.copyOf(top.from(0));
        List<String> keys = Stream.concat(shown.stream(), total.stream())
                .map(FleetGroupStats::groupKey)
                .toList();
        Map<String, FleetView.Group> known = new HashMap<>();
        boolean answered = true;
        try {
            FleetView seen = snapshot.look(part.fleet(), keys).join();
            nodes(json, seen);
            json.put("learning", seen.learning());
            seen.groups().forEach(group -> known.put(group.groupKey(), group));
        } catch (CompletionException e) {
            answered = false;
            json.put("problem", "The store does not answer. What is shown is what this JVM knows.");
        }
        json.put("matching", top.offered()).beginArray("rows");
        shown.stream()
                .sorted(Comparator.comparingLong(group -> -debtOf(known.get(group.groupKey()))))
                .forEach(group -> row(json, group, known.get(group.groupKey())));
        json.endArray();
        sharedRows(json, snapshot, part, view, answered);
        total.ifPresent(group -> {
            json.beginObject("total");
            numbers(json, group, known.get(""));
            json.endObject();
        });
    }

    /** @param ask whether the store answers */
    private static void sharedRows(
            JsonWriter json, Snapshot snapshot, Snapshot.FleetPart part, View view, boolean ask) {
        TopRows<FleetSharedLimitStats> top = new TopRows<>(MAX_SHARED_ROWS, URGENT_SHARED);
        part.sharedLimits().stream()
                .filter(limit -> GroupTable.containsIgnoringCase(limit.name(), view.search())
                        || GroupTable.containsIgnoringCase(limit.value(), view.search()))
                .forEach(top::offer);
        List<FleetSharedLimitStats> shown = List.copyOf(top.from(0));
        Map<String, CompletableFuture<FleetView>> looks = new HashMap<>();
        if (ask) {
            shown.stream()
                    .collect(Collectors.groupingBy(
                            FleetSharedLimitStats::name,
                            Collectors.mapping(FleetSharedLimitStats::value, Collectors.toList())))
                    .forEach((name, values) -> looks.put(name, snapshot.lookAtSharedLimit(part.fleet(), name, values)));
        }
        json.put("sharedMatching", top.offered()).beginArray("shared");
        for (FleetSharedLimitStats limit : shown) {
            FleetView.Group seen = seen(looks.get(limit.name()), limit.value());
            json.beginObject()
                    .put(
                            "id",
                            KeyId.of(SharedTable.textOf(limit.name(), limit.value()))
                                    .toString())
                    .put("name", ViewWriter.cut(limit.name()))
                    .put("value", ViewWriter.cut(limit.value()))
                    .put("heldHere", limit.held())
                    .put("usedHere", limit.used())
                    .putLimit("limit", seen == null ? limit.limit() : seen.limit())
                    .put("paused", seen == null ? limit.paused() : seen.paused())
                    .put("held", seen == null ? limit.held() : seen.held())
                    .put("wanted", seen == null ? limit.wanted() : seen.wanted())
                    .put("debt", seen == null ? limit.debt() : seen.debt());
            holders(json, seen);
            json.endObject();
        }
        json.endArray();
    }

    /** {@code null} if the store was not asked, does not answer, or does not know the value. */
    private static FleetView.@Nullable Group seen(@Nullable CompletableFuture<FleetView> look, String value) {
        try {
            return look == null
                    ? null
                    : look.join().groups().stream()
                            .filter(group -> group.groupKey().equals(value))
                            .findFirst()
                            .orElse(null);
        } catch (CompletionException e) {
            return null;
        }
    }

    private static long debtOf(FleetView.@Nullable Group seen) {
        return seen == null ? 0 : seen.debt();
    }

    private static void nodes(JsonWriter json, FleetView seen) {
        json.beginArray("nodes");
        for (FleetView.Node node : seen.nodes()) {
            List<FleetView.Holder> held = seen.groups().stream()
                    .filter(group -> !group.groupKey().isEmpty())
                    .flatMap(group -> group.holders().stream())
                    .filter(holder -> holder.node().equals(node.node()))
                    .toList();
            json.beginObject()
                    .put("node", ViewWriter.cut(node.node()))
                    .put("sessions", node.sessions())
                    .put("expires", node.expiresIn())
                    .put("held", held.stream().mapToLong(FleetView.Holder::held).sum())
                    .put(
                            "wanted",
                            held.stream().mapToLong(FleetView.Holder::wanted).sum())
                    .put("debt", held.stream().mapToLong(FleetView.Holder::debt).sum())
                    .endObject();
        }
        json.endArray();
    }

    private static void row(JsonWriter json, FleetGroupStats group, FleetView.@Nullable Group seen) {
        json.beginObject()
                .put("id", KeyId.of(group.groupKey()).toString())
                .put("key", ViewWriter.cut(group.groupKey()));
        numbers(json, group, seen);
        holders(json, seen);
        json.endObject();
    }

    private static void holders(JsonWriter json, FleetView.@Nullable Group seen) {
        json.beginArray("holders");
        if (seen != null) {
            seen.holders()
                    .forEach(holder -> json.beginObject()
                            .put("node", ViewWriter.cut(holder.node()))
                            .put("held", holder.held())
                            .put("wanted", holder.wanted())
                            .put("debt", holder.debt())
                            .endObject());
        }
        json.endArray();
    }

    /** Of the whole fleet; without an answer of the store, of this JVM. */
    private static void numbers(JsonWriter json, FleetGroupStats here, FleetView.@Nullable Group seen) {
        json.putLimit("limit", seen == null ? here.limit() : seen.limit())
                .put("paused", seen == null ? here.paused() : seen.paused())
                .put("held", seen == null ? here.held() : seen.held())
                .put("wanted", seen == null ? here.wanted() : seen.wanted())
                .put("debt", seen == null ? here.debt() : seen.debt());
    }

    /** Writes what this JVM holds of a group in the fleet of its executor, if it has one that the console shows. */
    static void lease(JsonWriter json, Snapshot snapshot, String executor, String key) {
        for (Snapshot.FleetPart part : snapshot.fleets()) {
            Fleet fleet = part.fleet();
            boolean member = part.stats().sessions().stream()
                    .anyMatch(session -> session.executor().equals(executor));
            Optional<FleetGroupStats> group = member ? fleet.groupStats(key) : Optional.empty();
            if (group.isPresent()) {
                json.beginObject("lease")
                        .put("fleet", ViewWriter.cut(fleet.name()))
                        .put("held", group.get().held())
                        .putLimit("limit", group.get().limit())
                        .put("paused", group.get().paused())
                        .endObject();
                return;
            }
        }
    }
}
