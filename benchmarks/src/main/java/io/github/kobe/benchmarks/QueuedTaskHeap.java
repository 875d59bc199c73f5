package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import java.lang.ref.Reference;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

/** The heap of a queued task including its handle. All tasks share the callable, the key and the id. */
final class QueuedTaskHeap {

    private static final int TASKS = 200_000;
    private static final String NAME = "heap per queued task, handle included";
    private static final String GROUP = "group";
    private static final AtomicInteger COMPLETED = new AtomicInteger();
    private static final Callable<Integer> TASK = COMPLETED::incrementAndGet;

    private QueuedTaskHeap() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        InterleavedRounds rounds = new InterleavedRounds()
                .addUnlessQuick(
                        length,
                        ThreeSemaphoresAdapter.EARLIER_DESIGN,
                        ThreeSemaphoresAdapter.with(Integer.MAX_VALUE, key -> 1))
                .add(GroupExecutorAdapter.NAME, GroupExecutorAdapter.withLimit(1))
                .run(length.pick(1, 0), length.pick(5, 1), workload(TASKS));
        return List.of(new Row(
                NAME,
                Unit.BYTES,
                rounds.costIfMeasured(ThreeSemaphoresAdapter.EARLIER_DESIGN),
                rounds.cost(GroupExecutorAdapter.NAME),
                Promise.atMost(96)));
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return List.of(LibraryWorkload.of(NAME, Unit.BYTES, 1, GroupExecutorAdapter.withLimit(1), workload(TASKS))
                .withFewRounds());
    }

    static Workload workload(int tasks) {
        return executor -> bytesPerTask(executor, tasks);
    }

    private static double bytesPerTask(ExecutorAdapter executor, int tasks) throws InterruptedException {
        COMPLETED.set(0);
        BlockingTask blockingTask = BlockingTask.start(executor, GROUP);
        Object[] handles = new Object[tasks]; // allocated before both measurements, so it does not count
        long before = Heap.usedAfterGc();
        double bytes;
        try {
            for (int i = 0; i < tasks; i++) {
                handles[i] = executor.submit(GROUP, TASK);
            }
            executor.awaitSubmitted(tasks + 1); // the blocking task counts, too
            bytes = (Heap.usedAfterGc() - before) / (double) tasks;
        } finally {
            Reference.reachabilityFence(handles);
            blockingTask.release();
        }
        Await.count(COMPLETED, tasks);
        return bytes;
    }
}
