package io.github.kobe.internal.kernel;

import org.jspecify.annotations.Nullable;

/**
 * Marks the threads that are made for one container, so that a thread finds its task without a thread-local. It is their handler of
 * uncaught exceptions, which does what the thread group would do.
 */
final class ThreadMarker implements Thread.UncaughtExceptionHandler {

    private volatile @Nullable TaskHome home;

    /** Called once, when the container exists. */
    void mark(TaskHome container) {
        home = container;
    }

    /** The task that the calling thread runs; {@code null} if it runs none, or is not a thread that was made for one. */
    static @Nullable KernelTask<?> currentTask() {
        Thread thread = Thread.currentThread();
        if (thread.isVirtual() && thread.getUncaughtExceptionHandler() instanceof ThreadMarker marker) {
            TaskHome marked = marker.home;
            return marked == null ? null : marked.running().taskOn(thread);
        }
        return null;
    }

    @Override
    public void uncaughtException(Thread thread, Throwable fault) {
        thread.getThreadGroup().uncaughtException(thread, fault);
    }
}
