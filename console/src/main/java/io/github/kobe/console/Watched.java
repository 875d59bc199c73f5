package io.github.kobe.console;

import io.github.kobe.GroupExecutor;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.pool.WorkerPool;
import java.util.List;

/** The executors and fleets that a console shows. A request names one by its position in its list, since names need not differ. */
record Watched(
        List<GroupExecutor> groups, List<WorkerPool> pools, List<IsolationExecutor> isolation, List<Fleet> fleets) {

    Watched {
        groups = List.copyOf(groups);
        pools = List.copyOf(pools);
        isolation = List.copyOf(isolation);
        fleets = List.copyOf(fleets);
    }

    /** Returns how many group executors have shared limits in their policy. */
    long executorsWithSharedLimits() {
        return groups.stream()
                .filter(executor -> !executor.sharedLimitNames().isEmpty())
                .count();
    }

    boolean isEmpty() {
        return groups.isEmpty() && pools.isEmpty() && isolation.isEmpty() && fleets.isEmpty();
    }
}
