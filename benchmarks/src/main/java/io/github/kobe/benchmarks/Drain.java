package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Empty tasks of one group of limit 1, compared with a hand-written semaphore. */
final class Drain {

    static final int TASKS = 200_000;
    private static final String GROUP = "group";
    private static final String SEMAPHORE = "semaphore";

    private Drain() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        InterleavedRounds queued =
                candidates(length).run(length.pick(4, 2), length.pick(10, 3), Drain::nanosWhenAllAreQueued);
        rows.add(row("one group of limit 1, 200,000 queued tasks, against a semaphore", queued, Promise.atLeast(1.0)));
        if (!length.quick()) {
            InterleavedRounds unblocked = candidates(length).run(4, 10, Drain::nanosWhenFirstStartsAtOnce);
            rows.add(row(
                    "one group of limit 1, 200,000 tasks, the first starts at once, against a semaphore",
                    unblocked,
                    null));
        }
        return rows;
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return List.of(
                LibraryWorkload.of(
                        "one group of limit 1, 200,000 queued tasks, per task",
                        Unit.NANOS,
                        TASKS,
                        GroupExecutorAdapter.withLimit(1),
                        Drain::nanosWhenAllAreQueued),
                LibraryWorkload.of(
                        "one group of limit 1, 200,000 tasks, the first starts at once, per task",
                        Unit.NANOS,
                        TASKS,
                        GroupExecutorAdapter.withLimit(1),
                        Drain::nanosWhenFirstStartsAtOnce));
    }

    private static InterleavedRounds candidates(RunLength length) {
        return new InterleavedRounds()
                .add(SEMAPHORE, () -> new SingleSemaphoreAdapter(1))
                .addUnlessQuick(
                        length,
                        ThreeSemaphoresAdapter.EARLIER_DESIGN,
                        ThreeSemaphoresAdapter.with(Integer.MAX_VALUE, key -> 1))
                .add(GroupExecutorAdapter.NAME, GroupExecutorAdapter.withLimit(1));
    }

    private static Row row(String name, InterleavedRounds rounds, @Nullable Promise promise) {
        return new Row(
                name,
                Unit.SPEEDUP,
                rounds.speedupIfMeasured(ThreeSemaphoresAdapter.EARLIER_DESIGN, SEMAPHORE),
                rounds.speedup(GroupExecutorAdapter.NAME, SEMAPHORE),
                promise);
    }

    static double nanosWhenAllAreQueued(ExecutorAdapter executor) throws InterruptedException {
        return nanosWhenAllAreQueued(executor, TASKS);
    }

    /** Returns the time from the first submission to the last completion. The first task starts when all are queued. */
    static double nanosWhenAllAreQueued(ExecutorAdapter executor, int tasks) throws InterruptedException {
        BlockingTask blockingTask = BlockingTask.start(executor, GROUP);
        CountDownLatch remaining = new CountDownLatch(tasks);
        long start = System.nanoTime();
        submitAll(executor, remaining, tasks);
        executor.awaitSubmitted(tasks + 1); // the blocking task counts, too
        blockingTask.release();
        Await.zero(remaining);
        return System.nanoTime() - start;
    }

    private static double nanosWhenFirstStartsAtOnce(ExecutorAdapter executor) throws InterruptedException {
        CountDownLatch remaining = new CountDownLatch(TASKS);
        long start = System.nanoTime();
        submitAll(executor, remaining, TASKS);
        Await.zero(remaining);
        return System.nanoTime() - start;
    }

    private static void submitAll(ExecutorAdapter executor, CountDownLatch remaining, int tasks) {
        Callable<Boolean> task = Dispatch.countDown(remaining);
        for (int i = 0; i < tasks; i++) {
            executor.submit(GROUP, task);
        }
    }
}
