package io.github.kobe.scope;

import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** A thread that only moves while the simulation waits for it, so that one thread moves at a time. */
final class SimThread {

    private static final ThreadLocal<@Nullable SimThread> CURRENT = new ThreadLocal<>();

    private final Semaphore go = new Semaphore(0);
    private final Semaphore stopped = new Semaphore(0);
    private final Thread thread;
    private volatile boolean done;
    private volatile @Nullable Throwable fault;

    SimThread(Runnable work) {
        thread = Thread.ofVirtual().unstarted(() -> runWork(work));
    }

    private void runWork(Runnable work) {
        CURRENT.set(this);
        try {
            work.run();
        } catch (Throwable thrown) {
            fault = thrown;
        }
        done = true;
        stopped.release();
    }

    /** Lets it move until it stands still or terminates. */
    void move() {
        if (thread.getState() == Thread.State.NEW) {
            thread.start();
        } else {
            go.release();
        }
        stopped.acquireUninterruptibly();
        if (fault != null) {
            throw new AssertionError("thrown on a thread of the simulation", fault);
        }
    }

    boolean isDone() {
        return done;
    }

    static boolean isHere() {
        return CURRENT.get() != null;
    }

    static SimThread here() {
        return java.util.Objects.requireNonNull(CURRENT.get());
    }

    /** The calling thread stands still until it is moved again. Does nothing on a thread that is not a SimThread. */
    static void standStill() {
        SimThread current = CURRENT.get();
        if (current != null) {
            current.stopped.release();
            current.go.acquireUninterruptibly();
        }
    }
}
