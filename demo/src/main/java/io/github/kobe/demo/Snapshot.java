package io.github.kobe.demo;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupStats;
import java.util.List;
import java.util.Optional;

/** What the table shows: the executor's own figures for what runs and waits, the ledger's for what has ended. */
record Snapshot(long millis, List<Line> groups, Line all) {

    /** One line of the table. */
    record Line(String name, int limit, int running, int waiting, int done, int rejected) {}

    static Snapshot of(GroupExecutor executor, Ledger ledger, long millis) {
        List<Line> groups = ledger.groups().stream()
                .map(tally -> group(executor.groupStats(tally.name), tally))
                .toList();
        GroupExecutorStats stats = executor.stats();
        return new Snapshot(millis, groups, line(ledger.all(), stats.globalInFlightUsed(), stats.totalQueuedCount()));
    }

    private static Line group(Optional<GroupStats> stats, Tally tally) {
        return line(
                tally,
                stats.map(GroupStats::activeCount).orElse(0),
                stats.map(GroupStats::queuedCount).orElse(0));
    }

    private static Line line(Tally tally, int running, int waiting) {
        return new Line(tally.name, tally.limit, running, waiting, tally.done.get(), tally.rejected.get());
    }
}
