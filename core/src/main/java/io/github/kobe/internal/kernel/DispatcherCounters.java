package io.github.kobe.internal.kernel;

import io.github.kobe.internal.stats.Histogram;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of the tasks of all groups, registered and retired. The monitor is held while the counts of a group move over and while all
 * are added up, so that a count is always in exactly one of the two.
 *
 * <p>The groups that are registered when the dispatcher is closed keep their counts for good, so that they can be read afterwards. No group
 * that admits tasks is registered later.
 *
 * <p><b>Handing over.</b> A {@link RetirementListener} gets the counts of a group once, when the group has been removed and its counts have an
 * outcome for each task. Both are needed: a rejected task that its submitter or a rejection handler runs is counted as submitted at once, and its
 * outcome is counted when it returns, maybe long after the group has retired; and after a close a group retires before its last outcomes are counted.
 * Until then, the counts are in {@code incomplete}. One thing can be counted after that: a task that the group has rejected, by a submitter that
 * was between the rejection and the count when the group retired. That is handed over in another call, with its outcome. So at any time, what
 * was handed over, {@code incomplete}, and the counts of the registered groups add up to the counts of all groups.
 */
public final class DispatcherCounters {

    private final GroupRegistry registry;
    private final TaskHome detached;
    private final boolean recordsTimes;
    private final OutcomeCounters retiredOutcomes = new OutcomeCounters();
    private final TaskTimes retiredTimes = new TaskTimes();

    /** The groups that keep their counts; {@code null} before the close. Written once, under the monitor, and not changed after that. */
    private volatile @Nullable Map<String, Group> kept;

    private volatile @Nullable RetirementListener listener;

    /** Counts of removed groups that were not handed over. A group that nothing refers to any more can count nothing, and leaves the map. */
    private final Map<Group, Handover> incomplete = new WeakHashMap<>(); // guarded by the monitor

    /** What was handed over of groups that keep their counts. */
    private final Map<Group, Handover> handedOver = new HashMap<>(); // guarded by the monitor

    private static final class Handover {
        final long[] counts;
        final Map<String, Long> byTag;

        /** Whether it is the first of its group. */
        boolean first;

        Handover(long[] counts, Map<String, Long> byTag) {
            this.counts = counts;
            this.byTag = byTag;
        }

        void add(long[] more, Map<String, Long> moreByTag, int sign) {
            for (int slot = 0; slot < counts.length; slot++) {
                counts[slot] += sign * more[slot];
            }
            moreByTag.forEach((tag, number) -> byTag.merge(tag, sign * number, Long::sum));
            byTag.values().removeIf(number -> number == 0);
        }

        boolean isEmpty() {
            return byTag.isEmpty() && Arrays.stream(counts).allMatch(number -> number == 0);
        }
    }

    DispatcherCounters(GroupRegistry registry, TaskHome detached, boolean recordsTimes) {
        this.registry = registry;
        this.detached = detached;
        this.recordsTimes = recordsTimes;
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

    /** Has {@code retirementListener} told of groups that retire from now on. Called once, before the first task. */
    public void onRetired(RetirementListener retirementListener) {
        listener = retirementListener;
    }

    /**
     * Takes a retired group out of the registry. The thread that removes it takes its counts over.
     *
     * @return whether this call has removed it
     */
    boolean remove(Group group) {
        RetirementListener active = activeListener();
        synchronized (this) {
            if (!registry.remove(group)) {
                return false;
            }
            if (keeps(group)) {
                handOverKept(group, active);
            } else {
                TaskTimes times = group.times();
                if (times != null) {
                    times.addTo(retiredTimes);
                }
                takeOver(group, active, true);
            }
        }
        deliver(active);
        return true;
    }

    /**
     * Something was counted after the group had retired. If it is still registered, the thread that retired it takes that count over too: it
     * takes the monitor after this thread.
     */
    @SuppressWarnings("ReferenceEquality") // another group may have the same key
    void countedLate(Group group) {
        RetirementListener active = activeListener();
        synchronized (this) {
            if (registry.get(group.key()) == group) {
                return;
            }
            if (keeps(group)) {
                handOverKept(group, active);
            } else {
                takeOver(group, active, false);
            }
        }
        deliver(active);
    }

    private @Nullable RetirementListener activeListener() {
        RetirementListener known = listener;
        return known != null && known.isActive() ? known : null;
    }

    private static void deliver(@Nullable RetirementListener active) {
        if (active != null) {
            active.deliver();
        }
    }

    /** @param removed whether the group was removed by this call */
    private void takeOver(Group group, @Nullable RetirementListener active, boolean removed) {
        if (active == null) {
            group.moveCountsTo(retiredOutcomes);
            return;
        }
        OutcomeCounters moving = new OutcomeCounters();
        group.moveCountsTo(moving);
        Handover moved = new Handover(new long[OutcomeCounters.SLOTS], new HashMap<>());
        moving.addTo(moved.counts);
        moving.moveTo(retiredOutcomes);
        Handover known =
                incomplete.computeIfAbsent(group, g -> new Handover(new long[OutcomeCounters.SLOTS], new HashMap<>()));
        known.add(moved.counts, group.takeCountsByTag(), 1);
        known.first |= removed;
        if (active.isComplete(known.counts)) {
            incomplete.remove(group);
            if (known.first || !known.isEmpty()) {
                active.retired(group, known.counts, known.byTag, known.first);
            }
        }
    }

    /** After the last outcomes of a shutdown: hands over the groups whose tasks have not left their threads too. */
    void handOverKept(long start, long nanos) {
        RetirementListener active = activeListener();
        if (active != null) {
            for (Group group : groups()) {
                synchronized (this) {
                    handOverKept(group, active);
                }
            }
            active.deliver();
            active.awaitDelivered(start, nanos);
        }
    }

    /** The group keeps its counts, so the difference to what was handed over is handed over. */
    private void handOverKept(Group group, @Nullable RetirementListener active) {
        if (active == null) {
            return;
        }
        Handover now = new Handover(group.counts(), new HashMap<>(group.countsByTag()));
        if (!active.isComplete(now.counts)) {
            return;
        }
        Handover last = handedOver.put(group, new Handover(now.counts.clone(), new HashMap<>(now.byTag)));
        if (last != null) {
            now.add(last.counts, last.byTag, -1);
        }
        if (last == null || !now.isEmpty()) {
            active.retired(group, now.counts, now.byTag, last == null);
        }
    }

    /** The outcomes of tasks, by slot. */
    public long[] counts() {
        return counts(group -> {});
    }

    /**
     * As {@link #counts()}, and passes each group that has counts to {@code visitor}: of very many groups, most of the time goes into reaching each of
     * them. The monitor is held, so the visitor must be short and no code of users.
     */
    public synchronized long[] counts(Consumer<Group> visitor) {
        long[] sums = new long[OutcomeCounters.SLOTS];
        detached.addCountsTo(sums);
        sums[OutcomeCounters.ADMITTED] = 0; // users did not submit those
        retiredOutcomes.addTo(sums);
        forEachCounting(group -> {
            group.addCountsTo(sums);
            visitor.accept(group);
        });
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
        return sum(TaskTimes::addWaitingTo);
    }

    /** How long tasks held their permits; empty unless times are recorded. */
    public Histogram runningTimes() {
        return sum(TaskTimes::addRunningTo);
    }

    private synchronized Histogram sum(BiConsumer<TaskTimes, Histogram> addTo) {
        Histogram sum = new Histogram();
        if (!recordsTimes) {
            return sum; // there may be very many groups
        }
        addTo.accept(retiredTimes, sum);
        forEachCounting(group -> {
            TaskTimes times = group.times();
            if (times != null) {
                addTo.accept(times, sum);
            }
        });
        return sum;
    }
}
