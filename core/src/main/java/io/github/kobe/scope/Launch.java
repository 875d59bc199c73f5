package io.github.kobe.scope;

import org.jspecify.annotations.Nullable;

/**
 * A task on its way to a thread that is not its own: of somebody's executor, of a group, of the submitter.
 *
 * <p>Whoever comes first has it: that thread, or one who ends the task and calls it off. If it is called off the place that the
 * task holds goes back at once, not when the executor gets round to it. The thread has further work after this task, so it is only
 * interrupted under the monitor and while it is the task's, and is rid of that interruption afterwards.
 */
final class Launch implements Runnable, Comparable<Launch> {

    private final ScopeTask<?> task;
    private @Nullable Thread thread; // guarded by the monitor, as are the next two
    private boolean over;
    private boolean interrupted;

    Launch(ScopeTask<?> task) {
        this.task = task;
    }

    /** On a thread of a pool: what the task has done to its interrupt flag is not to hit what comes next. */
    @Override
    public void run() {
        run(false);
    }

    /** On the thread of one who hands it in, who is to know if anyone interrupted that thread meanwhile. */
    void runInCaller() {
        run(true);
    }

    private void run(boolean keepsForeignInterrupt) {
        if (!takesThread()) {
            return;
        }
        boolean before = Thread.interrupted();
        try {
            task.run();
        } finally {
            boolean ours = letsGoOfThread();
            boolean after = Thread.interrupted();
            if (before || (after && !ours && keepsForeignInterrupt)) {
                Thread.currentThread().interrupt();
            }
            task.crew().landed(this);
        }
    }

    private synchronized boolean takesThread() {
        if (over) {
            return false;
        }
        over = true;
        thread = Thread.currentThread();
        return true;
    }

    /** Whether the thread has been interrupted for the task's sake. */
    private synchronized boolean letsGoOfThread() {
        thread = null;
        return interrupted;
    }

    /** The task has ended: interrupts its thread, or, if it has none yet, sees to it that it will not get one. */
    void callOff() {
        synchronized (this) {
            if (thread != null) {
                thread.interrupt();
                interrupted = true;
            }
            if (over) {
                return;
            }
            over = true;
        }
        task.calledOff();
        task.run(); // finds that it has ended, and gives its place back
        task.crew().landed(this);
    }

    /** It will not get a thread. True if it had none, and nobody has called it off; then the task is the caller's to end. */
    synchronized boolean takesBack() {
        boolean had = over;
        over = true;
        task.crew().landed(this);
        return !had;
    }

    ScopeTask<?> task() {
        return task;
    }

    /** In the order in which they are to get threads. */
    @Override
    public int compareTo(Launch other) {
        int byPriority = Integer.compare(other.task.rank(), task.rank());
        return byPriority != 0 ? byPriority : Long.compare(task.id(), other.task.id());
    }
}
