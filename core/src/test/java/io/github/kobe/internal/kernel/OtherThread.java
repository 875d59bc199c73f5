package io.github.kobe.internal.kernel;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future.State;
import java.util.concurrent.FutureTask;

/** Runs an action on another thread while the calling thread waits, so that a test on one thread can be two threads to the kernel. */
final class OtherThread {

    private OtherThread() {}

    /** Returns when {@code action} has returned. Throws what it throws. An interrupt of the calling thread has no effect on this. */
    static void run(Runnable action) {
        FutureTask<Void> task = new FutureTask<>(action, null);
        Thread.startVirtualThread(task);
        boolean interrupted = false;
        while (!task.isDone()) {
            try {
                task.get();
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException e) {
                break;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (task.state() == State.FAILED) {
            throw new AssertionError("on the other thread", task.exceptionNow());
        }
    }
}
