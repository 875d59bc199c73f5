package io.github.kobe.internal.kernel;

import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of a line in which priorities occur.
 *
 * <p>Each of the first {@link #MAX_LEVELS} priorities that ever occur has a FIFO queue, its level, for good; priority 0 is the one that
 * the line had before. A taker goes through them, larger first, and takes the first it finds. There is nothing to sort, and a ticket
 * costs what a link in a queue costs. Should there be more priorities than that, tickets of the others are in an ordered map, at a
 * logarithm of their number. A priority is in one of the two always, so equal ones keep their order.
 *
 * <p>A ticket is in sight from when it is linked: a taker that comes later looks at every level that was there then. One that is linked
 * at a level which the taker has passed already came while it looked, and may as well have come after.
 *
 * <p>If waiting makes up for priority: of a level, the first has waited longest, so only those are to be compared. A ticket is ahead
 * of another by the difference in priority less what it came later, and that does not change as time passes.
 */
final class PriorityLevels {

    static final int MAX_LEVELS = 64;

    private final long ageing;
    private volatile Level[] levels; // larger priorities first; written under the monitor
    private volatile @Nullable Overflow overflow; // likewise, once

    private record Level(int priority, Queue<KernelTask<?>> queue) {}

    /** Where a ticket stands that has no level: with larger ones first, and equal ones by number. */
    private record OverflowKey(double score, long sequence) implements Comparable<OverflowKey> {
        @Override
        public int compareTo(OverflowKey other) {
            int byHeight = Double.compare(other.score, score);
            return byHeight != 0 ? byHeight : Long.compare(sequence, other.sequence);
        }
    }

    /** Those that have no level. */
    private static final class Overflow {
        final AtomicLong sequence = new AtomicLong();
        final ConcurrentSkipListMap<OverflowKey, KernelTask<?>> tasks = new ConcurrentSkipListMap<>();
    }

    PriorityLevels(Queue<KernelTask<?>> ofPriorityZero, long ageing) {
        this.ageing = ageing;
        this.levels = new Level[] {new Level(0, ofPriorityZero)};
    }

    private boolean ages() {
        return ageing != DispatcherConfig.NO_AGEING;
    }

    /** How far ahead a ticket is. */
    private double score(int priority, KernelTask<?> ticket) {
        return ages() ? priority - (double) ticket.queuedAt() / ageing : priority;
    }

    // ---- coming --------------------------------------------------------------------------------------------------

    void add(int priority, KernelTask<?> ticket) {
        Level level = find(levels, priority);
        if (level == null) {
            level = createLevel(priority);
        }
        if (level != null) {
            level.queue.add(ticket);
            return;
        }
        Overflow others = overflow();
        others.tasks.put(new OverflowKey(score(priority, ticket), others.sequence.getAndIncrement()), ticket);
    }

    private static @Nullable Level find(Level[] levels, int priority) {
        int low = 0;
        int high = levels.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int there = levels[middle].priority;
            if (there == priority) {
                return levels[middle];
            }
            if (there > priority) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return null;
    }

    /** Null if there are as many as there may be. */
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

    // ---- going ---------------------------------------------------------------------------------------------------

    /** The one that is next, maybe withdrawn; null if none is linked. */
    @Nullable
    KernelTask<?> poll() {
        if (ages()) {
            return pollAged();
        }
        Overflow others = overflow;
        for (Level level : levels) {
            KernelTask<?> ticket = others == null ? null : pollAbove(others, level.priority);
            if (ticket == null) {
                ticket = level.queue.poll();
            }
            if (ticket != null) {
                return ticket;
            }
        }
        return others == null ? null : pollAbove(others, Double.NEGATIVE_INFINITY);
    }

    /** The first of those without a level, if it is higher than {@code bound}. */
    private static @Nullable KernelTask<?> pollAbove(Overflow others, double bound) {
        for (; ; ) {
            var first = others.tasks.firstEntry();
            if (first == null || first.getKey().score <= bound) {
                return null;
            }
            if (others.tasks.remove(first.getKey(), first.getValue())) {
                return first.getValue();
            }
        }
    }

    private @Nullable KernelTask<?> pollAged() {
        for (; ; ) {
            Level best = highest();
            KernelTask<?> first = best == null ? null : best.queue.peek();
            double height = best == null || first == null ? Double.NEGATIVE_INFINITY : score(best.priority, first);
            Overflow others = overflow;
            KernelTask<?> ticket = others == null ? null : pollAbove(others, height);
            if (ticket != null || best == null) {
                return ticket;
            }
            ticket = best.queue.poll();
            if (ticket != null) {
                return ticket;
            }
        }
    }

    /** The level whose first ticket is ahead of those of the others; one that starts with a withdrawn ticket, to be rid of it. */
    private @Nullable Level highest() {
        Level best = null;
        double most = 0;
        for (Level level : levels) {
            KernelTask<?> first = level.queue.peek();
            if (first == null) {
                continue;
            }
            double its = score(level.priority, first);
            if (first.isWithdrawn()) {
                return level;
            }
            if (best == null || its > most) {
                best = level;
                most = its;
            }
        }
        return best;
    }

    /** The oldest one of the lowest priority, maybe withdrawn; with ageing, of those without a level the one that is farthest behind. */
    @Nullable
    KernelTask<?> pollLowest() {
        Overflow others = overflow;
        Level[] known = levels;
        for (int i = known.length - 1; i >= 0; i--) {
            KernelTask<?> ticket =
                    others == null ? null : pollBelow(others, ages() ? Double.POSITIVE_INFINITY : known[i].priority);
            if (ticket == null) {
                ticket = known[i].queue.poll();
            }
            if (ticket != null) {
                return ticket;
            }
        }
        return others == null ? null : pollBelow(others, Double.POSITIVE_INFINITY);
    }

    private static @Nullable KernelTask<?> pollBelow(Overflow others, double bound) {
        for (; ; ) {
            var last = others.tasks.lastEntry();
            if (last == null || last.getKey().score >= bound) {
                return null;
            }
            var oldest = others.tasks.ceilingEntry(new OverflowKey(last.getKey().score, Long.MIN_VALUE));
            if (oldest != null && others.tasks.remove(oldest.getKey(), oldest.getValue())) {
                return oldest.getValue();
            }
        }
    }

    // ---- looking -------------------------------------------------------------------------------------------------

    boolean isEmpty() {
        for (Level level : levels) {
            if (!level.queue.isEmpty()) {
                return false;
            }
        }
        Overflow others = overflow;
        return others == null || others.tasks.isEmpty();
    }

    void forEach(Consumer<KernelTask<?>> action) {
        for (Level level : levels) {
            level.queue.forEach(action);
        }
        Overflow others = overflow;
        if (others != null) {
            others.tasks.values().forEach(action);
        }
    }

    /** Looks at all that have no level. */
    long oldestQueuedAt(long now) {
        long oldest = now;
        for (Level level : levels) {
            oldest = TaskQueue.oldestQueuedAtOf(level.queue, oldest);
        }
        Overflow others = overflow;
        if (others != null) {
            for (KernelTask<?> ticket : others.tasks.values()) {
                long came = ticket.queuedAt();
                oldest = came != 0 && came - oldest < 0 ? came : oldest;
            }
        }
        return oldest;
    }

    void removeWithdrawn() {
        for (Level level : levels) {
            level.queue.removeIf(KernelTask::isWithdrawn);
        }
        Overflow others = overflow;
        if (others != null) {
            others.tasks.values().removeIf(KernelTask::isWithdrawn);
        }
    }
}
