package io.github.kobe.console;

import io.github.kobe.GroupExecutor;
import io.github.kobe.SharedLimitStats;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes what one client shows of shared limits, as JSON. */
final class SharedWriter {

    private static final int MAX_WAITING = 50;

    private SharedWriter() {}

    static void write(JsonWriter json, Snapshot snapshot, View view) {
        List<Snapshot.Shared> executors = snapshot.shared();
        SharedTable table = SharedTable.of(executors, view);
        json.beginObject("shared").beginArray("executors");
        executors.forEach(shared -> json.beginObject()
                .put("name", ViewWriter.cut(shared.executor().name()))
                .endObject());
        json.endArray().put("known", table.known()).put("matching", table.matching());
        json.beginArray("rows");
        table.rows().forEach(row -> {
            json.beginObject();
            row(json, row);
            json.endObject();
        });
        json.endArray();
        View.GroupRef wanted = view.detail();
        if (wanted != null) {
            detail(json, snapshot, SharedTable.find(executors, wanted));
        }
        json.endObject();
    }

    private static void row(JsonWriter json, SharedTable.Row row) {
        json.put("id", row.executor() + "." + row.id())
                .put("executor", row.executor())
                .put("known", row.known())
                .put("changed", row.live() != null);
        numbers(json, row.stats());
    }

    private static void numbers(JsonWriter json, SharedLimitStats stats) {
        json.put("name", ViewWriter.cut(stats.name()))
                .put("value", ViewWriter.cut(stats.value()))
                .put("running", stats.activeCount())
                .putLimit("limit", stats.max())
                .putLimit("leased", stats.leasedPermits())
                .put("waiting", stats.waitingGroupCount())
                .put("groups", stats.groupCount())
                .put("paused", stats.paused());
    }

    /** A value that does not exist any more is written as {@code null}: the page says so. */
    private static void detail(JsonWriter json, Snapshot snapshot, SharedTable.@Nullable Row row) {
        if (row == null) {
            json.put("detail", (String) null);
            return;
        }
        json.beginObject("detail");
        row(json, row);
        GroupExecutor executor = snapshot.shared().get(row.executor()).executor();
        Set<String> waiting = snapshot.waitingFor(executor, row.stats());
        json.put("waitingCount", waiting.size()).beginArray("waitingGroups");
        waiting.stream()
                .sorted()
                .limit(MAX_WAITING)
                .forEach(key -> json.beginObject()
                        .put("id", row.executor() + "." + KeyId.of(key))
                        .put("key", ViewWriter.cut(key))
                        .endObject());
        json.endArray().endObject();
    }

    /** Writes the shared limits that a group belongs to. */
    static void ofGroup(JsonWriter json, GroupExecutor executor, String key) {
        json.beginArray("shared");
        executor.sharedLimits(key).forEach(stats -> {
            json.beginObject();
            numbers(json, stats);
            json.endObject();
        });
        json.endArray();
    }
}
