package io.github.kobe.scope;

import java.util.ArrayDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * So many platform threads and no more. What its queue has no room for runs on the thread that brings it. That thread may just be
 * at such a task, whose end makes room for the next: then it runs the next one after this one, not inside it.
 */
final class FixedPool extends ThreadPoolExecutor {

    private static final int LEAST_QUEUE = 256;
    private static final int QUEUE_PER_THREAD = 100;

    /** What the thread has to run when it is done with what it runs now. */
    private static final ThreadLocal<@Nullable ArrayDeque<Runnable>> OVERFLOW = new ThreadLocal<>();

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

    /** Takes nothing but what can be compared, which a {@link Launch} can. */
    static FixedPool byPriority(int size) {
        return new FixedPool("scope-priority", size, new PriorityBlockingQueue<>());
    }

    /** It gets nothing but launches: see {@link ForeignThreads}. */
    private static void runHere(Runnable work, boolean isShutdown) {
        if (isShutdown) {
            throw new RejectedExecutionException("the scheduler is shut down, with the scope that it was made for");
        }
        ArrayDeque<Runnable> overflow = OVERFLOW.get();
        if (overflow != null) {
            overflow.add(work);
            return;
        }
        ArrayDeque<Runnable> mine = new ArrayDeque<>();
        OVERFLOW.set(mine);
        try {
            for (Runnable next = work; next != null; next = mine.poll()) {
                ((Launch) next).runInCaller();
            }
        } finally {
            OVERFLOW.remove();
        }
    }
}
