package io.github.kobe.internal.kernel;

import java.util.concurrent.ThreadFactory;

/** The port to threads. Faces bring their own threads, and tests run tasks step by step. */
@FunctionalInterface
public interface TaskRunner {

    /**
     * Runs {@code work} soon, on a thread that inherits nothing from the calling one. Returns without waiting for it.
     *
     * @throws RuntimeException or an {@link Error} if no thread is available; then {@code work} never runs
     */
    void start(Runnable work);

    /**
     * Interrupts {@code work}. A runner that reuses threads must never interrupt the next work of the thread, neither directly nor by an
     * interrupt flag that stays set.
     *
     * @param thread the thread that {@code work} was on when the caller read it; {@code work} may have returned since
     */
    default void interrupt(Thread thread, Runnable work) {
        thread.interrupt();
    }

    /** A callback of the user does not return to {@code thread}, and another thread does the next step of {@code work}. */
    default void heldUp(Thread thread, Runnable work) {}

    /**
     * Whether a thread goes on to other work when its work returns. If so, the kernel runs nothing on the thread after the work
     * that could take long or block.
     */
    default boolean reusesThreads() {
        return false;
    }

    /** Whether work begins soon after it was started, whatever the calling thread does meanwhile. If so, a shutdown waits until it has. */
    default boolean startsByItself() {
        return false;
    }

    /** The same runner, with threads that a thread dump shows under {@code name}, if the runner supports that. */
    default TaskRunner named(String name) {
        return this;
    }

    /** As {@link #named}, with threads that {@code marker}, their uncaught exception handler, identifies, if the runner supports that. */
    default TaskRunner withMarker(String name, Thread.UncaughtExceptionHandler marker) {
        return named(name);
    }

    /** A fresh virtual thread for each task: no inherited thread-locals, interrupt flag clear. */
    static TaskRunner freshVirtualThreads() {
        return freshVirtualThreads("");
    }

    /** As {@link #freshVirtualThreads()}, with threads whose names begin with {@code prefix}. */
    static TaskRunner freshVirtualThreads(String prefix) {
        return new PrefixedVirtualThreads(prefix);
    }

    private static Thread.Builder builder(String name) {
        return Thread.ofVirtual().name(name).inheritInheritableThreadLocals(false);
    }

    /** Has one factory for each name, so that a start allocates only the thread. A group has one of these, so it has no other field. */
    class FreshVirtualThreads implements TaskRunner {
        private final ThreadFactory threads;

        private FreshVirtualThreads(Thread.Builder builder) {
            threads = builder.factory();
        }

        @Override
        public final void start(Runnable work) {
            threads.newThread(work).start();
        }

        @Override
        public final boolean startsByItself() {
            return true;
        }
    }

    /** Makes those of groups. */
    final class PrefixedVirtualThreads extends FreshVirtualThreads {
        private final String prefix;

        private PrefixedVirtualThreads(String prefix) {
            super(builder(prefix));
            this.prefix = prefix;
        }

        @Override
        public TaskRunner named(String name) {
            return new FreshVirtualThreads(builder(nameOf(name)));
        }

        @Override
        public TaskRunner withMarker(String name, Thread.UncaughtExceptionHandler marker) {
            return new FreshVirtualThreads(builder(nameOf(name)).uncaughtExceptionHandler(marker));
        }

        /** The same object if there is no prefix, so that the name of a group takes no memory. */
        private String nameOf(String name) {
            return prefix.isEmpty() ? name : prefix + name;
        }
    }
}
