package io.github.kobe.scope;

import io.github.kobe.internal.kernel.TaskRunner;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a task on its way to a thread that is not made for it: of an executor, of a group, of the submitter.
 *
 * <pre>
 *   SENT      over is false   in the executor's or the group's queue
 *   RUNNING   over is true    a thread has taken it
 *   REVOKED   over is true    the task completed before a thread took it, or no thread is available
 * </pre>
 *
 * <p>The first of these threads moves it out of SENT: the worker, a canceller, or the thread that finds no worker. If no worker gets it,
 * the task's permit is released at once, not when the executor dequeues it. The worker has other work after this task. So it is only
 * interrupted under the monitor and while it runs the task, and its interrupt flag is cleared afterwards; only then does it send the
 * handoffs that the released permit allows.
 */
final class Handoff implements Runnable, Comparable<Handoff> {

    private final ScopeTaskImpl<?> task;
    private final TaskRunner runner;
    private @Nullable Thread worker; // guarded by the monitor, as are all that follow
    private boolean over;
    private boolean workerInterrupted;
    private @Nullable Thread entering; // may be blocked until the group admits it
    private boolean enteringInterrupted;

    Handoff(ScopeTaskImpl<?> task, TaskRunner runner) {
        this.task = task;
        this.runner = runner;
    }

    ScopeTaskImpl<?> task() {
        return task;
    }

    /** Sends it from a fresh thread, which may have to run it; from the calling thread if no other is available. */
    void sendFromFreshThread() {
        task.tasks().spawn(this::send);
    }

    /** Sends it. If no thread is available, the task fails. */
    void send() {
        try {
            task.send(this, runner);
        } catch (Throwable fault) {
            completeWithoutThread(() -> TaskCompletion.failed(fault));
        }
        if (task.isOutcomeDecided()) { // the canceller may have revoked it before the group task was known
            task.handoffRevoked();
            revoke();
        }
    }

    /**
     * Submits it by {@code submission}, which may block the calling thread until it is admitted. If the task completes meanwhile, the
     * thread is interrupted, and its interrupt flag is cleared afterwards.
     *
     * @return {@code null} if the task had completed before
     */
    <R> @Nullable R enter(Supplier<R> submission) {
        synchronized (this) {
            if (over) {
                return null;
            }
            entering = Thread.currentThread();
        }
        boolean interruptedBefore = Thread.currentThread().isInterrupted();
        try {
            return submission.get();
        } finally {
            if (leaveEntry() && !interruptedBefore) {
                Thread.interrupted();
            }
        }
    }

    /** Returns whether the thread was interrupted for the sake of the task. */
    private synchronized boolean leaveEntry() {
        entering = null;
        return enteringInterrupted;
    }

    /** On a thread of a pool: the interrupt flag that the task leaves behind is cleared for the next work of the thread. */
    @Override
    public void run() {
        HandoffQueue.sendAfter(() -> run(false));
    }

    /** On the submitter's thread: an interrupt that was meant for the submitter is kept. */
    void runOnSubmitter() {
        HandoffQueue.sendAfter(this::runOnCurrentThread);
    }

    /**
     * As {@link #runOnSubmitter}, also for a thread that was made for it. Such a thread must not run the tasks that get the permit next:
     * they would see its thread-locals.
     */
    void runOnCurrentThread() {
        run(true);
    }

    private void run(boolean keepsForeignInterrupt) {
        if (!tryTake(Thread.currentThread())) {
            return;
        }
        task.tasks().handoffOver(this);
        boolean interruptedBefore = Thread.interrupted();
        try {
            task.run();
        } finally {
            boolean byTask = releaseWorker();
            boolean interruptedAfter = Thread.interrupted();
            if (interruptedBefore || (interruptedAfter && !byTask && keepsForeignInterrupt)) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized boolean tryTake(Thread current) {
        if (over) {
            return false;
        }
        over = true;
        worker = current;
        return true;
    }

    /** Returns whether the thread was interrupted for the task. If a hook blocks the worker, the work may be on another thread by now. */
    @SuppressWarnings("ReferenceEquality") // identity of threads
    private synchronized boolean releaseWorker() {
        if (worker == Thread.currentThread()) {
            worker = null;
        }
        return workerInterrupted;
    }

    /** The work is on the calling thread. That is not the thread that took the handoff if a hook blocks that one. */
    synchronized void movedToCurrentThread() {
        worker = Thread.currentThread();
    }

    /** The task's outcome is decided: interrupts its worker, or makes sure that it gets none. */
    void revoke() {
        boolean revoked;
        synchronized (this) {
            if (worker != null) {
                worker.interrupt();
                workerInterrupted = true;
            } else if (entering != null && !over) {
                entering.interrupt();
                enteringInterrupted = true;
            }
            revoked = tryRevoke();
        }
        if (revoked) {
            task.handoffRevoked();
            releasePermit();
        }
    }

    /** Completes the task with {@code completion}, because no thread takes it; without effect if one did, or if it was revoked. */
    void completeWithoutThread(Supplier<TaskCompletion> completion) {
        if (tryRevoke()) {
            task.completeWithoutRunning(completion.get());
            releasePermit();
        }
    }

    private synchronized boolean tryRevoke() {
        boolean wasOver = over;
        over = true;
        return !wasOver;
    }

    private void releasePermit() {
        task.tasks().handoffOver(this);
        task.run(); // does not call the work, because the outcome is decided
    }

    /** The order in which they get threads: higher priority first, then submission order. */
    @Override
    public int compareTo(Handoff other) {
        int byPriority = Integer.compare(other.task.priority(), task.priority());
        return byPriority != 0 ? byPriority : Long.compare(task.id(), other.task.id());
    }
}
