package io.github.kobe.scope;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A fixed number of platform threads. If its queue is full, work runs on the submitting thread. */
final class FixedPool extends ThreadPoolExecutor {

    private static final int MIN_QUEUE = 256;
    private static final int QUEUE_PER_THREAD = 100;

    private FixedPool(String name, int size, BlockingQueue<Runnable> queue) {
        super(
                size,
                size,
                60,
                TimeUnit.SECONDS,
                queue,
                Thread.ofPlatform().daemon().name(name + "-", 1).factory(),
                (work, pool) -> runOnSubmitter(work, pool.isShutdown()));
        allowCoreThreadTimeOut(true);
    }

    static FixedPool inSubmissionOrder(int size) {
        long capacity = Math.max(MIN_QUEUE, (long) size * QUEUE_PER_THREAD);
        return new FixedPool(
                "scope-fixed", size, new LinkedBlockingQueue<>((int) Math.min(Integer.MAX_VALUE, capacity)));
    }

    /** Its queue only takes comparable work, such as a {@link Handoff}. */
    static FixedPool byPriority(int size) {
        return new FixedPool("scope-priority", size, new PriorityBlockingQueue<>());
    }

    /** All its work is handoffs; see {@link Scheduler}. */
    private static void runOnSubmitter(Runnable work, boolean isShutdown) {
        if (isShutdown) {
            throw new RejectedExecutionException("the scheduler is shut down, with the scope that it was made for");
        }
        ((Handoff) work).runOnSubmitter();
    }
}
