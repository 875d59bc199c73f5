package io.github.kobe.internal.kernel;

import io.github.kobe.internal.stats.Histogram;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * What the tickets of all groups came to, of those that are and those that were. The monitor is held while the counts of a group move
 * over, and while all are added up, so that there is no moment in which they are in neither place.
 */
public final class DispatcherCounters {

    private final ConcurrentHashMap<String, Group> groups;
    private final Group detached;
    private final OutcomeCounters retiredOutcomes = new OutcomeCounters(); // of groups that are no more
    private final TaskTimes retiredTimes = new TaskTimes(); // likewise

    DispatcherCounters(ConcurrentHashMap<String, Group> groups, Group detached) {
        this.groups = groups;
        this.detached = detached;
    }

    /** Whoever takes the group out of the map takes over what it has counted. */
    synchronized void remove(Group group) {
        if (groups.remove(group.key(), group)) {
            takeOver(group);
            TaskTimes its = group.times();
            if (its != null) {
                its.addTo(retiredTimes);
            }
        }
    }

    /** Takes over what was counted for a group that is no more. */
    synchronized void takeOver(Group group) {
        group.moveCountsTo(retiredOutcomes);
    }

    /** What tickets came to, by slot. */
    public synchronized long[] counts() {
        long[] sums = new long[OutcomeCounters.SLOTS];
        retiredOutcomes.addTo(sums);
        detached.addCountsTo(sums);
        sums[OutcomeCounters.ADMITTED] -= detached.admitted; // which are none that anybody submitted
        groups.values().forEach(group -> group.addCountsTo(sums));
        return sums;
    }

    /** How long tickets waited; empty unless that is recorded. */
    public Histogram waitingTimes() {
        return retiredTimes(TaskTimes::waiting);
    }

    /** How long tickets held their places; empty unless that is recorded. */
    public Histogram runningTimes() {
        return retiredTimes(TaskTimes::running);
    }

    private synchronized Histogram retiredTimes(Function<TaskTimes, Histogram> which) {
        Histogram sum = new Histogram();
        which.apply(retiredTimes).addTo(sum);
        for (Group group : groups.values()) {
            TaskTimes its = group.times();
            if (its != null) {
                which.apply(its).addTo(sum);
            }
        }
        return sum;
    }
}
