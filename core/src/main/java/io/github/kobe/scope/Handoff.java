package io.github.kobe.scope;

import io.github.kobe.internal.kernel.TaskRunner;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A task on its way to a thread that is not its own: of somebody's executor, of a group, of the submitter.
 *
 * <p>Whoever comes first has it: that thread, one who ends the task and calls it off, or one who finds that there is no thread. If it
 * never gets to a thread the place that the task holds goes back at once, not when the executor gets round to it. The thread has
 * further work after this task, so it is only interrupted under the monitor and while it is the task's, and is rid of that
 * interruption afterwards; only then does it send what the task's end has made room for.
 */
final class Handoff implements Runnable, Comparable<Handoff> {

    private final ScopeTaskImpl<?> task;
    private final TaskRunner runner;
    private @Nullable Thread thread; // guarded by the monitor, as is all that follows
    private boolean over;
    private boolean interrupted;
    private @Nullable Thread waiting; // to be let in
    private boolean waitIsOver;

    Handoff(ScopeTaskImpl<?> task, TaskRunner runner) {
        this.task = task;
        this.runner = runner;
    }

    ScopeTaskImpl<?> task() {
        return task;
    }

    /** Has it sent by a fresh thread, which may run it, if it comes to that, and nothing else; by this one if there is no other. */
    void spawnSend() {
        task.crew().spawn(this::send);
    }

    /** Sends it. If there is no thread to be had, the task fails. */
    void send() {
        try {
            task.send(this, runner);
        } catch (Throwable fault) {
            takeBack(() -> TaskCompletion.failed(fault));
        }
        if (task.isEndDecided()) { // who ended it may have called it off before all of it was there
            task.calledOff();
            callOff();
        }
    }

    /**
     * Hands it in by {@code entry}, where the calling thread may have to wait until there is room. If the task ends meanwhile the thread
     * is interrupted, and rid of that interruption afterwards.
     *
     * @return {@code null} if the task has ended before
     */
    <R> @Nullable R enter(Supplier<R> entry) {
        synchronized (this) {
            if (over) {
                return null;
            }
            waiting = Thread.currentThread();
        }
        boolean before = Thread.currentThread().isInterrupted();
        try {
            return entry.get();
        } finally {
            if (stopsWaiting() && !before) {
                Thread.interrupted();
            }
        }
    }

    /** Whether the thread has been interrupted for the task's sake. */
    private synchronized boolean stopsWaiting() {
        waiting = null;
        return waitIsOver;
    }

    /** On a thread of a pool: what the task has done to its interrupt flag is not to hit what comes next. */
    @Override
    public void run() {
        HandoffQueue.after(() -> run(false));
    }

    /** On the thread of one who hands it in, who is to know if anyone interrupted that thread meanwhile. */
    void runInCaller() {
        HandoffQueue.after(this::runHere);
    }

    /** The same, or on a thread that was made for it: that is not to run what its end makes room for, which would find its traces. */
    void runHere() {
        run(true);
    }

    private void run(boolean keepsForeignInterrupt) {
        if (!takesThread(Thread.currentThread())) {
            return;
        }
        task.crew().arrived(this);
        boolean before = Thread.interrupted();
        try {
            task.run();
        } finally {
            boolean ours = letsGoOfThread();
            boolean after = Thread.interrupted();
            if (before || (after && !ours && keepsForeignInterrupt)) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized boolean takesThread(Thread current) {
        if (over) {
            return false;
        }
        over = true;
        thread = current;
        return true;
    }

    /** Whether the thread has been interrupted for the task's sake. If a hook has kept it, the work may be on another by now. */
    @SuppressWarnings("ReferenceEquality") // threads are what they are
    private synchronized boolean letsGoOfThread() {
        if (thread == Thread.currentThread()) {
            thread = null;
        }
        return interrupted;
    }

    /** The work is on the calling thread; not the one it was sent to if a hook has kept that. */
    synchronized void worksHere() {
        thread = Thread.currentThread();
    }

    /** The task has ended: interrupts its thread, or, if it has none yet, sees to it that it will not get one. */
    void callOff() {
        boolean takesBack;
        synchronized (this) {
            if (thread != null) {
                thread.interrupt();
                interrupted = true;
            } else if (waiting != null && !over) {
                waiting.interrupt();
                waitIsOver = true;
            }
            takesBack = takesBack();
        }
        if (takesBack) {
            task.calledOff();
            giveBackPlace();
        }
    }

    /** It will not get a thread, and the task ends so; unless it had one, or was called off. */
    void takeBack(Supplier<TaskCompletion> end) {
        if (takesBack()) {
            task.refuse(end.get());
            giveBackPlace();
        }
    }

    private synchronized boolean takesBack() {
        boolean had = over;
        over = true;
        return !had;
    }

    private void giveBackPlace() {
        task.crew().arrived(this);
        task.run(); // finds that it has ended
    }

    /** In the order in which they are to get threads. */
    @Override
    public int compareTo(Handoff other) {
        int byPriority = Integer.compare(other.task.rank(), task.rank());
        return byPriority != 0 ? byPriority : Long.compare(task.id(), other.task.id());
    }
}
