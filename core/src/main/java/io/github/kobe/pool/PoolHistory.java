package io.github.kobe.pool;

import io.github.kobe.TaskCounts;
import java.util.ArrayList;
import java.util.List;

/**
 * What a pool did before its last restart. A task that a shutdown stopped while it was on its way to a worker is counted when it
 * arrives there, which may be after the restart; one that its submitter runs, when that is through with it. So runs are kept until nothing
 * of them is left and every task that was counted as submitted is counted as ended. A submitter that was let go by the shutdown, or refused
 * just before, is not counted at all for a few steps; so the latest runs are kept in any case.
 */
final class PoolHistory {

    private static final int LATEST = 4;

    private final List<PoolGeneration> open = new ArrayList<>();
    private TaskCounts settled = TaskCounts.none();
    private int restarts;

    synchronized void add(PoolGeneration past) {
        open.add(past);
        restarts++;
    }

    synchronized TaskCounts counts() {
        open.subList(0, Math.max(0, open.size() - LATEST)).removeIf(this::settles);
        return open.stream().map(run -> run.tasks().counts()).reduce(settled, TaskCounts::plus);
    }

    private boolean settles(PoolGeneration past) {
        if (!past.hasDrained()) {
            return false;
        }
        TaskCounts counts = past.tasks().counts();
        boolean all =
                counts.submitted() == counts.succeeded() + counts.failed() + counts.cancelled() + counts.rejected();
        if (all) {
            settled = settled.plus(counts);
        }
        return all;
    }

    synchronized int restarts() {
        return restarts;
    }
}
