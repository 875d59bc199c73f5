package io.github.kobe.pool;

import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.internal.time.TimerEntry;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One long-lived worker: does one piece of work after the other, and waits in between.
 *
 * <p><b>What comes next.</b> A ticket whose work is done gives its place to the next in line, on this very thread, which asks
 * {@link WorkerSet} for a thread for it. If {@link #takesNext} says yes the worker itself goes on to it, when the last ticket's few
 * remaining steps are done: nothing that users wrote runs in between (see {@code Runner.reusesThreads}), so it is not held up. Code
 * of users that submits while it runs is told no, since there is no saying when it returns.
 *
 * <p><b>Interrupts.</b> One that is meant for some work must not hit the next. An interrupter enters, <i>then</i> looks whether the
 * work is still here, and leaves when it has interrupted the thread; the worker takes the work off, <i>then</i> waits until nobody is
 * inside, and <i>then</i> wipes the flag. So whoever saw the work here is done before the flag is wiped, and whoever comes later does
 * not see it. Nobody is inside for longer than a few instructions.
 *
 * <p>{@code work} is written before the ticket makes itself known to cancellers, who have a full fence between what they decide and
 * what they look at; so a canceller that the ticket has not seen sees the work here.
 */
@SuppressWarnings("ReferenceEquality") // the very same piece of work is meant, whatever its class holds for equal
final class Worker {

    private static final VarHandle INSIDE;
    private static final VarHandle WORK;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            INSIDE = lookup.findVarHandle(Worker.class, "inside", int.class);
            WORK = lookup.findVarHandle(Worker.class, "work", Runnable.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final WorkerSet workers;
    private volatile @Nullable Runnable work; // while it is on the thread
    private volatile int inside; // 1 while an interrupter is
    private @Nullable Runnable next; // for the worker's own thread alone

    /** Runs from when the work is interrupted, to find out whether it ends. Written inside, and read when nobody is. */
    private @Nullable TimerEntry watch;

    // The rest is guarded by the workers' lock.

    /** What it is to do next; of one that waits. */
    @Nullable
    Runnable handed;

    /** It waits, and is among those that do. */
    boolean idle;

    /** When it began to wait. */
    long idleSince;

    /** Its work would not end, and another worker was let in for it. */
    boolean replaced;

    /** Its work would not end, and there is no room for another worker in its stead. */
    boolean overdue;

    /** It is no more, or will not be when its thread looks. */
    volatile boolean gone;

    /** What it works on, once there is one. */
    volatile @Nullable Thread thread;

    Worker(WorkerSet workers) {
        this.workers = workers;
    }

    /**
     * Does one piece of work.
     *
     * @return false if there is none: then it is to wait until it is woken, or, if it is gone, to end
     */
    boolean turn() {
        Runnable own = next;
        next = null;
        Runnable todo = own == null ? workers.nextFor(this) : own;
        if (todo == null) {
            return false;
        }
        perform(todo);
        return true;
    }

    private void perform(Runnable todo) {
        Thread.interrupted(); // whoever set it, it was not for this
        WORK.setRelease(this, todo);
        try {
            todo.run();
        } catch (Throwable fault) {
            workers.broken(todo, fault);
        }
        work = null;
        while (inside != 0) {
            stepAside();
        }
        if (watch != null) {
            TimerEntry past = watch;
            watch = null;
            workers.ended(this, past);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // whoever is inside is about to leave, and may need this processor for it
    private static void stepAside() {
        Thread.yield();
    }

    /** For the worker's own thread: whether it goes on to {@code ticket} itself. */
    boolean takesNext(Runnable ticket) {
        if (next != null || !(work instanceof KernelTask<?> current) || !current.isOffThread()) {
            return false;
        }
        next = ticket;
        return true;
    }

    boolean isOf(WorkerSet some) {
        return workers == some;
    }

    boolean isAt(Runnable some) {
        return work == some;
    }

    /**
     * Interrupts the thread if it is at {@code some}.
     *
     * @return whether it was
     */
    boolean interrupt(Runnable some, Thread thread) {
        if (work != some) {
            return false;
        }
        while (!INSIDE.compareAndSet(this, 0, 1)) {
            stepAside();
        }
        try {
            if (work != some) {
                return false;
            }
            thread.interrupt();
            if (watch == null) {
                watch = workers.watch(this, some);
            }
            return true;
        } finally {
            inside = 0;
        }
    }
}
