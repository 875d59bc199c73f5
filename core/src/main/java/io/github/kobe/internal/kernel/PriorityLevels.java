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
 * <p>Each of the first {@link #MOST_LEVELS} priorities that ever occur has a FIFO queue, its level, for good; priority 0 is the one that
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

    static final int MOST_LEVELS = 64;

    private final long ageing;
    private volatile Level[] levels; // larger priorities first; written under the monitor
    private volatile @Nullable Overflow beyond; // likewise, once

    private record Level(int priority, Queue<KernelTask<?>> queue) {}

    /** Where a ticket stands that has no level: with larger ones first, and equal ones by number. */
    private record OverflowKey(double height, long number) implements Comparable<OverflowKey> {
        @Override
        public int compareTo(OverflowKey other) {
            int byHeight = Double.compare(other.height, height);
            return byHeight != 0 ? byHeight : Long.compare(number, other.number);
        }
    }

    /** Those that have no level. */
    private static final class Overflow {
        final AtomicLong numbers = new AtomicLong();
        final ConcurrentSkipListMap<OverflowKey, KernelTask<?>> tickets = new ConcurrentSkipListMap<>();
    }

    PriorityLevels(Queue<KernelTask<?>> ofPriorityZero, long ageing) {
        this.ageing = ageing;
        this.levels = new Level[] {new Level(0, ofPriorityZero)};
    }

    private boolean ages() {
        return ageing != DispatcherConfig.NO_AGEING;
    }

    /** How far ahead a ticket is. */
    private double height(int priority, KernelTask<?> ticket) {
        return ages() ? priority - (double) ticket.queuedAt() / ageing : priority;
    }

    // ---- coming --------------------------------------------------------------------------------------------------

    void add(int priority, KernelTask<?> ticket) {
        Level level = find(levels, priority);
        if (level == null) {
            level = makeLevel(priority);
        }
        if (level != null) {
            level.queue.add(ticket);
            return;
        }
        Overflow others = beyond();
        others.tickets.put(new OverflowKey(height(priority, ticket), others.numbers.getAndIncrement()), ticket);
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
    private @Nullable Level makeLevel(int priority) {
        if (levels.length == MOST_LEVELS) {
            return null;
        }
        synchronized (this) {
            Level[] known = levels;
            Level level = find(known, priority);
            if (level != null || known.length == MOST_LEVELS) {
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

    private Overflow beyond() {
        Overflow known = beyond;
        return known == null ? makeBeyond() : known;
    }

    private synchronized Overflow makeBeyond() {
        Overflow known = beyond;
        if (known == null) {
            known = new Overflow();
            beyond = known;
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
        Overflow others = beyond;
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
            var first = others.tickets.firstEntry();
            if (first == null || first.getKey().height <= bound) {
                return null;
            }
            if (others.tickets.remove(first.getKey(), first.getValue())) {
                return first.getValue();
            }
        }
    }

    private @Nullable KernelTask<?> pollAged() {
        for (; ; ) {
            Level best = highest();
            KernelTask<?> first = best == null ? null : best.queue.peek();
            double height = best == null || first == null ? Double.NEGATIVE_INFINITY : height(best.priority, first);
            Overflow others = beyond;
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
            double its = height(level.priority, first);
            if (first.isInert()) {
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
    KernelTask<?> pollLeast() {
        Overflow others = beyond;
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
            var last = others.tickets.lastEntry();
            if (last == null || last.getKey().height >= bound) {
                return null;
            }
            var oldest = others.tickets.ceilingEntry(new OverflowKey(last.getKey().height, Long.MIN_VALUE));
            if (oldest != null && others.tickets.remove(oldest.getKey(), oldest.getValue())) {
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
        Overflow others = beyond;
        return others == null || others.tickets.isEmpty();
    }

    void forEach(Consumer<KernelTask<?>> action) {
        for (Level level : levels) {
            level.queue.forEach(action);
        }
        Overflow others = beyond;
        if (others != null) {
            others.tickets.values().forEach(action);
        }
    }

    /** Looks at all that have no level. */
    long oldest(long now) {
        long oldest = now;
        for (Level level : levels) {
            oldest = TaskQueue.oldestOf(level.queue, oldest);
        }
        Overflow others = beyond;
        if (others != null) {
            for (KernelTask<?> ticket : others.tickets.values()) {
                long came = ticket.queuedAt();
                oldest = came != 0 && came - oldest < 0 ? came : oldest;
            }
        }
        return oldest;
    }

    void removeInert() {
        for (Level level : levels) {
            level.queue.removeIf(KernelTask::isInert);
        }
        Overflow others = beyond;
        if (others != null) {
            others.tickets.values().removeIf(KernelTask::isInert);
        }
    }
}
