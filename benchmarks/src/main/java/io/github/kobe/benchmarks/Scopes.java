package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import io.github.kobe.scope.Task;
import io.github.kobe.scope.ThreadScope;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Scopes: opened, tasks forked and waited for, closed; against an executor made for the purpose, and against jox. */
final class Scopes {

    private static final Callable<Boolean> NOTHING = () -> true;
    private static final int[] SIZES = {10, 100, 10_000};
    private static final int TASKS_A_ROUND = 30_000;
    private static final int TASKS_A_ROUND_OF_JOX = 8_000; // which take as long
    private static final int RACES_A_ROUND = 3_000;
    private static final int MANY = 300_000;
    private static final int FEWER_TIMES = 30;
    private static final double SEED_RATE =
            70_000; // so many a second ran in one scope of the design that ours comes from
    private static final int PENDING = 200_000;

    private Scopes() {}

    // ---- sides ---------------------------------------------------------------------------------------------------

    /** Opens, forks {@code tasks}, waits for all, closes. */
    private interface Side {
        void forkAndJoin(int tasks) throws Throwable;
    }

    private static void ours(int tasks) {
        try (ThreadScope scope = ThreadScope.open()) {
            List<Task<Boolean>> forked = new ArrayList<>(tasks);
            for (int i = 0; i < tasks; i++) {
                forked.add(scope.submit(NOTHING));
            }
            scope.await(forked);
        }
    }

    private static void bare(int tasks) throws Exception {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> forked = new ArrayList<>(tasks);
            for (int i = 0; i < tasks; i++) {
                forked.add(executor.submit(NOTHING));
            }
            for (Future<Boolean> future : forked) {
                future.get();
            }
        }
    }

    private static void jox(int tasks) throws Throwable {
        Jox.supervised(scope -> {
            List<Object> forked = new ArrayList<>(tasks);
            for (int i = 0; i < tasks; i++) {
                forked.add(Jox.fork(scope, NOTHING));
            }
            for (Object fork : forked) {
                Jox.join(fork);
            }
            return true;
        });
    }

    private static void ourRace(int ways) {
        try (ThreadScope scope = ThreadScope.open()) {
            scope.joiner().firstSuccess(NOTHING, NOTHING, NOTHING);
        }
    }

    private static void bareRace(int ways) throws Exception {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            executor.invokeAny(List.of(NOTHING, NOTHING, NOTHING));
        }
    }

    // ---- rows ----------------------------------------------------------------------------------------------------

    static List<Row> rows(Effort effort) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        for (int size : SIZES) {
            Fork fork = fork(effort, size);
            rows.add(row("scope of " + size + " tasks, against an executor and futures", fork, "bare", 0.8));
            rows.add(row("scope of " + size + " tasks, against jox", fork, "jox", 0.8));
        }
        rows.add(row("first success of 3, against invokeAny", fork(effort, 0), "bare", 0.8));
        Fork many = fork(effort, MANY);
        rows.add(row("scope of 300,000 tasks, a task against one of 10,000", many, "flat", 0.67));
        rows.add(new Row(
                "the same, tasks a second", Unit.COUNT, null, many.spread("rate"), Promise.atLeast(10 * SEED_RATE)));
        rows.add(new Row(
                "heap per pending task of a scope", Unit.BYTES, null, Spread.of(bytesPerTask()), Promise.atMost(160)));
        return rows;
    }

    private static Fork fork(Effort effort, int size) throws InterruptedException {
        return Fork.run(effort.of(5, 1), Scopes.class, effort.of(8, 4), effort.of(20, 3), size);
    }

    private static Row row(String figure, Fork fork, String against, double promise) {
        return new Row(figure, Unit.TIMES, null, fork.spread(against), Promise.atLeast(promise));
    }

    /** One fork: warm-up rounds, rounds, and the size of the scope; 0 for races. */
    public static void main(String[] args) throws Throwable {
        int warmups = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        int size = Integer.parseInt(args[2]);
        for (int round = -warmups; round < rounds; round++) {
            if (size == 0) {
                report(round, "bare", compare(Scopes::ourRace, Scopes::bareRace, 3, RACES_A_ROUND));
            } else if (size == MANY) {
                double nanos = nanos(Scopes::ours, MANY, 1);
                report(round, "flat", FEWER_TIMES * nanos(Scopes::ours, MANY / FEWER_TIMES, 1) / nanos);
                report(round, "rate", TimeUnit.SECONDS.toNanos(1) * MANY / nanos);
            } else {
                report(round, "bare", compare(Scopes::ours, Scopes::bare, size, TASKS_A_ROUND / size));
                report(round, "jox", compare(Scopes::ours, Scopes::jox, size, TASKS_A_ROUND_OF_JOX / size));
            }
        }
    }

    private static void report(int round, String against, double speed) {
        if (round >= 0) {
            Fork.report(against, speed);
        }
    }

    /** How many times as fast {@code one} is. */
    private static double compare(Side one, Side other, int size, int times) throws Throwable {
        double first = 0;
        double second = 0;
        for (int part = 0; part < 4; part++) { // in turns: what disturbs one disturbs the other
            first += nanos(one, size, times / 4 + 1);
            second += nanos(other, size, times / 4 + 1);
        }
        return second / first;
    }

    private static double nanos(Side side, int size, int times) throws Throwable {
        long start = System.nanoTime();
        for (int i = 0; i < times; i++) {
            side.forkAndJoin(size);
        }
        return System.nanoTime() - start;
    }

    /** Tasks that wait for a place, and the handles to them; the callable is shared by all. */
    private static double bytesPerTask() {
        CountDownLatch done = new CountDownLatch(1);
        Object[] tasks = new Object[PENDING]; // there before and after, so it does not count
        try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(1).withQueueing(true)) {
            scope.submit(() -> {
                done.await();
                return true;
            });
            long before = Heap.settled();
            for (int i = 0; i < PENDING; i++) {
                tasks[i] = scope.submit(NOTHING);
            }
            double bytes = (Heap.settled() - before) / (double) PENDING;
            done.countDown();
            Reference.reachabilityFence(tasks);
            return bytes;
        }
    }
}
