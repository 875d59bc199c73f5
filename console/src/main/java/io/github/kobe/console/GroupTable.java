package io.github.kobe.console;

import io.github.kobe.GroupLoad;
import io.github.kobe.LiveSettings;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The rows of the groups that a client shows.
 *
 * @param matching how many groups match the search and the filter
 * @param rows those of the page, in order
 */
record GroupTable(int matching, List<Row> rows) {

    /**
     * A group.
     *
     * @param executor the position of its executor
     * @param known whether the executor knows it; otherwise it has settings but no tasks
     */
    record Row(int executor, GroupLoad load, boolean known) {}

    private static final Comparator<GroupLoad> BY_KEY = Comparator.comparing(GroupLoad::groupKey);

    static GroupTable of(List<Snapshot.Groups> executors, View view) {
        int last = view.firstRow() + view.size();
        Comparator<GroupLoad> order = order(view.sort());
        TopRows<Row> top = new TopRows<>(last, (a, b) -> order.compare(a.load(), b.load()));
        int matching = 0;
        for (int i = 0; i < executors.size(); i++) {
            if (view.executor() < 0 || view.executor() == i) {
                matching += offer(executors.get(i), i, view, order, top);
            }
        }
        return new GroupTable(matching, top.from(view.firstRow()));
    }

    /** Ranks the groups of one executor before it makes a row of any: most groups are on no page. */
    private static int offer(
            Snapshot.Groups groups, int executor, View view, Comparator<GroupLoad> order, TopRows<Row> all) {
        TopRows<GroupLoad> top = new TopRows<>(view.firstRow() + view.size(), order);
        Map<String, LiveSettings> unknown =
                view.filter() == View.Filter.CHANGED ? new HashMap<>(groups.live()) : Map.of();
        for (GroupLoad load : groups.loads()) {
            if (isShown(load, groups, view)) {
                top.offer(load);
            }
            if (!unknown.isEmpty()) {
                unknown.remove(load.groupKey());
            }
        }
        unknown.forEach((key, settings) -> {
            if (containsIgnoringCase(key, view.search())) {
                top.offer(withoutTasks(key, settings));
            }
        });
        top.from(0).forEach(load -> all.offer(new Row(executor, load, !unknown.containsKey(load.groupKey()))));
        return top.offered();
    }

    private static GroupLoad withoutTasks(String key, LiveSettings settings) {
        return new GroupLoad(
                key,
                0,
                0,
                Math.min(
                        settings.maxConcurrency().orElse(Integer.MAX_VALUE),
                        settings.maxInFlight().orElse(Integer.MAX_VALUE)),
                settings.queueThreshold().orElse(Integer.MAX_VALUE),
                settings.paused(),
                Duration.ZERO);
    }

    private static boolean isShown(GroupLoad load, Snapshot.Groups groups, View view) {
        boolean passes = switch (view.filter()) {
            case ALL -> true;
            case WAITING -> load.queuedCount() > 0;
            case PAUSED -> load.paused();
            case CHANGED -> groups.live().containsKey(load.groupKey());
        };
        return passes && containsIgnoringCase(load.groupKey(), view.search());
    }

    private static Comparator<GroupLoad> order(View.Sort sort) {
        return switch (sort) {
            case WAIT -> GroupTable::byWait;
            case QUEUED -> GroupTable::byQueued;
            case RUNNING -> GroupTable::byRunning;
            case KEY -> BY_KEY;
        };
    }

    private static int byWait(GroupLoad a, GroupLoad b) {
        int order = b.oldestWaiting().compareTo(a.oldestWaiting());
        return order != 0 ? order : byQueued(a, b);
    }

    private static int byQueued(GroupLoad a, GroupLoad b) {
        int order = Integer.compare(b.queuedCount(), a.queuedCount());
        return order != 0 ? order : byRunning(a, b);
    }

    private static int byRunning(GroupLoad a, GroupLoad b) {
        int order = Integer.compare(b.activeCount(), a.activeCount());
        return order != 0 ? order : BY_KEY.compare(a, b);
    }

    /** @param part in lower case */
    static boolean containsIgnoringCase(String key, String part) {
        return part.isEmpty() || key.toLowerCase(Locale.ROOT).contains(part);
    }
}
