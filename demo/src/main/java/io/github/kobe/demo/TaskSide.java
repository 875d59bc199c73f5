package io.github.kobe.demo;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** An executor that is handed tasks, which wait until it starts them. */
final class TaskSide implements Side {

    /** Hands a task of a role to the executor. */
    interface Door {
        void execute(int role, Runnable task);
    }

    private final Ledger ledger;
    private final Door door;
    private final Runnable stop;

    TaskSide(Ledger ledger, Door door, Runnable stop) {
        this.ledger = ledger;
        this.door = door;
        this.stop = stop;
    }

    /** A {@link ThreadPoolExecutor} with a queue, as everybody has one. */
    static TaskSide threadPool(int threads, Ledger ledger) {
        ThreadFactory factory =
                Thread.ofPlatform().name("demo-pool-", 0).daemon().factory();
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        return new TaskSide(ledger, (role, task) -> pool.execute(task), () -> stop(pool));
    }

    private static void stop(ThreadPoolExecutor pool) {
        pool.shutdownNow();
        pool.close();
    }

    @Override
    public void submit(Arrival arrival) {
        Tally.Entry entry = ledger.arrive(arrival.role());
        door.execute(arrival.role(), () -> play(arrival, entry));
    }

    private void play(Arrival arrival, Tally.Entry entry) {
        ledger.settle(arrival.role(), entry);
        ledger.begin(arrival.role());
        try {
            Nap.of(arrival.length());
        } finally {
            ledger.end(arrival.role());
        }
    }

    @Override
    public void close() {
        stop.run();
    }
}
