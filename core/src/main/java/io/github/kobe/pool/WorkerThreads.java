package io.github.kobe.pool;

import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/** The port to the threads of workers. A simulation implements it without threads. */
interface WorkerThreads {

    /**
     * Starts a thread that calls {@link Worker#runNext} until the worker is removed.
     *
     * @throws RuntimeException or an {@link Error} if no thread can be started
     */
    void start(Worker worker);

    /** Wakes a worker that found no task, so that it looks again. */
    void wake(Worker worker);

    /** Whether they run without further calls. */
    default boolean runByThemselves() {
        return false;
    }

    /** One thread of the factory for each worker. */
    static WorkerThreads of(ThreadFactory threads) {
        return new WorkerThreads() {
            @Override
            public void start(Worker worker) {
                Thread thread = threads.newThread(() -> runUntilRemoved(worker));
                worker.thread = Objects.requireNonNull(thread, "the thread factory returned null");
                thread.start();
            }

            @Override
            public void wake(Worker worker) {
                LockSupport.unpark(worker.thread);
            }

            @Override
            public boolean runByThemselves() {
                return true;
            }
        };
    }

    private static void runUntilRemoved(Worker worker) {
        WorkerSet.CURRENT.set(worker);
        while (!worker.removed) {
            if (!worker.runNext() && !worker.removed) {
                LockSupport.park(worker);
                Thread.interrupted(); // an interrupted thread does not park
            }
        }
    }
}
