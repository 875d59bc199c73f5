package io.github.kobe.internal.kernel;

import java.util.concurrent.ThreadFactory;

/** The port to threads. */
@FunctionalInterface
public interface TaskRunner {

    /**
     * Runs {@code work} soon, on a thread that carries nothing over from the calling one, and returns without waiting for it.
     *
     * @throws RuntimeException or an {@link Error} if no thread can be had; then {@code work} never runs
     */
    void start(Runnable work);

    /**
     * Interrupts {@code work}. Of a runner whose threads go on to other work, that must never be hit: neither at once, nor by a flag
     * that is left behind.
     *
     * @param thread the one that {@code work} was on when the caller looked; it may have left it since
     */
    default void interrupt(Thread thread, Runnable work) {
        thread.interrupt();
    }

    /**
     * Whether a thread goes on to other work when {@link #start}ed work returns: then nothing is done on it that could take its time,
     * or be blocked, once its work is off it.
     */
    default boolean reusesThreads() {
        return false;
    }

    /** The same, with threads that a thread dump shows under {@code name} if that can be arranged. */
    default TaskRunner named(String name) {
        return this;
    }

    /** As {@link #named}, with threads that can be told by {@code mark}, their handler of what nobody caught, if that can be arranged. */
    default TaskRunner withMarker(String name, Thread.UncaughtExceptionHandler mark) {
        return named(name);
    }

    /** A fresh virtual thread for each piece of work: no inherited thread-locals, interrupt flag clear. */
    static TaskRunner freshVirtualThreads() {
        return new FreshVirtualThreads(builder(""));
    }

    private static Thread.Builder builder(String name) {
        return Thread.ofVirtual().name(name).inheritInheritableThreadLocals(false);
    }

    /** A factory for each name, so that a start makes nothing but the thread. */
    final class FreshVirtualThreads implements TaskRunner {
        private final ThreadFactory threads;

        private FreshVirtualThreads(Thread.Builder builder) {
            threads = builder.factory();
        }

        @Override
        public void start(Runnable work) {
            threads.newThread(work).start();
        }

        @Override
        public TaskRunner named(String name) {
            return new FreshVirtualThreads(builder(name));
        }

        @Override
        public TaskRunner withMarker(String name, Thread.UncaughtExceptionHandler mark) {
            return new FreshVirtualThreads(builder(name).uncaughtExceptionHandler(mark));
        }
    }
}
