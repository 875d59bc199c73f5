package io.github.kobe.benchmarks;

import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** One thing that grows, everything else being equal: what does a task cost then? */
enum Sweep {
    QUEUED("tasks in line", IntStream.of(1_000, 10_000, 100_000, 1_000_000), 1, Peer.POOLS) {
        @Override
        double nanosPerTask(Contender contender, int point, int tasks) throws InterruptedException {
            int times = Math.max(1, tasks / point);
            double nanos = 0;
            for (int i = 0; i < times; i++) {
                nanos += Drain.nanosWhenQueued(contender, point);
            }
            return nanos / times / point;
        }
    },

    /** Every group has been used before the clock starts. */
    GROUPS("groups", IntStream.of(10, 100, 1_000, 10_000, 100_000, 1_000_000), 8, Peer.SEMAPHORE) {
        @Override
        double nanosPerTask(Contender contender, int point, int tasks) throws InterruptedException {
            String[] keys = new String[point];
            Arrays.setAll(keys, i -> "group-" + i);
            nanos(contender, keys, point, 1);
            int measured = Math.max(tasks, point);
            return nanos(contender, keys, measured, 1) / measured;
        }
    },

    THREADS("submitting threads", IntStream.of(1, 2, 4, 8, 16, 32, 64), 8, Peer.THREADS) {
        @Override
        double nanosPerTask(Contender contender, int point, int tasks) throws InterruptedException {
            int each = tasks / point;
            return nanos(contender, Dispatch.keys(), each, point) / ((double) each * point);
        }
    };

    private static final int NO_LIMIT = Integer.MAX_VALUE;
    private static final int MOST_TO_WARM_UP = 100_000;

    private final String title;
    private final int[] points;
    private final int limit;
    private final Peer peer;

    Sweep(String title, IntStream points, int limit, Peer peer) {
        this.title = title;
        this.points = points.toArray();
        this.limit = limit;
        this.peer = peer;
    }

    String title() {
        return title;
    }

    /** What goes the same way beside it. Where that grows too, the machine has a part in it. */
    Peer peer() {
        return peer;
    }

    int[] points() {
        return points.clone();
    }

    abstract double nanosPerTask(Contender contender, int point, int tasks) throws InterruptedException;

    static String key(String side, int point) {
        return side + "@" + point;
    }

    /** For a JVM of its own: there and back again through the points, both sides at each. */
    void run(int warmups, int rounds, int tasks) throws InterruptedException {
        for (int round = -warmups; round < rounds; round++) {
            for (int i = 0; i < points.length; i++) {
                int point = points[round % 2 == 0 ? i : points.length - 1 - i];
                if (round < 0 && point > MOST_TO_WARM_UP) {
                    continue; // long enough to warm up on the way
                }
                go(Library.NAME, Library.ofLimit(limit), round, point, tasks);
                go(peer.name(), () -> peer.open(limit, NO_LIMIT), round, point, tasks);
            }
        }
    }

    private void go(String side, Supplier<Contender> fresh, int round, int point, int tasks)
            throws InterruptedException {
        System.gc();
        try (Contender contender = fresh.get()) {
            double nanos = nanosPerTask(contender, point, tasks);
            if (round >= 0) {
                Fork.report(key(side, point), nanos);
            }
        }
    }

    /** Has so many platform threads submit so many tasks each, and waits for the last task's end. */
    private static double nanos(Contender contender, String[] keys, int each, int threads) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(each * threads);
        Callable<Boolean> task = () -> {
            left.countDown();
            return true;
        };
        CountDownLatch go = new CountDownLatch(1);
        for (int thread = 0; thread < threads; thread++) {
            int first = thread * keys.length / threads; // not all in the same group at the same time
            Thread.ofPlatform().start(() -> {
                awaitQuietly(go);
                for (int i = 0; i < each; i++) {
                    contender.submit(keys[(first + i) % keys.length], task);
                }
            });
        }
        long start = System.nanoTime();
        go.countDown();
        Await.zero(left);
        return System.nanoTime() - start;
    }

    private static void awaitQuietly(CountDownLatch go) {
        try {
            go.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
