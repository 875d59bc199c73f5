package io.github.kobe.pool;

import io.github.kobe.TaskCounts;
import java.util.ArrayList;
import java.util.List;

/**
 * What a pool did before its last restart. A task that a shutdown stopped while it was on its way to a worker is counted when it
 * arrives there, which may be after the restart; so runs are kept until nothing of them is left.
 */
final class History {

    private final List<PoolRun> open = new ArrayList<>();
    private TaskCounts settled = TaskCounts.none();
    private int restarts;

    synchronized void add(PoolRun past) {
        open.add(past);
        restarts++;
    }

    synchronized TaskCounts counts() {
        open.removeIf(this::settles);
        return open.stream().map(run -> run.tasks().counts()).reduce(settled, TaskCounts::plus);
    }

    private boolean settles(PoolRun past) {
        boolean drained = past.hasDrained();
        if (drained) {
            settled = settled.plus(past.tasks().counts());
        }
        return drained;
    }

    synchronized int restarts() {
        return restarts;
    }
}
