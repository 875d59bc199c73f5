package io.github.kobe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The part of a view that knows whether it takes tasks, and how many it took that have not ended: one number, so that "let in" and
 * "shut down" cannot miss each other, and that "shut down and nobody inside", once true, stays true. A superclass rather than
 * an object beside the view, since every task comes by here twice, on different processors.
 */
abstract class ViewLife extends AbstractExecutorService {

    private static final long SHUT = 1;
    private static final long TASK = 1 << 1;

    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(ViewLife.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long word; // SHUT | TASK * tasks
    private volatile boolean stopped;
    private final CountDownLatch terminated = new CountDownLatch(1);

    /** One more task, unless it is too late. */
    final boolean enter() {
        for (; ; ) {
            long w = word;
            if ((w & SHUT) != 0) {
                return false;
            }
            if (WORD.compareAndSet(this, w, w + TASK)) {
                return true;
            }
        }
    }

    /** One that {@link #enter} let in needs the view no longer. */
    final void leave() {
        signalIfTerminated((long) WORD.getAndAdd(this, -TASK) - TASK);
    }

    /** Takes no more tasks. */
    final void shut() {
        signalIfTerminated((long) WORD.getAndBitwiseOr(this, SHUT) | SHUT);
    }

    /** Takes no more tasks, and those inside are to stop. */
    final void stop() {
        stopped = true;
        shut();
    }

    private void signalIfTerminated(long w) {
        if (isOver(w)) {
            terminated.countDown();
        }
    }

    private static boolean isOver(long w) {
        return (w & SHUT) != 0 && w < TASK;
    }

    final boolean isShut() {
        return (word & SHUT) != 0;
    }

    final boolean isStopped() {
        return stopped;
    }

    /** Whether it is shut and nobody is inside. */
    final boolean isOver() {
        return isOver(word);
    }

    final boolean awaitOver(long timeout, TimeUnit unit) throws InterruptedException {
        return terminated.await(timeout, unit);
    }

    /** How many are inside. */
    final long tasks() {
        return word / TASK;
    }
}
