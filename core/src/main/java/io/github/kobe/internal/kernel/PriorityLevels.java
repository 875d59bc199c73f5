package io.github.kobe.internal.kernel;

import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queue of a group in which priorities occur, or to which tasks were returned.
 *
 * <p>Each of the first {@link #MAX_LEVELS} different priorities has a FIFO queue, its level, which is never removed. Level 0 is the queue
 * that the group had before. A poll goes through the levels, larger priorities first, and takes the first task that it finds. Nothing is
 * sorted, and a task costs one queue node. Tasks of all further priorities are in an ordered map, at a cost of O(log n). All tasks of a
 * priority are in one of the two, so tasks of equal priority keep their order.
 *
 * <p>A task is visible once it is linked: a poll that begins later reads every level that existed then. A task that is linked at a level
 * which a poll has passed was linked during that poll, and counts as queued after it.
 *
 * <p>Tasks that were returned to the queue are in {@link ReturnedTasks}, whatever their priority is. The first returned task is next,
 * unless a task of a higher priority is linked. With ageing, that task must also have the higher score. So no task of its own priority
 * overtakes a returned task, also if one was linked late and has an earlier time.
 *
 * <p><b>Ageing.</b> Of each level, the first task has been queued longest, so only the first tasks are compared. The score of a task is its
 * priority, less the time at which it was queued divided by the ageing time. Scores do not change as time passes.
 */
final class PriorityLevels {

    static final int MAX_LEVELS = 64;

    private final long ageing;
    private volatile Level[] levels; // larger priorities first; written under the monitor
    private volatile @Nullable Overflow overflow; // likewise, once
    private volatile @Nullable ReturnedTasks returned; // likewise

    private record Level(int priority, Queue<KernelTask<?>> queue) {}

    /** The position of a task that has no level: the larger score first, equal scores by sequence. */
    private record OverflowKey(double score, long sequence) implements Comparable<OverflowKey> {
        @Override
        public int compareTo(OverflowKey other) {
            int byScore = Double.compare(other.score, score);
            return byScore != 0 ? byScore : Long.compare(sequence, other.sequence);
        }
    }

    /** The tasks that have no level. */
    private static final class Overflow {
        final AtomicLong sequence = new AtomicLong();
        final ConcurrentSkipListMap<OverflowKey, KernelTask<?>> tasks = new ConcurrentSkipListMap<>();
    }

    PriorityLevels(Queue<KernelTask<?>> priorityZero, long ageing) {
        this.ageing = ageing;
        this.levels = new Level[] {new Level(0, priorityZero)};
    }

    private boolean usesAgeing() {
        return ageing != DispatcherConfig.NO_AGEING;
    }

    /** The task with the highest score is next. */
    private double score(int priority, KernelTask<?> task) {
        return score(priority, usesAgeing() ? task.queuedAt() : 0);
    }

    private double score(int priority, long queuedAt) {
        return usesAgeing() ? priority - (double) queuedAt / ageing : priority;
    }

    // ---- adding --------------------------------------------------------------------------------------------------

    void add(int priority, KernelTask<?> task) {
        Level level = find(levels, priority);
        if (level == null) {
            level = createLevel(priority);
        }
        if (level != null) {
            level.queue.add(task);
            return;
        }
        Overflow rest = overflow();
        rest.tasks.put(new OverflowKey(score(priority, task), rest.sequence.getAndIncrement()), task);
    }

    private static @Nullable Level find(Level[] levels, int priority) {
        int low = 0;
        int high = levels.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int priorityAtMiddle = levels[middle].priority;
            if (priorityAtMiddle == priority) {
                return levels[middle];
            }
            if (priorityAtMiddle > priority) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return null;
    }

    /** Returns null if there are {@link #MAX_LEVELS} levels. */
    private @Nullable Level createLevel(int priority) {
        if (levels.length == MAX_LEVELS) {
            return null;
        }
        synchronized (this) {
            Level[] known = levels;
            Level level = find(known, priority);
            if (level != null || known.length == MAX_LEVELS) {
                return level;
            }
            Level fresh = new Level(priority, new ConcurrentLinkedQueue<>());
            Level[] more = Arrays.copyOf(known, known.length + 1);
            more[known.length] = fresh;
            Arrays.sort(more, (a, b) -> Integer.compare(b.priority, a.priority));
            levels = more;
            return fresh;
        }
    }

    private Overflow overflow() {
        Overflow known = overflow;
        return known == null ? createOverflow() : known;
    }

    private synchronized Overflow createOverflow() {
        Overflow known = overflow;
        if (known == null) {
            known = new Overflow();
            overflow = known;
        }
        return known;
    }

    /** See {@link TaskQueue#addReturned}. */
    void addReturned(KernelTask<?> task, long number, long queuedAt) {
        ReturnedTasks known = returned;
        (known == null ? createReturned() : known).add(task, number, queuedAt);
    }

    private synchronized ReturnedTasks createReturned() {
        ReturnedTasks known = returned;
        if (known == null) {
            known = new ReturnedTasks();
            returned = known;
        }
        return known;
    }

    // ---- polling -------------------------------------------------------------------------------------------------

    /** Removes and returns the next task, which may be withdrawn; {@code null} if none is linked. */
    @Nullable
    KernelTask<?> poll() {
        ReturnedTasks back = returned;
        ReturnedTasks.Entry first = back == null ? null : back.first();
        while (back != null && first != null) {
            KernelTask<?> task = usesAgeing() ? pollBefore(back, first) : pollAbove(first.priority());
            if (task != null) {
                return task;
            }
            if (back.remove(first)) {
                return first.task();
            }
            first = back.first();
        }
        return usesAgeing() ? pollAged() : pollAbove(Double.NEGATIVE_INFINITY);
    }

    /** Polls the next task that was not returned, if its priority is higher than {@code bound}. Without ageing. */
    private @Nullable KernelTask<?> pollAbove(double bound) {
        Overflow rest = overflow;
        for (Level level : levels) {
            KernelTask<?> task = rest == null ? null : pollAbove(rest, Math.max(bound, level.priority));
            if (task == null && level.priority > bound) {
                task = level.queue.poll();
            }
            if (task != null || level.priority <= bound) {
                return task;
            }
        }
        return rest == null ? null : pollAbove(rest, bound);
    }

    /** As {@link #poll}, and the task stays linked. */
    @Nullable
    KernelTask<?> peek() {
        ReturnedTasks back = returned;
        ReturnedTasks.Entry first = back == null ? null : back.first();
        KernelTask<?> task = peekAdded();
        return back == null || first == null || (task != null && startsBefore(task, back, first)) ? task : first.task();
    }

    /**
     * With ageing: polls the next task that was not returned, if it comes before {@code first}. Removes the task that was compared: the
     * next one of its level may have to come after {@code first}.
     */
    private @Nullable KernelTask<?> pollBefore(ReturnedTasks back, ReturnedTasks.Entry first) {
        for (; ; ) {
            KernelTask<?> task = peekAdded();
            if (task == null || !startsBefore(task, back, first)) {
                return null;
            }
            if (removeAdded(task)) {
                return task;
            }
        }
    }

    /**
     * Whether {@code task}, which is the first of those that were not returned, comes before {@code first}. A withdrawn task does: the
     * caller drops it, and looks again.
     */
    private boolean startsBefore(KernelTask<?> task, ReturnedTasks back, ReturnedTasks.Entry first) {
        int priority = task.priority();
        return task.isWithdrawn()
                || (priority > first.priority() && score(priority, task) > score(first.priority(), back.since()));
    }

    private @Nullable KernelTask<?> peekAdded() {
        Overflow rest = overflow;
        var first = rest == null ? null : rest.tasks.firstEntry();
        if (usesAgeing()) {
            Level best = highestLevel();
            KernelTask<?> task = best == null ? null : best.queue.peek();
            return first != null && (best == null || task == null || first.getKey().score > score(best.priority, task))
                    ? first.getValue()
                    : task;
        }
        for (Level level : levels) {
            if (first != null && first.getKey().score > level.priority) {
                return first.getValue();
            }
            KernelTask<?> task = level.queue.peek();
            if (task != null) {
                return task;
            }
        }
        return first == null ? null : first.getValue();
    }

    /** Unlinks {@code task}, which is mostly the first one that was returned, or the first of its level. */
    @SuppressWarnings("ReferenceEquality") // identity of tasks
    boolean remove(KernelTask<?> task) {
        ReturnedTasks back = returned;
        ReturnedTasks.Entry first = back == null ? null : back.first();
        if (back != null && first != null && first.task() == task && back.remove(first)) {
            return true;
        }
        return removeAdded(task) || (back != null && back.remove(task));
    }

    private boolean removeAdded(KernelTask<?> task) {
        Level level = find(levels, task.priority());
        if (level != null && level.queue.remove(task)) {
            return true;
        }
        Overflow rest = overflow;
        return rest != null && rest.tasks.values().remove(task);
    }

    /** Polls the first task without a level if its score is higher than {@code bound}. */
    private static @Nullable KernelTask<?> pollAbove(Overflow rest, double bound) {
        for (; ; ) {
            var first = rest.tasks.firstEntry();
            if (first == null || first.getKey().score <= bound) {
                return null;
            }
            if (rest.tasks.remove(first.getKey(), first.getValue())) {
                return first.getValue();
            }
        }
    }

    private @Nullable KernelTask<?> pollAged() {
        for (; ; ) {
            Level best = highestLevel();
            KernelTask<?> first = best == null ? null : best.queue.peek();
            double bestScore = best == null || first == null ? Double.NEGATIVE_INFINITY : score(best.priority, first);
            Overflow rest = overflow;
            KernelTask<?> task = rest == null ? null : pollAbove(rest, bestScore);
            if (task != null || best == null) {
                return task;
            }
            task = best.queue.poll();
            if (task != null) {
                return task;
            }
        }
    }

    /** The level whose first task has the highest score; or a level whose first task is withdrawn, so that the poll removes that task. */
    private @Nullable Level highestLevel() {
        Level best = null;
        double bestScore = 0;
        for (Level level : levels) {
            KernelTask<?> first = level.queue.peek();
            if (first == null) {
                continue;
            }
            double score = score(level.priority, first);
            if (first.isWithdrawn()) {
                return level;
            }
            if (best == null || score > bestScore) {
                best = level;
                bestScore = score;
            }
        }
        return best;
    }

    /**
     * Removes and returns the oldest task of the lowest priority, which may be withdrawn. With ageing, tasks without a level
     * go first, the lowest score first.
     */
    @Nullable
    KernelTask<?> pollLowest() {
        ReturnedTasks back = returned;
        ReturnedTasks.Entry lowest = back == null ? null : back.lowest();
        while (back != null && lowest != null) {
            KernelTask<?> task = pollBelow(lowest.priority());
            if (task != null) {
                return task;
            }
            if (back.remove(lowest)) {
                return lowest.task();
            }
            lowest = back.lowest();
        }
        return pollBelow(Double.POSITIVE_INFINITY);
    }

    /** As {@link #pollLowest}, of the tasks that were not returned, if the priority is lower than {@code bound}. */
    private @Nullable KernelTask<?> pollBelow(double bound) {
        Overflow rest = overflow;
        double scoreBound = usesAgeing() ? Double.POSITIVE_INFINITY : bound;
        Level[] known = levels;
        for (int i = known.length - 1; i >= 0; i--) {
            int priority = known[i].priority;
            KernelTask<?> task =
                    rest == null ? null : pollBelow(rest, usesAgeing() ? scoreBound : Math.min(bound, priority));
            if (task == null && priority < bound) {
                task = known[i].queue.poll();
            }
            if (task != null || priority >= bound) {
                return task;
            }
        }
        return rest == null ? null : pollBelow(rest, scoreBound);
    }

    private static @Nullable KernelTask<?> pollBelow(Overflow rest, double bound) {
        for (; ; ) {
            var last = rest.tasks.lastEntry();
            if (last == null || last.getKey().score >= bound) {
                return null;
            }
            var oldest = rest.tasks.ceilingEntry(new OverflowKey(last.getKey().score, Long.MIN_VALUE));
            if (oldest != null && rest.tasks.remove(oldest.getKey(), oldest.getValue())) {
                return oldest.getValue();
            }
        }
    }

    // ---- reading -------------------------------------------------------------------------------------------------

    boolean isEmpty() {
        for (Level level : levels) {
            if (!level.queue.isEmpty()) {
                return false;
            }
        }
        Overflow rest = overflow;
        ReturnedTasks back = returned;
        return (rest == null || rest.tasks.isEmpty()) && (back == null || back.isEmpty());
    }

    void forEach(Consumer<KernelTask<?>> action) {
        ReturnedTasks back = returned;
        if (back != null) {
            back.forEach(action);
        }
        for (Level level : levels) {
            level.queue.forEach(action);
        }
        Overflow rest = overflow;
        if (rest != null) {
            rest.tasks.values().forEach(action);
        }
    }

    /** When the oldest task was queued; {@code now} if none is. Reads every task that was returned or has no level. */
    long oldestQueuedAt(long now) {
        long oldest = now;
        for (Level level : levels) {
            oldest = TaskQueue.oldestQueuedAtOf(level.queue, oldest);
        }
        Overflow rest = overflow;
        if (rest != null) {
            for (KernelTask<?> task : rest.tasks.values()) {
                oldest = TaskQueue.earlierOf(task.queuedAt(), oldest);
            }
        }
        ReturnedTasks back = returned;
        return back == null ? oldest : back.oldestQueuedAt(oldest);
    }

    void removeWithdrawn() {
        for (Level level : levels) {
            level.queue.removeIf(KernelTask::isWithdrawn);
        }
        Overflow rest = overflow;
        if (rest != null) {
            rest.tasks.values().removeIf(KernelTask::isWithdrawn);
        }
        ReturnedTasks back = returned;
        if (back != null) {
            back.removeWithdrawn();
        }
    }
}
