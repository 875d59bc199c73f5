package io.github.kobe.internal.kernel;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of a group that wait: larger priorities first, equal ones in the order in which they came; or, if waiting makes up for
 * priority, whoever is ahead when that is counted in.
 *
 * <p>Those of priority 0 are in a plain queue. Only if there ever are others there are {@link PriorityLevels} around it; so a group without
 * priorities pays for one look at a field.
 *
 * <p>A ticket that was withdrawn stays where it is until it is met, or until there are more of its kind than others.
 */
class TaskQueue {

    private static final int PURGE_FLOOR = 64;

    private final Queue<KernelTask<?>> priorityZero = new ConcurrentLinkedQueue<>();
    private final AtomicInteger withdrawnCount = new AtomicInteger(); // about how many; only decides when to purge
    private final long ageing;
    private volatile @Nullable PriorityLevels levels; // written under the monitor, once

    TaskQueue() {
        this(DispatcherConfig.NO_AGEING);
    }

    /** @param ageing how many nanoseconds of waiting make up for one step of priority */
    TaskQueue(long ageing) {
        this.ageing = ageing;
    }

    void add(KernelTask<?> ticket) {
        int priority = ticket.priority();
        if (priority == 0) {
            priorityZero.add(ticket);
        } else {
            levels().add(priority, ticket);
        }
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

    /** Takes out the one that is next, which the caller is to start; {@code null} if none is linked. */
    @Nullable
    KernelTask<?> poll() {
        for (; ; ) {
            PriorityLevels ranked = levels;
            KernelTask<?> ticket = ranked == null ? priorityZero.poll() : ranked.poll();
            if (ticket == null || ticket.claim()) {
                return ticket;
            }
            withdrawnCount.getAndDecrement();
        }
    }

    /** Takes out the oldest one of the lowest priority, which the caller is to turn away; {@code null} if none is linked. */
    @Nullable
    KernelTask<?> pollLowest() {
        for (; ; ) {
            PriorityLevels ranked = levels;
            KernelTask<?> ticket = ranked == null ? priorityZero.poll() : ranked.pollLowest();
            if (ticket == null || ticket.claim()) {
                return ticket;
            }
            withdrawnCount.getAndDecrement();
        }
    }

    boolean isEmpty() {
        PriorityLevels ranked = levels;
        return ranked == null ? priorityZero.isEmpty() : ranked.isEmpty();
    }

    /** Shows every ticket that is linked for the whole of the call, and maybe others. */
    void forEach(Consumer<KernelTask<?>> action) {
        PriorityLevels ranked = levels;
        if (ranked == null) {
            priorityZero.forEach(action);
        } else {
            ranked.forEach(action);
        }
    }

    /** When the one that has waited longest came; {@code now} if none waits. */
    long oldestQueuedAt(long now) {
        PriorityLevels ranked = levels;
        return ranked == null ? oldestQueuedAtOf(priorityZero, now) : ranked.oldestQueuedAt(now);
    }

    /** The first whose time is known: those behind it came later. */
    static long oldestQueuedAtOf(Iterable<? extends KernelTask<?>> inOrder, long now) {
        for (KernelTask<?> ticket : inOrder) {
            long came = ticket.queuedAt();
            if (came != 0) {
                return came - now < 0 ? came : now;
            }
        }
        return now;
    }

    /** One more was withdrawn, and stays linked; {@code queued} were not. */
    void withdrawn(int queued) {
        int now = withdrawnCount.incrementAndGet();
        if (now > PURGE_FLOOR && now > queued && withdrawnCount.getAndSet(0) > PURGE_FLOOR) {
            PriorityLevels ranked = levels;
            if (ranked == null) {
                priorityZero.removeIf(KernelTask::isWithdrawn);
            } else {
                ranked.removeWithdrawn();
            }
        }
    }
}
