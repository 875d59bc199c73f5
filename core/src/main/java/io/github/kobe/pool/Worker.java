package io.github.kobe.pool;

import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.internal.time.TimerEntry;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One long-lived worker: runs one task after the other, and parks while it is idle.
 *
 * <p><b>The next task.</b> When a task has finished, the kernel gives its permit to the next queued task, on this thread, and asks
 * {@link WorkerSet} for a thread for it. If {@link #acceptsNext} returns true, this worker runs that task when the few remaining steps of the
 * last one are done. No user code runs in between (see {@code TaskRunner.reusesThreads}), so the next task is not delayed. If user code submits
 * a task while it runs, the answer is false, because it is unknown when the user code returns.
 *
 * <p><b>Interrupts.</b> An interrupt for one task must not hit the next one. An interrupter sets {@code interrupting}, <i>then</i> checks that
 * the task is still here, interrupts the thread, and clears {@code interrupting}. The worker takes the task off, <i>then</i> waits until
 * {@code interrupting} is 0, and <i>then</i> clears the interrupt flag. So an interrupter that saw the task is done before the flag is cleared, and
 * a later one does not see the task. The wait takes a few instructions.
 *
 * <p>{@code work} is written before the task makes itself known to cancellers. A canceller has a full fence between its decision and its read
 * of {@code work}. So a canceller that the task has not seen sees {@code work}.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant, whatever equals says
final class Worker {

    private static final VarHandle INTERRUPTING;
    private static final VarHandle WORK;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            INTERRUPTING = lookup.findVarHandle(Worker.class, "interrupting", int.class);
            WORK = lookup.findVarHandle(Worker.class, "work", Runnable.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final WorkerSet workers;
    private volatile @Nullable Runnable work; // the task that runs on the thread
    private volatile int interrupting; // 1 while an interrupter is active
    private @Nullable Runnable next; // used only by the worker's thread

    /** Started when the task is interrupted, or when its listener does not return. Written while {@code interrupting} is 1, read by the worker while it is 0. */
    private @Nullable TimerEntry graceTimer;

    // The following fields are guarded by the lock of the worker set.

    /** The task that was assigned to a new or idle worker. */
    @Nullable
    Runnable assigned;

    /** Whether it is among the idle workers. */
    boolean idle;

    /** When it became idle. */
    long idleSince;

    /** Its task did not return after an interrupt, and another worker may start instead of it. */
    boolean replaced;

    /** Its task did not return after an interrupt, and no other worker may start instead of it. */
    boolean overdue;

    /** Whether it was removed; its thread terminates when it sees this. */
    volatile boolean removed;

    /** Its thread; {@code null} before it is started. */
    volatile @Nullable Thread thread;

    Worker(WorkerSet workers) {
        this.workers = workers;
    }

    /**
     * Runs one task.
     *
     * @return false if there is none; then the thread parks until it is woken, or terminates if the worker was removed
     */
    boolean runNext() {
        Runnable own = next;
        next = null;
        Runnable task = own == null ? workers.nextWork(this) : own;
        if (task == null) {
            return false;
        }
        run(task);
        return true;
    }

    private void run(Runnable task) {
        Thread.interrupted(); // an earlier interrupt was not meant for this task
        WORK.setRelease(this, task);
        try {
            task.run();
        } catch (Throwable fault) {
            workers.reportFault(task, fault);
        }
        work = null;
        while (interrupting != 0) {
            yieldProcessor();
        }
        if (graceTimer != null) {
            TimerEntry started = graceTimer;
            graceTimer = null;
            workers.interruptedWorkReturned(this, started);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // the interrupter is about to finish, and may need this processor for it
    private static void yieldProcessor() {
        Thread.yield();
    }

    /** Called on the worker's thread: whether it runs {@code task} next. */
    boolean acceptsNext(Runnable task) {
        if (next != null || !(work instanceof KernelTask<?> current) || !current.isOffThread()) {
            return false;
        }
        next = task;
        return true;
    }

    boolean belongsTo(WorkerSet set) {
        return workers == set;
    }

    boolean isRunning(Runnable task) {
        return work == task;
    }

    /**
     * Interrupts the thread if it runs {@code task}.
     *
     * @return whether it did
     */
    boolean interrupt(Runnable task, Thread thread) {
        return startGrace(task, thread::interrupt);
    }

    /** A listener holds the thread up: it has the same time to return as after an interrupt. */
    void heldUp(Runnable task) {
        startGrace(task, () -> {});
    }

    /** If the thread runs {@code task}: runs {@code step}, and starts the grace, if it has not started. */
    private boolean startGrace(Runnable task, Runnable step) {
        if (work != task) {
            return false;
        }
        while (!INTERRUPTING.compareAndSet(this, 0, 1)) {
            yieldProcessor();
        }
        try {
            if (work != task) {
                return false;
            }
            step.run();
            if (graceTimer == null) {
                graceTimer = workers.startGrace(this, task);
            }
            return true;
        } finally {
            interrupting = 0;
        }
    }
}
