package io.github.kobe.console;

import io.github.kobe.LiveSharedLimit;
import io.github.kobe.SharedLimitStats;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of shared limits that a client shows.
 *
 * @param known how many values groups belong to, whether they match or not
 * @param matching how many values match the search
 * @param rows the first of them
 */
record SharedTable(int known, int matching, List<Row> rows) {

    /**
     * A value of a shared limit.
     *
     * @param executor the position of its executor
     * @param known whether a group belongs to it; otherwise it has settings only, and {@code stats} says so
     */
    record Row(
            int executor,
            SharedLimitStats stats,
            boolean known,
            @Nullable LiveSharedLimit live) {

        KeyId id() {
            return KeyId.of(textOf(stats.name(), stats.value()));
        }
    }

    /** Most waiting groups first, then those that are fullest. */
    private static final Comparator<Row> MOST_WAITING = Comparator.comparingInt(
                    (Row row) -> row.stats.waitingGroupCount())
            .thenComparingDouble(row -> (double) row.stats.activeCount() / row.stats.max())
            .thenComparingInt(row -> row.stats.activeCount())
            .reversed()
            .thenComparing(row -> row.stats.name())
            .thenComparing(row -> row.stats.value())
            .thenComparingInt(Row::executor);

    static SharedTable of(List<Snapshot.Shared> executors, View view) {
        TopRows<Row> top = new TopRows<>(view.size(), MOST_WAITING);
        int known = 0;
        for (int i = 0; i < executors.size(); i++) {
            known += executors.get(i).stats().size();
            if (view.executor() < 0 || view.executor() == i) {
                offer(executors.get(i), i, view, top);
            }
        }
        return new SharedTable(known, top.offered(), top.from(0));
    }

    private static void offer(Snapshot.Shared shared, int executor, View view, TopRows<Row> top) {
        Map<String, LiveSharedLimit> live = new HashMap<>(shared.live());
        for (SharedLimitStats stats : shared.stats()) {
            LiveSharedLimit own = live.isEmpty() ? null : live.remove(textOf(stats.name(), stats.value()));
            if (matches(stats, view)) {
                top.offer(new Row(executor, stats, true, own));
            }
        }
        for (LiveSharedLimit only : live.values()) {
            SharedLimitStats stats = withoutGroups(only);
            if (matches(stats, view)) {
                top.offer(new Row(executor, stats, false, only));
            }
        }
    }

    private static boolean matches(SharedLimitStats stats, View view) {
        return view.search().isEmpty()
                || GroupTable.containsIgnoringCase(stats.name() + " " + stats.value(), view.search());
    }

    private static SharedLimitStats withoutGroups(LiveSharedLimit live) {
        return new SharedLimitStats(
                live.name(), live.value(), 0, 0, live.max().orElse(Integer.MAX_VALUE), live.paused(), 0);
    }

    /** Returns the row that a client has open; {@code null} if it does not exist any more. */
    static @Nullable Row find(List<Snapshot.Shared> executors, View.GroupRef wanted) {
        if (wanted.executor() >= executors.size()) {
            return null;
        }
        Snapshot.Shared shared = executors.get(wanted.executor());
        for (SharedLimitStats stats : shared.stats()) {
            String text = textOf(stats.name(), stats.value());
            if (wanted.id().matches(text)) {
                return new Row(wanted.executor(), stats, true, shared.live().get(text));
            }
        }
        for (Map.Entry<String, LiveSharedLimit> only : shared.live().entrySet()) {
            if (wanted.id().matches(only.getKey())) {
                return new Row(wanted.executor(), withoutGroups(only.getValue()), false, only.getValue());
            }
        }
        return null;
    }

    /** Returns a text that no other name and value have. */
    static String textOf(String name, String value) {
        return name.length() + " " + name + value;
    }
}
