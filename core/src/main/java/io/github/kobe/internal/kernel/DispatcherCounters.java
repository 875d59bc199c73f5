package io.github.kobe.internal.kernel;

import io.github.kobe.internal.stats.Histogram;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of the tasks of all groups, registered and retired. The monitor is held while the counts of a group move over and while all
 * are added up, so that a count is always in exactly one of the two.
 *
 * <p>The groups that are registered when the dispatcher is closed keep their counts for good, so that they can be read afterwards. No group
 * that admits tasks is registered later.
 */
public final class DispatcherCounters {

    private final GroupRegistry registry;
    private final TaskHome detached;
    private final OutcomeCounters retiredOutcomes = new OutcomeCounters();
    private final TaskTimes retiredTimes = new TaskTimes();

    /** The groups that keep their counts; {@code null} before the close. Written once, under the monitor, and not changed after that. */
    private volatile @Nullable Map<String, Group> kept;

    DispatcherCounters(GroupRegistry registry, TaskHome detached) {
        this.registry = registry;
        this.detached = detached;
    }

    /**
     * From now on, the groups that are registered keep their counts.
     *
     * @return these groups
     */
    synchronized List<Group> keepGroups() {
        Map<String, Group> groups = new HashMap<>();
        registry.groups().forEach(group -> groups.put(group.key(), group));
        kept = groups;
        return List.copyOf(groups.values());
    }

    /** Whether the group has the counts of its tasks: it has not retired, or it keeps them. */
    public boolean areIn(Group group) {
        return !group.isRetired() || keeps(group);
    }

    @SuppressWarnings("ReferenceEquality") // another group may have the same key
    private boolean keeps(Group group) {
        Map<String, Group> groups = kept;
        return groups != null && groups.get(group.key()) == group;
    }

    /** The groups that have counts: the registered ones; after the close, those that were registered then. */
    public Collection<Group> groups() {
        Map<String, Group> groups = kept;
        return groups == null ? registry.groups() : groups.values();
    }

    /** The group {@code key} if it is one of {@link #groups}. */
    public @Nullable Group group(String key) {
        Map<String, Group> groups = kept;
        return groups == null ? registry.get(key) : groups.get(key);
    }

    /** Takes a retired group out of the registry. The thread that removes it takes its counts over. */
    synchronized void remove(Group group) {
        if (registry.remove(group) && !keeps(group)) {
            group.moveCountsTo(retiredOutcomes);
            TaskTimes times = group.times();
            if (times != null) {
                times.addTo(retiredTimes);
            }
        }
    }

    /**
     * Something was counted after the group had retired. If it is still registered, the thread that retired it takes that count over too: it
     * takes the monitor after this thread.
     */
    @SuppressWarnings("ReferenceEquality") // another group may have the same key
    synchronized void countedLate(Group group) {
        if (registry.get(group.key()) != group && !keeps(group)) {
            group.moveCountsTo(retiredOutcomes);
        }
    }

    /** The outcomes of tasks, by slot. */
    public synchronized long[] counts() {
        long[] sums = new long[OutcomeCounters.SLOTS];
        detached.addCountsTo(sums);
        sums[OutcomeCounters.ADMITTED] = 0; // users did not submit those
        retiredOutcomes.addTo(sums);
        forEachCounting(group -> group.addCountsTo(sums));
        return sums;
    }

    /** Passes each group whose counts are not among those of the retired ones. */
    private void forEachCounting(Consumer<Group> action) {
        groups().forEach(action);
        if (kept != null) {
            registry.groups().stream().filter(group -> !keeps(group)).forEach(action);
        }
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
        forEachCounting(group -> {
            TaskTimes times = group.times();
            if (times != null) {
                which.apply(times).addTo(sum);
            }
        });
        return sum;
    }
}
