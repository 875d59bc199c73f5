package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.Timer;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Submitters that are blocked because a queue is full: for each group in the order in which they blocked; and of those that only the global
 * queue threshold blocks, the one that it has blocked longest is first.
 *
 * <p><b>No wake-up is lost.</b> A submitter registers here, and then asks for admission. A thread that dequeues a task does so, and then
 * reads whether a submitter is registered. One of the two sees the other. Only the first submitter of a group asks for admission. When it
 * returns, for whatever reason, it wakes the next.
 *
 * <p><b>Each step takes constant time</b>, because all submitters may leave at the same moment, when their time is over. Both queues are
 * linked hash sets, so that a submitter leaves from any position in one step. Signals go to the first of a queue, which stays first until it
 * leaves. So a submitter that leaves from another position has no signal of that queue to pass on, and wakes no thread.
 */
final class SubmitterQueue {

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, SequencedSet<BlockedSubmitter>> byGroup = new HashMap<>();
    private final SequencedSet<BlockedSubmitter> behindGlobalQueue = new LinkedHashSet<>();
    private final AtomicInteger blockedCount = new AtomicInteger();

    private static final class BlockedSubmitter {
        final Thread thread = Thread.currentThread();
        final String key;

        /** Whether it was signalled since its last attempt. The permit of park is not enough: waiting for the lock may consume it. */
        volatile boolean signalled;

        BlockedSubmitter(String key) {
            this.key = key;
        }
    }

    /**
     * Calls {@code attempt} until the task is admitted, or rejected for good, or {@code nanos} have passed. In the last case the result
     * is that of the last attempt.
     */
    Admission submit(String key, Supplier<Admission> attempt, Timer timer, long nanos) throws InterruptedException {
        if (mayTryAtOnce(key)) {
            Admission result = attempt.get();
            if (!isQueueFull(result) || nanos <= 0) {
                return result;
            }
        }
        BlockedSubmitter submitter = new BlockedSubmitter(key);
        add(submitter);
        try {
            return await(submitter, attempt, timer, timer.nanoTime(), nanos);
        } finally {
            remove(submitter);
        }
    }

    static boolean isQueueFull(Admission admission) {
        return admission == Admission.GROUP_QUEUE_FULL || admission == Admission.GLOBAL_QUEUE_FULL;
    }

    private Admission await(
            BlockedSubmitter submitter, Supplier<Admission> attempt, Timer timer, long start, long nanos)
            throws InterruptedException {
        Admission last = Admission.GROUP_QUEUE_FULL; // if it never tries: it waits behind a submitter of its group
        for (; ; ) {
            submitter.signalled = false;
            if (isFirst(submitter)) {
                last = attempt.get();
                if (!isQueueFull(last)) {
                    return last;
                }
                if (setBehindGlobalQueue(submitter, last == Admission.GLOBAL_QUEUE_FULL)) {
                    continue; // it waits for another signal now, and may have missed earlier ones: tries again
                }
            }
            long left = nanos - (timer.nanoTime() - start);
            if (left <= 0) {
                return last;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (!submitter.signalled) {
                LockSupport.parkNanos(this, left);
            }
        }
    }

    // ---- under the lock ------------------------------------------------------------------------------------------

    /**
     * A platform thread does not queue for the lock: first in the queue may be a virtual thread that has no carrier, for as long as tasks use up all of them, and the
     * threads of a fleet must not wait for that. The owner of the lock has a carrier, because nothing blocks under it.
     */
    @SuppressWarnings("ThreadPriorityCheck") // the owner is about to finish, and may need this processor for it
    private void acquire() {
        if (Thread.currentThread().isVirtual()) {
            lock.lock();
            return;
        }
        while (!lock.tryLock()) {
            Thread.yield();
        }
    }

    private boolean mayTryAtOnce(String key) {
        if (blockedCount.get() == 0) {
            return true;
        }
        acquire();
        try {
            return !byGroup.containsKey(key) && behindGlobalQueue.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private void add(BlockedSubmitter submitter) {
        acquire();
        try {
            blockedCount.incrementAndGet();
            byGroup.computeIfAbsent(submitter.key, key -> new LinkedHashSet<>()).add(submitter);
        } finally {
            lock.unlock();
        }
    }

    private boolean isFirst(BlockedSubmitter submitter) {
        acquire();
        try {
            return isFirst(submitter, byGroup.get(submitter.key));
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("ReferenceEquality") // identity of submitters
    private static boolean isFirst(BlockedSubmitter submitter, @Nullable SequencedSet<BlockedSubmitter> queue) {
        return queue != null && !queue.isEmpty() && queue.getFirst() == submitter;
    }

    /** Records which queue blocks the submitter. Returns whether that has changed. */
    private boolean setBehindGlobalQueue(BlockedSubmitter submitter, boolean byGlobalQueue) {
        acquire();
        try {
            if (behindGlobalQueue.contains(submitter) == byGlobalQueue) {
                return false;
            }
            if (byGlobalQueue) {
                behindGlobalQueue.add(submitter);
            } else {
                leave(submitter, behindGlobalQueue);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void remove(BlockedSubmitter submitter) {
        acquire();
        try {
            blockedCount.decrementAndGet();
            SequencedSet<BlockedSubmitter> queue = byGroup.get(submitter.key);
            if (queue != null) {
                leave(submitter, queue);
                if (queue.isEmpty()) {
                    byGroup.remove(submitter.key);
                }
            }
            leave(submitter, behindGlobalQueue);
        } finally {
            lock.unlock();
        }
    }

    /** If the submitter was the first, the signal that woke it may be of use to the next. */
    private static void leave(BlockedSubmitter submitter, SequencedSet<BlockedSubmitter> queue) {
        boolean wasFirst = isFirst(submitter, queue);
        queue.remove(submitter);
        if (wasFirst) {
            wakeFirst(queue);
        }
    }

    /** The queue of {@code key} may have become shorter, and so may the queues of all groups together. */
    void signal(String key) {
        if (blockedCount.get() == 0) {
            return;
        }
        acquire();
        try {
            wakeFirst(byGroup.get(key));
            wakeFirst(behindGlobalQueue);
        } finally {
            lock.unlock();
        }
    }

    /** The queues of all groups together may have become shorter. */
    void signalGlobal() {
        if (blockedCount.get() == 0) {
            return;
        }
        acquire();
        try {
            wakeFirst(behindGlobalQueue);
        } finally {
            lock.unlock();
        }
    }

    /** Any limit may have changed. */
    void wakeAll() {
        acquire();
        try {
            byGroup.values().forEach(SubmitterQueue::wakeFirst);
        } finally {
            lock.unlock();
        }
    }

    /** How many submitters are blocked. */
    int blocked() {
        return blockedCount.get();
    }

    /** How many submitters of {@code key} are blocked. */
    int blocked(String key) {
        if (blockedCount.get() == 0) {
            return 0;
        }
        acquire();
        try {
            SequencedSet<BlockedSubmitter> queue = byGroup.get(key);
            return queue == null ? 0 : queue.size();
        } finally {
            lock.unlock();
        }
    }

    private static void wakeFirst(@Nullable SequencedSet<BlockedSubmitter> queue) {
        if (queue != null && !queue.isEmpty()) {
            BlockedSubmitter first = queue.getFirst();
            first.signalled = true;
            LockSupport.unpark(first.thread);
        }
    }
}
