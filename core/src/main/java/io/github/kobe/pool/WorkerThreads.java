package io.github.kobe.pool;

import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/** What workers are made of: threads, or, in a simulation, nothing but turns. */
interface WorkerThreads {

    /**
     * Has {@code worker} take its turns, soon.
     *
     * @throws RuntimeException or an {@link Error} if no thread can be had
     */
    void start(Worker worker);

    /** Has a worker that found nothing to do look again. */
    void wake(Worker worker);

    /** A thread for each worker. */
    static WorkerThreads of(ThreadFactory threads) {
        return new WorkerThreads() {
            @Override
            public void start(Worker worker) {
                Thread thread = threads.newThread(() -> work(worker));
                worker.thread = Objects.requireNonNull(thread, "the thread factory made no thread");
                thread.start();
            }

            @Override
            public void wake(Worker worker) {
                LockSupport.unpark(worker.thread);
            }
        };
    }

    private static void work(Worker worker) {
        WorkerSet.SELF.set(worker);
        while (!worker.gone) {
            if (!worker.turn() && !worker.gone) {
                LockSupport.park(worker);
                Thread.interrupted(); // or the next park would not wait
            }
        }
    }
}
