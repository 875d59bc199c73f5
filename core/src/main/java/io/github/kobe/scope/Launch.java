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

    @Override
    public void run() {
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            thread = Thread.currentThread();
        }
        try {
            task.run();
        } finally {
            if (letsGoOfThread()) {
                Thread.interrupted();
            }
        }
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
    }

    /** It will not get a thread. True if it had none, and nobody has called it off; then the task is the caller's to end. */
    synchronized boolean takesBack() {
        boolean had = over;
        over = true;
        return !had;
    }

    /** In the order in which they are to get threads. */
    @Override
    public int compareTo(Launch other) {
        int byPriority = Integer.compare(other.task.rank(), task.rank());
        return byPriority != 0 ? byPriority : Long.compare(task.id(), other.task.id());
    }
}
