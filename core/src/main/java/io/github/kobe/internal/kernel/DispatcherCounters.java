package io.github.kobe.internal.kernel;

import io.github.kobe.internal.stats.Histogram;
import java.util.function.Function;

/**
 * The outcomes of the tasks of all groups, registered and retired. The monitor is held while the counts of a group move over and while all
 * are added up, so that a count is always in exactly one of the two.
 */
public final class DispatcherCounters {

    private final GroupRegistry registry;
    private final TaskHome detached;
    private final OutcomeCounters retiredOutcomes = new OutcomeCounters();
    private final TaskTimes retiredTimes = new TaskTimes();

    DispatcherCounters(GroupRegistry registry, TaskHome detached) {
        this.registry = registry;
        this.detached = detached;
    }

    /** Takes a retired group out of the registry. The thread that removes it takes its counts over. */
    synchronized void remove(Group group) {
        if (registry.remove(group)) {
            takeOver(group);
            TaskTimes times = group.times();
            if (times != null) {
                times.addTo(retiredTimes);
            }
        }
    }

    /** Takes over what a retired group has counted. */
    synchronized void takeOver(Group group) {
        group.moveCountsTo(retiredOutcomes);
    }

    /** The outcomes of tasks, by slot. */
    public synchronized long[] counts() {
        long[] sums = new long[OutcomeCounters.SLOTS];
        detached.addCountsTo(sums);
        sums[OutcomeCounters.ADMITTED] = 0; // users did not submit those
        retiredOutcomes.addTo(sums);
        registry.groups().forEach(group -> group.addCountsTo(sums));
        return sums;
    }

    /** How long tasks were queued; empty unless times are recorded. */
    public Histogram waitingTimes() {
        return sum(TaskTimes::waiting);
    }

    /** How long tasks held their permits; empty unless times are recorded. */
    public Histogram runningTimes() {
        return sum(TaskTimes::running);
    }

    private synchronized Histogram sum(Function<TaskTimes, Histogram> which) {
        Histogram sum = new Histogram();
        which.apply(retiredTimes).addTo(sum);
        for (Group group : registry.groups()) {
            TaskTimes times = group.times();
            if (times != null) {
                which.apply(times).addTo(sum);
            }
        }
        return sum;
    }
}
