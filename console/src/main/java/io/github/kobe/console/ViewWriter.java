package io.github.kobe.console;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupLoad;
import io.github.kobe.GroupStats;
import io.github.kobe.LiveSettings;
import io.github.kobe.RejectionReason;
import io.github.kobe.RunningTask;
import io.github.kobe.TaskCounts;
import io.github.kobe.TimeStats;
import io.github.kobe.isolation.Decision;
import io.github.kobe.isolation.IsolationStats;
import io.github.kobe.isolation.KeyStats;
import io.github.kobe.isolation.Lane;
import io.github.kobe.isolation.LaneStats;
import io.github.kobe.pool.SizingDecision;
import io.github.kobe.pool.WorkerPoolStats;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Writes what one client shows of a snapshot, as JSON. Times are in milliseconds. */
final class ViewWriter {

    /** How much of a text that others have chosen is shown. */
    private static final int MAX_TEXT = 200;

    private static final int MAX_TAGS = 50;
    private static final int MAX_RUNNING_TASKS = 20;
    private static final int MAX_DECISIONS = 50;
    private static final double NANOS_PER_MILLI = 1e6;

    /** The keys that an operator looks for first: the longest queue, then the most running tasks, then the slowest. */
    private static final Comparator<KeyStats> BUSIEST_KEY = Comparator.comparingInt(KeyStats::queued)
            .thenComparingInt(KeyStats::running)
            .thenComparing(KeyStats::typical)
            .reversed()
            .thenComparing(KeyStats::key);

    private final String title;
    private final boolean editable;
    private final Watched watched;
    private final ChangeLog changes;

    ViewWriter(String title, boolean editable, Watched watched, ChangeLog changes) {
        this.title = title;
        this.editable = editable;
        this.watched = watched;
        this.changes = changes;
    }

    /** @param interval how long after a snapshot the next one is due, in nanoseconds. It depends on what was read of the snapshot */
    String write(Snapshot snapshot, View view, ToLongFunction<Snapshot> interval) {
        JsonWriter json = new JsonWriter().beginObject();
        switch (view.tab()) {
            case GROUPS -> groups(json, snapshot, view);
            case SHARED -> SharedWriter.write(json, snapshot, view);
            case POOLS -> pools(json, snapshot);
            case ISOLATION -> isolation(json, snapshot, view);
            case FLEET -> FleetWriter.write(json, snapshot, view);
            case CHANGES -> changes(json);
        }
        json.put("title", title).put("editable", editable);
        json.beginObject("tabs")
                .put("groups", watched.groups().size())
                .put("shared", watched.executorsWithSharedLimits())
                .put("pools", watched.pools().size())
                .put("isolation", watched.isolation().size())
                .put("fleet", watched.fleets().size())
                .put("changes", changes.count())
                .endObject();
        json.put("at", snapshot.wallMillis())
                .put("every", interval.applyAsLong(snapshot) / NANOS_PER_MILLI)
                .put("cost", snapshot.costNanos() / NANOS_PER_MILLI);
        return json.endObject().toString();
    }

    // ---- groups ----------------------------------------------------------------------------------------------------

    private void groups(JsonWriter json, Snapshot snapshot, View view) {
        List<Snapshot.Groups> executors = snapshot.groups();
        GroupTable table = GroupTable.of(executors, view);
        json.beginObject("groups");
        json.beginArray("executors");
        executors.forEach(groups -> executor(json, groups));
        json.endArray();
        json.put("matching", table.matching())
                .put("pages", Math.min((table.matching() + view.size() - 1) / view.size(), View.MAX_ROWS / view.size()))
                .put("page", view.page());
        json.beginArray("rows");
        table.rows().forEach(row -> row(json, snapshot, executors, row));
        json.endArray();
        View.GroupRef detail = view.detail();
        if (detail != null) {
            detail(json, snapshot, executors, detail);
        }
        json.endObject();
    }

    private static void executor(JsonWriter json, Snapshot.Groups groups) {
        GroupExecutor executor = groups.executor();
        GroupExecutorStats stats = groups.stats();
        json.beginObject()
                .put("name", cut(executor.name()))
                .put("groups", stats.activeGroupCount())
                .put("running", stats.globalInFlightUsed())
                .putLimit("limit", stats.globalInFlightMax())
                .putLimit("defaultLimit", executor.defaultMaxConcurrency())
                .put("queued", stats.totalQueuedCount())
                .put("wait", stats.oldestWaiting())
                .put("paused", stats.pausedGroupCount())
                .put("changed", groups.live().size())
                .put("retrying", stats.totalRetryingCount())
                .put("blocked", stats.blockedSubmitters())
                .put("faults", executor.callbackFaults());
        counts(json, stats.counts());
        times(json, "waiting", stats.waitingTime());
        times(json, "ran", stats.runningTime());
        json.endObject();
    }

    private static void row(JsonWriter json, Snapshot snapshot, List<Snapshot.Groups> executors, GroupTable.Row row) {
        Snapshot.Groups groups = executors.get(row.executor());
        GroupLoad load = row.load();
        json.beginObject();
        identity(json, row.executor(), load.groupKey(), groups.live().containsKey(load.groupKey()));
        json.put("known", row.known())
                .put("running", load.activeCount())
                .putLimit("limit", load.limit())
                .put("queued", load.queuedCount())
                .putLimit("capacity", load.queueCapacity())
                .put("paused", load.paused())
                .put("wait", load.oldestWaiting());
        snapshot.groupStats(groups.executor(), load.groupKey()).ifPresent(stats -> {
            json.put("typical", stats.typicalRun()).put("retrying", stats.retryingCount());
            counts(json, stats.counts());
        });
        json.endObject();
    }

    private static void identity(JsonWriter json, int executor, String key, boolean changed) {
        json.put("id", executor + "." + KeyId.of(key))
                .put("executor", executor)
                .put("key", cut(key))
                .put("changed", changed);
    }

    /** A group that is not known any more is written as {@code null}: the page says so. */
    private static void detail(
            JsonWriter json, Snapshot snapshot, List<Snapshot.Groups> executors, View.GroupRef wanted) {
        Snapshot.Groups groups = wanted.executor() < executors.size() ? executors.get(wanted.executor()) : null;
        String key = groups == null ? null : keyOf(groups, wanted.id());
        if (groups == null || key == null) {
            json.put("detail", (String) null);
            return;
        }
        LiveSettings live = groups.live().get(key);
        json.beginObject("detail");
        identity(json, wanted.executor(), key, live != null);
        json.put("length", key.length());
        live(json, live);
        Optional<GroupStats> known = snapshot.groupStats(groups.executor(), key);
        json.put("known", known.isPresent());
        known.ifPresent(stats -> detail(json, stats));
        SharedWriter.ofGroup(json, groups.executor(), key);
        FleetWriter.lease(json, snapshot, groups.executor().name(), key);
        json.beginArray("tasks");
        groups.executor().runningTasks(key).stream().limit(MAX_RUNNING_TASKS).forEach(task -> task(json, task));
        json.endArray();
        json.endObject();
    }

    private static @Nullable String keyOf(Snapshot.Groups groups, KeyId id) {
        for (GroupLoad load : groups.loads()) {
            if (id.matches(load.groupKey())) {
                return load.groupKey();
            }
        }
        for (String key : groups.live().keySet()) {
            if (id.matches(key)) {
                return key;
            }
        }
        return null;
    }

    private static void live(JsonWriter json, @Nullable LiveSettings live) {
        json.beginObject("live");
        if (live != null) {
            setting(json, "limit", live.maxConcurrency());
            setting(json, "inFlight", live.maxInFlight());
            setting(json, "capacity", live.queueThreshold());
            setting(json, "weight", live.weight());
            json.put("paused", live.paused());
        }
        json.endObject();
    }

    private static void setting(JsonWriter json, String name, OptionalInt value) {
        value.ifPresent(number -> json.putLimit(name, number));
    }

    private static void detail(JsonWriter json, GroupStats stats) {
        json.put("running", stats.activeCount())
                .putLimit("limit", stats.limit())
                .putLimit("maxConcurrency", stats.maxConcurrency())
                .putLimit("maxInFlight", stats.maxInFlight())
                .put("queued", stats.queuedCount())
                .putLimit("capacity", stats.queueCapacity())
                .put("weight", stats.weight())
                .put("paused", stats.paused())
                .put("wait", stats.oldestWaiting())
                .put("oldestRunning", stats.oldestRunning())
                .put("typical", stats.typicalRun())
                .put("retrying", stats.retryingCount())
                .put("blocked", stats.blockedSubmitters());
        counts(json, stats.counts());
        times(json, "waiting", stats.waitingTime());
        times(json, "ran", stats.runningTime());
        tags(json, stats.completedByTag());
    }

    private static void tags(JsonWriter json, Map<String, Long> completedByTag) {
        json.put("tagCount", completedByTag.size()).beginArray("tags");
        completedByTag.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .limit(MAX_TAGS)
                .forEach(tag -> json.beginObject()
                        .put("tag", cut(tag.getKey()))
                        .put("completed", tag.getValue())
                        .endObject());
        json.endArray();
    }

    private static void task(JsonWriter json, RunningTask task) {
        json.beginObject()
                .put("group", cut(task.groupKey()))
                .put("task", cut(task.taskId()))
                .put("tag", cut(task.tag()))
                .put("running", task.running())
                .put("thread", cut(task.threadName()))
                .put("threadId", task.threadId())
                .endObject();
    }

    private static void counts(JsonWriter json, TaskCounts counts) {
        json.put("submitted", counts.submitted())
                .put("succeeded", counts.succeeded())
                .put("failed", counts.failed())
                .put("timedOut", counts.timedOut())
                .put("cancelled", counts.cancelled())
                .put("retried", counts.retried())
                .put("rejected", counts.rejected());
        json.beginObject("reasons");
        for (Map.Entry<RejectionReason, Long> reason : counts.rejectedByReason().entrySet()) {
            json.put(words(reason.getKey()), reason.getValue());
        }
        json.endObject();
    }

    /** Without times, because none are recorded, or because there are none yet: only how many there are. */
    private static void times(JsonWriter json, String name, TimeStats times) {
        json.beginObject(name).put("count", times.count());
        if (times.count() > 0) {
            json.put("mean", times.mean())
                    .put("p50", times.p50())
                    .put("p90", times.p90())
                    .put("p99", times.p99())
                    .put("max", times.max());
        }
        json.endObject();
    }

    // ---- pools -----------------------------------------------------------------------------------------------------

    private static void pools(JsonWriter json, Snapshot snapshot) {
        json.beginArray("pools");
        snapshot.pools().forEach(pool -> pool(json, pool));
        json.endArray();
    }

    private static void pool(JsonWriter json, Snapshot.Pool pool) {
        WorkerPoolStats stats = pool.stats();
        json.beginObject()
                .put("name", cut(stats.name()))
                .put("closed", pool.pool().isShutdown())
                .put("workers", stats.workers())
                .put("active", stats.activeWorkers())
                .put("min", stats.minWorkers())
                .put("max", stats.maxWorkers())
                .put("size", stats.size())
                .put("busy", stats.busyShare())
                .put("queued", stats.queuedTasks())
                .putLimit("capacity", stats.queueCapacity())
                .put("blocked", stats.blockedSubmitters())
                .put("wait", stats.oldestWaiting())
                .put("zombies", stats.zombies())
                .put("replaced", stats.replaced())
                .put("restarts", stats.restarts())
                .put("faults", pool.pool().callbackFaults())
                .put("advice", stats.advice());
        counts(json, stats.lifetimeCounts());
        json.beginArray("decisions");
        List<SizingDecision> decisions = stats.sizingDecisions();
        decisions.reversed().stream()
                .limit(MAX_DECISIONS)
                .forEach(decision -> json.beginObject()
                        .put("at", decision.at().toEpochMilli())
                        .put("from", decision.from())
                        .put("to", decision.to())
                        .put("why", decision.why())
                        .endObject());
        json.endArray();
        json.beginArray("tasks");
        pool.pool().runningTasks().stream().limit(MAX_RUNNING_TASKS).forEach(task -> task(json, task));
        json.endArray();
        json.endObject();
    }

    // ---- isolation -------------------------------------------------------------------------------------------------

    private static void isolation(JsonWriter json, Snapshot snapshot, View view) {
        json.beginArray("isolation");
        snapshot.isolation().forEach(executor -> isolation(json, executor, view));
        json.endArray();
    }

    private static void isolation(JsonWriter json, Snapshot.Isolation isolation, View view) {
        IsolationStats stats = isolation.stats();
        json.beginObject()
                .put("name", cut(isolation.executor().name()))
                .put("running", stats.running())
                .put("limit", stats.maxConcurrency())
                .put("queued", stats.queued())
                .putLimit("capacity", isolation.executor().queueCapacity())
                .put("reserve", stats.reserve())
                .put("faults", isolation.executor().callbackFaults());
        counts(json, stats.counts());
        json.beginArray("lanes");
        for (Lane lane : Lane.values()) {
            LaneStats of = stats.lane(lane);
            json.beginObject()
                    .put("lane", words(lane))
                    .put("running", of.running())
                    .put("started", of.started());
            times(json, "waiting", of.waiting());
            json.endObject();
        }
        json.endArray();
        keys(json, stats, view);
        json.beginArray("decisions");
        stats.decisions().reversed().stream().limit(MAX_DECISIONS).forEach(decision -> decision(json, decision));
        json.endArray();
        json.endObject();
    }

    private static void keys(JsonWriter json, IsolationStats stats, View view) {
        TopRows<KeyStats> top = new TopRows<>(view.size(), BUSIEST_KEY);
        for (KeyStats key : stats.keys().values()) {
            if (GroupTable.containsIgnoringCase(key.key(), view.search())) {
                top.offer(key);
            }
        }
        json.put("known", stats.keys().size()).put("matching", top.offered()).beginArray("keys");
        top.from(0)
                .forEach(key -> json.beginObject()
                        .put("id", KeyId.of(key.key()).toString())
                        .put("key", cut(key.key()))
                        .put("lane", words(key.lane()))
                        .put("running", key.running())
                        .put("queued", key.queued())
                        .put("completed", key.completed())
                        .put("typical", key.typical())
                        .endObject());
        json.endArray();
    }

    private static void decision(JsonWriter json, Decision decision) {
        json.beginObject().put("at", decision.at());
        switch (decision) {
            case Decision.LaneChange change ->
                json.put("key", cut(change.key()))
                        .put("from", words(change.from()))
                        .put("to", words(change.to()));
            case Decision.ReserveChange change ->
                json.put("from", Integer.toString(change.from())).put("to", Integer.toString(change.to()));
        }
        json.endObject();
    }

    // ---- changes ---------------------------------------------------------------------------------------------------

    private void changes(JsonWriter json) {
        json.beginArray("changes");
        changes.latest().forEach(change -> change(json.beginObject(), change).endObject());
        json.endArray();
    }

    /** Writes the members of a change. */
    static JsonWriter change(JsonWriter json, Change change) {
        return json.put("number", change.number())
                .put("at", change.at().toEpochMilli())
                .put("who", change.who())
                .put("what", change.what())
                .put("from", change.from())
                .put("to", change.to());
    }

    static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
    }

    /** Returns the name of a constant in words, such as "group queue full". */
    static String words(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
