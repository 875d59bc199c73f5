package io.github.kobe.internal.kernel;

import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a queue that had a permit, did not start, and were returned: larger priorities first, equal ones in submission order.
 *
 * <p><b>They come before the other tasks of their priority.</b> A task gets a permit without being queued only if no task is queued. So a
 * task that is queued when another one is returned was submitted later, or is a retry that was queued later. A task that a thread is about
 * to poll counts as started, and not as queued. If a returned task had been polled, it was the first of its priority.
 *
 * <p><b>Order among them.</b> The threads of the tasks return them in any order, so each has its number among the tasks that the group has
 * admitted. A task that was polled has none: it got its permit after the others had theirs, so it comes after them, by the time at which it
 * was queued.
 *
 * <p><b>Ageing.</b> Each returned task was submitted before any of them was returned. So they all count as queued since the first of them was queued,
 * and the one with the highest priority has the highest score.
 */
final class ReturnedTasks {

    /** The position of a task. The sequence makes it unique: a task that was started on a lent permit stays linked, and may be returned again. */
    record Position(int priority, long number, long queuedAt, long sequence) implements Comparable<Position> {
        @Override
        public int compareTo(Position other) {
            if (priority != other.priority) {
                return Integer.compare(other.priority, priority);
            }
            if (number != other.number) {
                return Long.compare(number, other.number);
            }
            return queuedAt != other.queuedAt
                    ? Long.signum(queuedAt - other.queuedAt)
                    : Long.compare(sequence, other.sequence);
        }
    }

    /** A task that is linked. */
    record Entry(Position position, KernelTask<?> task) {
        int priority() {
            return position.priority;
        }
    }

    private final AtomicLong sequence = new AtomicLong();
    private final ConcurrentSkipListMap<Position, Entry> entries = new ConcurrentSkipListMap<>();
    private volatile long since; // of what is linked, the first time of queueing; written under the monitor

    /**
     * Links a task. If a poll takes the last linked task right after this has found it, {@code since} stays too early. Then, with ageing, a task of a
     * higher priority may start later by that time.
     *
     * @param queuedAt when it was queued; the task itself does not know any more if it is withdrawn now
     */
    synchronized void add(KernelTask<?> task, long number, long queuedAt) {
        if (entries.isEmpty() || queuedAt - since < 0) {
            since = queuedAt;
        }
        Position position = new Position(task.priority(), number, queuedAt, sequence.getAndIncrement());
        entries.put(position, new Entry(position, task));
    }

    /** The next one; {@code null} if there is none. */
    @Nullable
    Entry first() {
        var first = entries.firstEntry();
        return first == null ? null : first.getValue();
    }

    /** The oldest one of the lowest priority; {@code null} if there is none. */
    @Nullable
    Entry lowest() {
        var last = entries.lastEntry();
        if (last == null) {
            return null;
        }
        int priority = last.getKey().priority;
        var oldest = entries.ceilingEntry(new Position(priority, Long.MIN_VALUE, 0, 0));
        return oldest == null ? last.getValue() : oldest.getValue(); // null if it has been removed since
    }

    /** Unlinks it. False if another thread has. */
    boolean remove(Entry entry) {
        return entries.remove(entry.position, entry);
    }

    /** Unlinks {@code task}, which is the first or not far from it. False if it is not linked. */
    @SuppressWarnings("ReferenceEquality") // identity of tasks
    boolean remove(KernelTask<?> task) {
        for (Entry entry : entries.values()) {
            if (entry.task == task) {
                return remove(entry);
            }
        }
        return false;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Since when they all count as queued. */
    long since() {
        return since;
    }

    void forEach(Consumer<KernelTask<?>> action) {
        entries.values().forEach(entry -> action.accept(entry.task));
    }

    /** When the oldest of them was queued, if that was before {@code bound}; otherwise {@code bound}. */
    long oldestQueuedAt(long bound) {
        long oldest = bound;
        for (Entry entry : entries.values()) {
            oldest = TaskQueue.earlierOf(entry.task.queuedAt(), oldest);
        }
        return oldest;
    }

    void removeWithdrawn() {
        entries.values().removeIf(entry -> entry.task.isWithdrawn());
    }
}
