package io.github.kobe.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Varies one quantity and measures the cost of a task. */
enum Sweep {
    QUEUED_TASKS("queued tasks", IntStream.of(1_000, 10_000, 100_000, 1_000_000), 1, peer(Peer.THREAD_POOLS)) {
        @Override
        double nanosPerTask(ExecutorAdapter executor, int point, int tasks) throws InterruptedException {
            int repetitions = Math.max(1, tasks / point);
            double nanos = 0;
            for (int i = 0; i < repetitions; i++) {
                nanos += Drain.nanosWhenAllAreQueued(executor, point);
            }
            return nanos / repetitions / point;
        }
    },

    /** Every group has been used once, and a garbage collection has followed, before the measurement. */
    GROUPS(
            "groups",
            IntStream.of(10, 100, 1_000, 10_000, 100_000, 1_000_000),
            8,
            peer(Peer.SEMAPHORE),
            new Candidate(MemoryOnlyAdapter.NAME, MemoryOnlyAdapter.TITLE, limit -> new MemoryOnlyAdapter())) {
        @Override
        double nanosPerTask(ExecutorAdapter executor, int point, int tasks) throws InterruptedException {
            String[] keys = new String[point];
            Arrays.setAll(keys, i -> "group-" + i);
            nanos(executor, keys, point, 1);
            System.gc(); // moves the groups to the old generation
            int measured = Math.max(tasks, point);
            return nanos(executor, keys, measured, 1) / measured;
        }

        @Override
        List<String> notes() {
            return List.of("\"" + MemoryOnlyAdapter.TITLE
                    + "\" is a map with about as much memory for each group as this library uses. Each task is written into the memory of "
                    + "its group and removed again; nothing else happens. Growth in that column is the cost of memory that does not fit "
                    + "into a cache and whose changes the garbage collector records. A semaphore uses little memory, and only a number "
                    + "in it is written.");
        }
    },

    THREADS("submitting threads", IntStream.of(1, 2, 4, 8, 16, 32, 64), 8, peer(Peer.VIRTUAL_THREADS)) {
        @Override
        double nanosPerTask(ExecutorAdapter executor, int point, int tasks) throws InterruptedException {
            int tasksPerThread = tasks / point;
            return nanos(executor, Dispatch.keys(), tasksPerThread, point) / ((double) tasksPerThread * point);
        }
    };

    /**
     * What is measured.
     *
     * @param name the name of its values
     * @param title the title in the report
     * @param factory creates an executor with the given limit for each group
     */
    record Candidate(String name, String title, IntFunction<ExecutorAdapter> factory) {}

    private static final Candidate LIBRARY = new Candidate(
            GroupExecutorAdapter.NAME,
            "this library",
            limit -> GroupExecutorAdapter.withLimit(limit).get());

    private static final int MAX_WARM_UP_POINT = 100_000;

    private final String title;
    private final int[] points;
    private final int limit;
    private final List<Candidate> others;

    Sweep(String title, IntStream points, int limit, Candidate... others) {
        this.title = title;
        this.points = points.toArray();
        this.limit = limit;
        this.others = List.of(others);
    }

    private static Candidate peer(Peer peer) {
        return new Candidate(peer.name(), peer.title(), limit -> peer.open(limit, Integer.MAX_VALUE));
    }

    String title() {
        return title;
    }

    Candidate library() {
        return LIBRARY;
    }

    /** Returns simpler candidates for the same work. If their cost grows as well, part of the growth is due to the machine. */
    List<Candidate> others() {
        return others;
    }

    int[] points() {
        return points.clone();
    }

    /** Returns explanations for the report. */
    List<String> notes() {
        return List.of();
    }

    abstract double nanosPerTask(ExecutorAdapter executor, int point, int tasks) throws InterruptedException;

    /** Returns the name under which a forked JVM prints the cost of a task. */
    static String key(Candidate candidate, int point) {
        return candidate.name + "@" + point;
    }

    /** In a forked JVM: visits the points upwards and downwards in turn, and runs all candidates at each. */
    void run(int warmups, int rounds, int tasks) throws InterruptedException {
        for (int round = -warmups; round < rounds; round++) {
            for (int i = 0; i < points.length; i++) {
                int point = points[round % 2 == 0 ? i : points.length - 1 - i];
                if (round < 0 && point > MAX_WARM_UP_POINT) {
                    continue; // such a point takes long enough to warm up while it is measured
                }
                measure(LIBRARY, round, point, tasks);
                for (Candidate other : others) {
                    measure(other, round, point, tasks);
                }
            }
        }
    }

    private void measure(Candidate candidate, int round, int point, int tasks) throws InterruptedException {
        System.gc();
        try (ExecutorAdapter executor = candidate.factory.apply(limit)) {
            double nanos = nanosPerTask(executor, point, tasks);
            if (round >= 0) {
                Fork.print(key(candidate, point), nanos);
            }
        }
    }

    /** Returns a workload of this library at one point. */
    LibraryWorkload libraryWorkload(int point, int tasks) {
        LibraryWorkload workload = LibraryWorkload.of(
                String.format(Locale.ROOT, "%,d %s, per task", point, title),
                Unit.NANOS,
                1,
                () -> LIBRARY.factory.apply(limit),
                executor -> nanosPerTask(executor, point, tasks));
        return point > MAX_WARM_UP_POINT ? workload.withFewRounds() : workload;
    }

    /** Submits tasks from several platform threads and returns the time until the last task has completed. */
    private static double nanos(ExecutorAdapter executor, String[] keys, int tasksPerThread, int threads)
            throws InterruptedException {
        CountDownLatch remaining = new CountDownLatch(tasksPerThread * threads);
        Callable<Boolean> task = Dispatch.countDown(remaining);
        CountDownLatch start = new CountDownLatch(1);
        for (int thread = 0; thread < threads; thread++) {
            int first = thread * keys.length / threads; // the threads start with different groups
            Thread.ofPlatform().start(() -> {
                await(start);
                for (int i = 0; i < tasksPerThread; i++) {
                    executor.submit(keys[(first + i) % keys.length], task);
                }
            });
        }
        long startNanos = System.nanoTime();
        start.countDown();
        Await.zero(remaining);
        return System.nanoTime() - startNanos;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
