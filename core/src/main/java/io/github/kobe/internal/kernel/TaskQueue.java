package io.github.kobe.internal.kernel;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queued tasks of a group: larger priorities first, equal ones in submission order. With ageing, the time for which a task has been
 * queued makes up for priority, see {@link PriorityLevels}.
 *
 * <p>Tasks of priority 0 are in a plain queue. Only if other priorities occur, or a task is returned to the queue, {@link PriorityLevels} are created around it, so a group
 * without both pays for one read of a field.
 *
 * <p>A withdrawn task stays linked until a poll meets it, or until there are more withdrawn tasks than others.
 */
class TaskQueue {

    private static final int PURGE_FLOOR = 64;

    private final Queue<KernelTask<?>> priorityZero = new ConcurrentLinkedQueue<>();
    private final AtomicInteger withdrawnCount = new AtomicInteger(); // approximate; only decides when to purge
    private final long ageing;
    private volatile @Nullable PriorityLevels levels; // written under the monitor, once

    TaskQueue() {
        this(DispatcherConfig.NO_AGEING);
    }

    /** @param ageing how many nanoseconds in the queue make up for one step of priority */
    TaskQueue(long ageing) {
        this.ageing = ageing;
    }

    void add(KernelTask<?> task) {
        int priority = task.priority();
        if (priority == 0) {
            priorityZero.add(task);
        } else {
            levels().add(priority, task);
        }
    }

    /**
     * Links a task that had a permit and did not start. It comes before the tasks of its priority that were added, and among those that were returned by its number.
     *
     * @param number its number among the admitted tasks; {@link KernelTask#NO_NUMBER} if it was polled from here
     * @param queuedAt when it was queued
     */
    void addReturned(KernelTask<?> task, long number, long queuedAt) {
        levels().addReturned(task, number, queuedAt);
    }

    private PriorityLevels levels() {
        PriorityLevels known = levels;
        return known == null ? createLevels() : known;
    }

    private synchronized PriorityLevels createLevels() {
        PriorityLevels known = levels;
        if (known == null) {
            known = new PriorityLevels(priorityZero, ageing);
            levels = known;
        }
        return known;
    }

    /** Removes and claims the next task, which the caller starts; {@code null} if none is linked. */
    @Nullable
    KernelTask<?> poll() {
        for (; ; ) {
            PriorityLevels known = levels;
            KernelTask<?> task = known == null ? priorityZero.poll() : known.poll();
            if (task == null || task.claim()) {
                return task;
            }
            withdrawnCount.getAndDecrement();
        }
    }

    /** The next task, which stays linked; {@code null} if none is. Forgets withdrawn ones on the way. */
    @Nullable
    KernelTask<?> peek() {
        for (; ; ) {
            PriorityLevels known = levels;
            KernelTask<?> task = known == null ? priorityZero.peek() : known.peek();
            if (task == null || !task.isWithdrawn()) {
                return task;
            }
            if (remove(task)) {
                withdrawnCount.getAndDecrement();
            }
        }
    }

    /** Unlinks {@code task}, which is at the front or not far from it. False if it was not linked. */
    boolean remove(KernelTask<?> task) {
        PriorityLevels known = levels;
        return known == null ? priorityZero.remove(task) : known.remove(task);
    }

    /** Removes and claims the oldest task of the lowest priority, which the caller rejects; {@code null} if none is linked. */
    @Nullable
    KernelTask<?> pollLowest() {
        for (; ; ) {
            PriorityLevels known = levels;
            KernelTask<?> task = known == null ? priorityZero.poll() : known.pollLowest();
            if (task == null || task.claim()) {
                return task;
            }
            withdrawnCount.getAndDecrement();
        }
    }

    boolean isEmpty() {
        PriorityLevels known = levels;
        return known == null ? priorityZero.isEmpty() : known.isEmpty();
    }

    /** Passes every task that is linked for the whole of the call, and maybe others, to {@code action}. */
    void forEach(Consumer<KernelTask<?>> action) {
        PriorityLevels known = levels;
        if (known == null) {
            priorityZero.forEach(action);
        } else {
            known.forEach(action);
        }
    }

    /** When the oldest task was queued; {@code now} if none is. */
    long oldestQueuedAt(long now) {
        PriorityLevels known = levels;
        return known == null ? oldestQueuedAtOf(priorityZero, now) : known.oldestQueuedAt(now);
    }

    /** The first time that is known: the tasks behind it were queued later. */
    static long oldestQueuedAtOf(Iterable<? extends KernelTask<?>> inOrder, long now) {
        for (KernelTask<?> task : inOrder) {
            long queuedAt = task.queuedAt();
            if (queuedAt != 0) {
                return earlierOf(queuedAt, now);
            }
        }
        return now;
    }

    /** @param queuedAt 0 if it is not known */
    static long earlierOf(long queuedAt, long bound) {
        return queuedAt != 0 && queuedAt - bound < 0 ? queuedAt : bound;
    }

    /** One more task was withdrawn and stays linked; {@code queued} tasks are not withdrawn. */
    void withdrawn(int queued) {
        int now = withdrawnCount.incrementAndGet();
        if (now > PURGE_FLOOR && now > queued && withdrawnCount.getAndSet(0) > PURGE_FLOOR) {
            PriorityLevels known = levels;
            if (known == null) {
                priorityZero.removeIf(KernelTask::isWithdrawn);
            } else {
                known.removeWithdrawn();
            }
        }
    }
}
