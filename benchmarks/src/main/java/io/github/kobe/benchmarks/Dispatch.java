package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** Empty tasks over many groups, compared with bare virtual threads without any limit. */
final class Dispatch {

    static final int TASKS = 200_000;
    static final int LIMIT = 8;
    private static final int GROUPS = 1000;
    private static final String BARE_THREADS = "bare threads";

    private Dispatch() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        Fork fork = Fork.run(length.pick(4, 1), Dispatch.class, length.pick(12, 12), length.pick(16, 10));
        return List.of(new Row(
                "dispatch, 1,000 groups of limit 8, against bare threads",
                Unit.SPEEDUP,
                fork.quartiles(ThreeSemaphoresAdapter.EARLIER_DESIGN),
                fork.quartiles(GroupExecutorAdapter.NAME),
                Promise.atLeast(0.9)));
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return List.of(LibraryWorkload.of(
                "dispatch, 1,000 groups of limit 8, per task",
                Unit.NANOS,
                TASKS,
                GroupExecutorAdapter.withLimit(LIMIT),
                workload()));
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds. */
    public static void main(String[] args) throws InterruptedException {
        InterleavedRounds rounds = new InterleavedRounds()
                .add(BARE_THREADS, VirtualThreadsAdapter::new)
                .add(
                        ThreeSemaphoresAdapter.EARLIER_DESIGN,
                        ThreeSemaphoresAdapter.with(Integer.MAX_VALUE, key -> LIMIT))
                .add(GroupExecutorAdapter.NAME, GroupExecutorAdapter.withLimit(LIMIT))
                .run(Integer.parseInt(args[0]), Integer.parseInt(args[1]), workload());
        for (String candidate : List.of(ThreeSemaphoresAdapter.EARLIER_DESIGN, GroupExecutorAdapter.NAME)) {
            Fork.print(candidate, rounds.speedups(candidate, BARE_THREADS));
        }
    }

    /** Returns a workload of {@value #TASKS} tasks. Its cost is the time in nanoseconds from the first submission to the last completion. */
    static Workload workload() {
        String[] keys = keys();
        return executor -> submitAll(executor, keys, TASKS);
    }

    /** Returns the keys of the groups, in the order of submission. */
    static String[] keys() {
        String[] keys = new String[GROUPS];
        Arrays.setAll(keys, i -> "group-" + i);
        return keys;
    }

    /** Submits empty tasks to the groups in turn, waits until all have completed, and returns the time in nanoseconds. */
    static double submitAll(ExecutorAdapter executor, String[] keys, int tasks) throws InterruptedException {
        CountDownLatch remaining = new CountDownLatch(tasks);
        Callable<Boolean> task = countDown(remaining);
        long start = System.nanoTime();
        for (int i = 0; i < tasks; i++) {
            executor.submit(keys[i % keys.length], task);
        }
        Await.zero(remaining);
        return System.nanoTime() - start;
    }

    /** Returns a task that only counts down. */
    static Callable<Boolean> countDown(CountDownLatch latch) {
        return () -> {
            latch.countDown();
            return true;
        };
    }
}
