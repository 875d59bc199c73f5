package io.github.kobe.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** One thing that grows, everything else being equal: what does a task cost then? */
enum Sweep {
    QUEUED("tasks in line", IntStream.of(1_000, 10_000, 100_000, 1_000_000), 1, beside(Peer.POOLS)) {
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

    /** Every group has been used before the clock starts, and a collection has been. */
    GROUPS(
            "groups",
            IntStream.of(10, 100, 1_000, 10_000, 100_000, 1_000_000),
            8,
            beside(Peer.SEMAPHORE),
            new Side(PlainState.NAME, PlainState.TITLE, limit -> new PlainState())) {
        @Override
        double nanosPerTask(Contender contender, int point, int tasks) throws InterruptedException {
            String[] keys = new String[point];
            Arrays.setAll(keys, i -> "group-" + i);
            nanos(contender, keys, point, 1);
            System.gc(); // now they are where what is kept is kept
            int measured = Math.max(tasks, point);
            return nanos(contender, keys, measured, 1) / measured;
        }

        @Override
        List<String> notes() {
            return List.of(
                    "\"" + PlainState.TITLE + "\" is a map with as much memory for each group as this library has, "
                            + "into which every task is written and out of which it is taken again, and nothing else: "
                            + "what grows there, memory costs that no cache holds and of whose changes the collector keeps a record. "
                            + "A semaphore has little memory, and nothing is written into it but a number.");
        }
    },

    THREADS("submitting threads", IntStream.of(1, 2, 4, 8, 16, 32, 64), 8, beside(Peer.THREADS)) {
        @Override
        double nanosPerTask(Contender contender, int point, int tasks) throws InterruptedException {
            int each = tasks / point;
            return nanos(contender, Dispatch.keys(), each, point) / ((double) each * point);
        }
    };

    /**
     * One way to do it.
     *
     * @param name what its numbers are reported under
     * @param fresh makes one, for a limit of each group
     */
    record Side(String name, String title, IntFunction<Contender> fresh) {}

    private static final Side OURS = new Side(
            Library.NAME, "this library", limit -> Library.ofLimit(limit).get());

    private static final int MOST_TO_WARM_UP = 100_000;

    private final String title;
    private final int[] points;
    private final int limit;
    private final List<Side> others;

    Sweep(String title, IntStream points, int limit, Side... others) {
        this.title = title;
        this.points = points.toArray();
        this.limit = limit;
        this.others = List.of(others);
    }

    private static Side beside(Peer peer) {
        return new Side(peer.name(), peer.title(), limit -> peer.open(limit, Integer.MAX_VALUE));
    }

    String title() {
        return title;
    }

    Side ours() {
        return OURS;
    }

    /** What goes the same way beside it. Where that grows too, the machine has a part in it. */
    List<Side> others() {
        return others;
    }

    int[] points() {
        return points.clone();
    }

    /** What one has to know about those beside it. */
    List<String> notes() {
        return List.of();
    }

    abstract double nanosPerTask(Contender contender, int point, int tasks) throws InterruptedException;

    /** What the cost of a task is reported under. */
    static String key(Side side, int point) {
        return side.name + "@" + point;
    }

    /** For a JVM of its own: there and back again through the points, all sides at each. */
    void run(int warmups, int rounds, int tasks) throws InterruptedException {
        for (int round = -warmups; round < rounds; round++) {
            for (int i = 0; i < points.length; i++) {
                int point = points[round % 2 == 0 ? i : points.length - 1 - i];
                if (round < 0 && point > MOST_TO_WARM_UP) {
                    continue; // long enough to warm up on the way
                }
                go(OURS, round, point, tasks);
                for (Side other : others) {
                    go(other, round, point, tasks);
                }
            }
        }
    }

    private void go(Side side, int round, int point, int tasks) throws InterruptedException {
        System.gc();
        try (Contender contender = side.fresh.apply(limit)) {
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
