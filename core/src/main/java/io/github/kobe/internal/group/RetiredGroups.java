package io.github.kobe.internal.group;

import io.github.kobe.GroupStats;
import io.github.kobe.Registration;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.RetirementListener;
import io.github.kobe.internal.util.Faults;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes the final statistics of retired groups to consumers, one at a time, on a thread that exists while there is something to pass on. Groups
 * retire on threads that user code must not delay, such as that of the timer.
 *
 * <p>A thread adds to the queue, and then starts the delivery unless it is running. The delivering thread finds the queue empty, says that it
 * is not running any more, and looks into the queue again. So one of the two sees the other, and nothing is left in the queue.
 */
final class RetiredGroups implements RetirementListener {

    /** How many groups may wait for a consumer that is slow. Keys may be chosen by others, so there is a maximum. */
    static final int MAX_WAITING = 100_000;

    private static final long CHECK_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final StatsReader statsReader;
    private final Consumer<Runnable> otherThreads;
    private final Faults faults;
    private final List<Entry> consumers = new CopyOnWriteArrayList<>();
    private final Queue<GroupStats> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger(); // in the queue, or being passed on
    private final AtomicInteger dropped = new AtomicInteger(); // and not reported yet
    private final AtomicBoolean delivering = new AtomicBoolean();
    private volatile @Nullable Thread deliverer;

    private static final class Entry {
        final Consumer<? super GroupStats> consumer;
        volatile boolean removed;

        Entry(Consumer<? super GroupStats> consumer) {
            this.consumer = consumer;
        }
    }

    RetiredGroups(StatsReader statsReader, Consumer<Runnable> otherThreads, Faults faults) {
        this.statsReader = statsReader;
        this.otherThreads = otherThreads;
        this.faults = faults;
    }

    Registration add(Consumer<? super GroupStats> consumer) {
        Entry added = new Entry(consumer);
        consumers.add(added);
        return () -> {
            added.removed = true;
            consumers.remove(added);
        };
    }

    @Override
    public boolean isActive() {
        return !consumers.isEmpty();
    }

    @Override
    public boolean isComplete(long[] counts) {
        return CounterSlots.isComplete(counts);
    }

    @Override
    public void retired(Group group, long[] counts, Map<String, Long> byTag, boolean first) {
        if (waiting.get() >= MAX_WAITING) {
            dropped.incrementAndGet();
        } else {
            waiting.incrementAndGet();
            queue.add(statsReader.of(group, CounterSlots.counts(counts), byTag, first));
        }
    }

    @Override
    public void deliver() {
        int lost = dropped.getAndSet(0);
        if (lost > 0) {
            faults.report(
                    "consumer of retired groups", lost + " groups", "is too slow, which has dropped the statistics");
        }
        if (!queue.isEmpty() && delivering.compareAndSet(false, true)) {
            otherThreads.accept(this::deliverAll);
        }
    }

    private void deliverAll() {
        do {
            deliverer = Thread.currentThread();
            for (GroupStats next = queue.poll(); next != null; next = queue.poll()) {
                for (Entry entry : consumers) {
                    pass(next, entry);
                }
                waiting.decrementAndGet();
            }
            deliverer = null;
            delivering.set(false);
        } while (!queue.isEmpty() && delivering.compareAndSet(false, true));
    }

    private void pass(GroupStats group, Entry entry) {
        try {
            if (!entry.removed) {
                entry.consumer.accept(group);
            }
        } catch (Throwable fault) {
            faults.report("consumer of retired groups", Faults.group(group.groupKey()), fault);
        }
    }

    /** A consumer that shuts the executor down does not wait for itself. */
    @Override
    @SuppressWarnings("ReferenceEquality") // threads are compared by identity
    public void awaitDelivered(long start, long nanos) {
        boolean interrupted = false;
        while (waiting.get() > 0
                && deliverer != Thread.currentThread()
                && System.nanoTime() - start < nanos) { // it waits for a real thread, whatever the timer is
            interrupted |= Thread.interrupted(); // an interrupted thread does not park
            LockSupport.parkNanos(CHECK_NANOS);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
