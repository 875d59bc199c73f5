package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import java.lang.ref.Reference;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

/** What a task that waits costs in memory, handle included; callable, key and id are shared by all. */
final class QueuedHeap {

    private static final int TASKS = 200_000;
    private static final String GROUP = "group";
    private static final AtomicInteger DONE = new AtomicInteger();
    private static final Callable<Integer> COUNT = DONE::incrementAndGet;

    private QueuedHeap() {}

    static List<Row> rows(Effort effort) throws InterruptedException {
        Rounds rounds = new Rounds()
                .sideUnlessQuick(effort, "seed-like", SeedLike.with(Integer.MAX_VALUE, key -> 1))
                .side("ours", Library.with(policy -> policy.defaultMaxConcurrencyPerGroup(1)))
                .run(effort.of(1, 0), effort.of(5, 1), of(TASKS));
        return List.of(new Row(
                "heap per queued task, handle included",
                Unit.BYTES,
                rounds.costIfMeasured("seed-like"),
                rounds.cost("ours"),
                Promise.atMost(96)));
    }

    static Workload of(int tasks) {
        return contender -> bytesPerTask(contender, tasks);
    }

    private static double bytesPerTask(Contender contender, int tasks) throws InterruptedException {
        DONE.set(0);
        Blocker blocker = Blocker.in(contender, GROUP);
        Object[] handles = new Object[tasks]; // there before and after, so it does not count
        long before = Heap.settled();
        double bytes;
        try {
            for (int i = 0; i < tasks; i++) {
                handles[i] = contender.submit(GROUP, COUNT);
            }
            contender.awaitArrival(tasks + 1); // and the blocker
            bytes = (Heap.settled() - before) / (double) tasks;
        } finally {
            Reference.reachabilityFence(handles);
            blocker.release();
        }
        Await.count(DONE, tasks);
        return bytes;
    }
}
