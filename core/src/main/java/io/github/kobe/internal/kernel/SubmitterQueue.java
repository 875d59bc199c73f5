package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.Timer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where threads wait that want to put a ticket in line while there is no room: first come, first served, for each group; and, of
 * those whom only the line over all groups keeps waiting, whoever has waited longest for that.
 *
 * <p>A thread enters, and then asks for admission; one that makes room does so, and then looks whether anyone is in here. One of the
 * two sees the other. Only the first of a group asks; when it leaves, whatever for, it wakes the next.
 */
final class SubmitterQueue {

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Deque<BlockedSubmitter>> byGroup = new HashMap<>();
    private final Deque<BlockedSubmitter> behindGlobalQueue = new ArrayDeque<>();
    private final AtomicInteger blockedCount = new AtomicInteger();

    private static final class BlockedSubmitter {
        final Thread thread = Thread.currentThread();
        final String key;

        /** Called since it last looked. A park's permit alone is not enough: waiting for the lock may use it up. */
        volatile boolean signalled;

        BlockedSubmitter(String key) {
            this.key = key;
        }
    }

    /**
     * Asks {@code attempt} for admission until it is granted, or refused for good, or {@code nanos} are over; in the last case the
     * refusal is that of the last attempt.
     */
    Admission submit(String key, Supplier<Admission> attempt, Timer timer, long nanos) throws InterruptedException {
        if (mayTryAtOnce(key)) {
            Admission atOnce = attempt.get();
            if (!isQueueFull(atOnce) || nanos <= 0) {
                return atOnce;
            }
        }
        BlockedSubmitter visitor = new BlockedSubmitter(key);
        add(visitor);
        try {
            return await(visitor, attempt, timer, timer.nanoTime(), nanos);
        } finally {
            remove(visitor);
        }
    }

    static boolean isQueueFull(Admission admission) {
        return admission == Admission.GROUP_QUEUE_FULL || admission == Admission.GLOBAL_QUEUE_FULL;
    }

    private Admission await(BlockedSubmitter visitor, Supplier<Admission> attempt, Timer timer, long since, long nanos)
            throws InterruptedException {
        Admission last = Admission.GROUP_QUEUE_FULL; // which is whom it waits behind
        for (; ; ) {
            visitor.signalled = false;
            if (isFirst(visitor)) {
                last = attempt.get();
                if (!isQueueFull(last)) {
                    return last;
                }
                if (setBehindGlobalQueue(visitor, last == Admission.GLOBAL_QUEUE_FULL)) {
                    continue; // the line it waits in is another one now: what came before nobody told it
                }
            }
            long left = nanos - (timer.nanoTime() - since);
            if (left <= 0) {
                return last;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (!visitor.signalled) {
                LockSupport.parkNanos(this, left);
            }
        }
    }

    // ---- under the lock ------------------------------------------------------------------------------------------

    private boolean mayTryAtOnce(String key) {
        if (blockedCount.get() == 0) {
            return true;
        }
        lock.lock();
        try {
            return !byGroup.containsKey(key) && behindGlobalQueue.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private void add(BlockedSubmitter visitor) {
        lock.lock();
        try {
            blockedCount.incrementAndGet();
            byGroup.computeIfAbsent(visitor.key, key -> new ArrayDeque<>()).add(visitor);
        } finally {
            lock.unlock();
        }
    }

    private boolean isFirst(BlockedSubmitter visitor) {
        lock.lock();
        try {
            return first(visitor.key) == visitor;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable BlockedSubmitter first(String key) {
        Deque<BlockedSubmitter> line = byGroup.get(key);
        return line == null ? null : line.peek();
    }

    /** Notes what it waits for; true if that has changed. */
    private boolean setBehindGlobalQueue(BlockedSubmitter visitor, boolean forAllGroups) {
        lock.lock();
        try {
            if (behindGlobalQueue.contains(visitor) == forAllGroups) {
                return false;
            }
            if (forAllGroups) {
                behindGlobalQueue.add(visitor);
            } else {
                behindGlobalQueue.remove(visitor);
                wake(behindGlobalQueue.peek()); // who may get what this one was woken for
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void remove(BlockedSubmitter visitor) {
        lock.lock();
        try {
            blockedCount.decrementAndGet();
            Deque<BlockedSubmitter> line = byGroup.get(visitor.key);
            if (line != null) {
                line.remove(visitor);
                if (line.isEmpty()) {
                    byGroup.remove(visitor.key);
                }
            }
            behindGlobalQueue.remove(visitor);
            wake(first(visitor.key));
            wake(behindGlobalQueue.peek());
        } finally {
            lock.unlock();
        }
    }

    /** There may be room in the line of {@code key}, and so in that over all groups. */
    void signal(String key) {
        if (blockedCount.get() == 0) {
            return;
        }
        lock.lock();
        try {
            wake(first(key));
            wake(behindGlobalQueue.peek());
        } finally {
            lock.unlock();
        }
    }

    /** There may be room in the line over all groups. */
    void signalGlobal() {
        if (blockedCount.get() == 0) {
            return;
        }
        lock.lock();
        try {
            wake(behindGlobalQueue.peek());
        } finally {
            lock.unlock();
        }
    }

    /** Everything may be different. */
    void wakeAll() {
        lock.lock();
        try {
            byGroup.values().forEach(line -> wake(line.peek()));
        } finally {
            lock.unlock();
        }
    }

    private static void wake(@Nullable BlockedSubmitter visitor) {
        if (visitor != null) {
            visitor.signalled = true;
            LockSupport.unpark(visitor.thread);
        }
    }
}
