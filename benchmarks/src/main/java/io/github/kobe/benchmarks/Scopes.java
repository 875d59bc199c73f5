package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import io.github.kobe.scope.Task;
import io.github.kobe.scope.ThreadScope;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Opens a scope, forks tasks, awaits them and closes the scope. Compared with an executor created for the purpose, and with jox. */
final class Scopes {

    private static final Callable<Boolean> EMPTY_TASK = () -> true;
    private static final int TASKS_PER_ROUND = 30_000;
    private static final int TASKS_PER_ROUND_OF_JOX = 8_000; // they take as long
    private static final int RACES_PER_ROUND = 3_000;
    private static final int RACE = 0; // an argument instead of a number of tasks
    private static final int LARGE = 300_000;
    private static final int LARGE_TO_SMALL = 30;
    private static final int PENDING = 200_000;

    /** The rate of the earlier design in one scope. The promise is ten times that. */
    private static final double EARLIER_TASKS_PER_SECOND = 70_000;

    private static final String FUTURES = "futures";
    private static final String JOX = "jox";
    private static final String LARGE_SPEEDUP = "large against small";
    private static final String RATE = "rate";
    private static final String HEAP_NAME = "heap per pending task of a scope";

    /** The numbers of tasks in a scope, with the promised speed against an executor with futures. */
    private enum Size {
        SMALL(10, 0.8),
        MEDIUM(100, 0.8),
        BIG(10_000, 0.6);

        private final int tasks;
        private final double promisedAgainstFutures;

        Size(int tasks, double promisedAgainstFutures) {
            this.tasks = tasks;
            this.promisedAgainstFutures = promisedAgainstFutures;
        }

        String title() {
            return String.format(Locale.ROOT, "scope of %,d tasks", tasks);
        }
    }

    private Scopes() {}

    // ---- candidates ----------------------------------------------------------------------------------------------

    /** Opens a scope, forks {@code tasks} tasks, awaits all, closes the scope. */
    private interface Candidate {
        void forkAndJoin(int tasks) throws Throwable;
    }

    private static void withThreadScope(int tasks) {
        try (ThreadScope scope = ThreadScope.open()) {
            List<Task<Boolean>> forked = new ArrayList<>(tasks);
            for (int i = 0; i < tasks; i++) {
                forked.add(scope.submit(EMPTY_TASK));
            }
            scope.await(forked);
        }
    }

    private static void withFutures(int tasks) throws Exception {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> forked = new ArrayList<>(tasks);
            for (int i = 0; i < tasks; i++) {
                forked.add(executor.submit(EMPTY_TASK));
            }
            for (Future<Boolean> future : forked) {
                future.get();
            }
        }
    }

    private static void withJox(int tasks) throws Throwable {
        Jox.supervised(scope -> {
            List<Object> forked = new ArrayList<>(tasks);
            for (int i = 0; i < tasks; i++) {
                forked.add(Jox.fork(scope, EMPTY_TASK));
            }
            for (Object fork : forked) {
                Jox.join(fork);
            }
            return true;
        });
    }

    private static void raceInThreadScope(int tasks) {
        try (ThreadScope scope = ThreadScope.open()) {
            scope.joiner().firstSuccess(EMPTY_TASK, EMPTY_TASK, EMPTY_TASK);
        }
    }

    private static void raceWithInvokeAny(int tasks) throws Exception {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            executor.invokeAny(List.of(EMPTY_TASK, EMPTY_TASK, EMPTY_TASK));
        }
    }

    // ---- rows ----------------------------------------------------------------------------------------------------

    static List<Row> rows(RunLength length) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        for (Size size : Size.values()) {
            Fork fork = fork(length, size.tasks);
            rows.add(row(
                    size.title() + ", against bare threads with futures", fork, FUTURES, size.promisedAgainstFutures));
            rows.add(row(size.title() + ", against jox", fork, JOX, 0.8));
        }
        rows.add(row("first success of 3, against invokeAny", fork(length, RACE), FUTURES, 0.8));
        Fork large = fork(length, LARGE);
        rows.add(row("a task in a scope of 300,000, against one in a scope of 10,000", large, LARGE_SPEEDUP, 0.67));
        rows.add(new Row(
                "rate of tasks in a scope of 300,000",
                Unit.TASKS_PER_SECOND,
                null,
                large.quartiles(RATE),
                Promise.atLeast(10 * EARLIER_TASKS_PER_SECOND)));
        rows.add(new Row(HEAP_NAME, Unit.BYTES, null, Quartiles.of(bytesPerTask()), Promise.atMost(160)));
        return rows;
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        List<LibraryWorkload> workloads = new ArrayList<>();
        for (Size size : Size.values()) {
            int scopes = TASKS_PER_ROUND / size.tasks;
            workloads.add(new LibraryWorkload(
                    size.title() + ", per task",
                    Unit.NANOS,
                    () -> nanos(Scopes::withThreadScope, size.tasks, scopes) / TASKS_PER_ROUND));
        }
        workloads.add(new LibraryWorkload(
                "scope of 300,000 tasks, per task",
                Unit.NANOS,
                () -> nanos(Scopes::withThreadScope, LARGE, 1) / LARGE));
        workloads.add(new LibraryWorkload(
                "first success of 3, per race",
                Unit.NANOS,
                () -> nanos(Scopes::raceInThreadScope, RACE, RACES_PER_ROUND) / RACES_PER_ROUND));
        workloads.add(new LibraryWorkload(HEAP_NAME, Unit.BYTES, Scopes::bytesPerTask).withFewRounds());
        return workloads;
    }

    private static Fork fork(RunLength length, int tasks) throws InterruptedException {
        return Fork.run(length.pick(5, 1), Scopes.class, length.pick(8, 4), length.pick(20, 3), tasks);
    }

    private static Row row(String name, Fork fork, String against, double promise) {
        return new Row(name, Unit.SPEEDUP, null, fork.quartiles(against), Promise.atLeast(promise));
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds, the number of tasks in a scope or {@link #RACE}. */
    public static void main(String[] args) throws Throwable {
        int warmups = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        int tasks = Integer.parseInt(args[2]);
        for (int round = -warmups; round < rounds; round++) {
            if (tasks == RACE) {
                double speedup = speedup(Scopes::raceInThreadScope, Scopes::raceWithInvokeAny, tasks, RACES_PER_ROUND);
                print(round, FUTURES, speedup);
            } else if (tasks == LARGE) {
                double nanos = nanos(Scopes::withThreadScope, LARGE, 1);
                double nanosOfSmall = nanos(Scopes::withThreadScope, LARGE / LARGE_TO_SMALL, 1);
                print(round, LARGE_SPEEDUP, LARGE_TO_SMALL * nanosOfSmall / nanos);
                print(round, RATE, TimeUnit.SECONDS.toNanos(1) * LARGE / nanos);
            } else {
                print(
                        round,
                        FUTURES,
                        speedup(Scopes::withThreadScope, Scopes::withFutures, tasks, TASKS_PER_ROUND / tasks));
                print(
                        round,
                        JOX,
                        speedup(Scopes::withThreadScope, Scopes::withJox, tasks, TASKS_PER_ROUND_OF_JOX / tasks));
            }
        }
    }

    private static void print(int round, String name, double value) {
        if (round >= 0) {
            Fork.print(name, value);
        }
    }

    /** Returns how many times as fast as {@code baseline} the candidate is. */
    private static double speedup(Candidate candidate, Candidate baseline, int tasks, int scopes) throws Throwable {
        double nanos = 0;
        double nanosOfBaseline = 0;
        for (int part = 0; part < 4; part++) { // in turns, so that other load affects both
            nanos += nanos(candidate, tasks, scopes / 4 + 1);
            nanosOfBaseline += nanos(baseline, tasks, scopes / 4 + 1);
        }
        return nanosOfBaseline / nanos;
    }

    private static double nanos(Candidate candidate, int tasks, int scopes) throws Throwable {
        long start = System.nanoTime();
        for (int i = 0; i < scopes; i++) {
            candidate.forkAndJoin(tasks);
        }
        return System.nanoTime() - start;
    }

    /** Returns the heap of a queued task and its handle. All tasks share the callable. */
    private static double bytesPerTask() {
        CountDownLatch released = new CountDownLatch(1);
        Object[] tasks = new Object[PENDING]; // allocated before both measurements, so it does not count
        try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(1).withQueueing(true)) {
            scope.submit(() -> {
                released.await();
                return true;
            });
            long before = Heap.usedAfterGc();
            for (int i = 0; i < PENDING; i++) {
                tasks[i] = scope.submit(EMPTY_TASK);
            }
            double bytes = (Heap.usedAfterGc() - before) / (double) PENDING;
            released.countDown();
            Reference.reachabilityFence(tasks);
            return bytes;
        }
    }
}
