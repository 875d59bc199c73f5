package io.github.kobe.scope;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** So many platform threads and no more. What its queue has no room for runs on the thread that brings it. */
final class FixedPool extends ThreadPoolExecutor {

    private static final int LEAST_QUEUE = 256;
    private static final int QUEUE_PER_THREAD = 100;

    private FixedPool(String name, int size, BlockingQueue<Runnable> queue) {
        super(
                size,
                size,
                60,
                TimeUnit.SECONDS,
                queue,
                Thread.ofPlatform().daemon().name(name + "-", 1).factory(),
                (work, pool) -> runHere(work, pool.isShutdown()));
        allowCoreThreadTimeOut(true);
    }

    static FixedPool inOrder(int size) {
        long capacity = Math.max(LEAST_QUEUE, (long) size * QUEUE_PER_THREAD);
        return new FixedPool(
                "scope-fixed", size, new LinkedBlockingQueue<>((int) Math.min(Integer.MAX_VALUE, capacity)));
    }

    /** Takes nothing but what can be compared, which a {@link Handoff} can. */
    static FixedPool byPriority(int size) {
        return new FixedPool("scope-priority", size, new PriorityBlockingQueue<>());
    }

    /** It gets nothing but launches: see {@link BorrowedThreads}. */
    private static void runHere(Runnable work, boolean isShutdown) {
        if (isShutdown) {
            throw new RejectedExecutionException("the scheduler is shut down, with the scope that it was made for");
        }
        ((Handoff) work).runInCaller();
    }
}
