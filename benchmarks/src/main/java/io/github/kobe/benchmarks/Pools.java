package io.github.kobe.benchmarks;

import io.github.kobe.TaskOptions;
import io.github.kobe.benchmarks.Row.Promise;
import io.github.kobe.pool.WorkerPool;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The worker pool with two workers, against {@link ThreadPoolExecutor} with as many. */
final class Pools {

    private static final int WORKERS = 2;
    private static final int TASKS = 1_000_000;
    private static final int CPU_TASKS = 10_000;
    private static final int LARGEST = 25_000; // some 50 µs
    private static final int SMALLEST = 500;
    private static final int PRIORITIES = 10;
    private static final String OURS = "ours";
    private static final String JDK = "jdk";

    /** What is compared, each in JVMs of its own. */
    private enum Work {
        EMPTY(PlainPool::new, PlainJdk::new, contender -> nanos(contender, TASKS, 0)),
        PRIORITY(RankedPool::new, RankedJdk::new, contender -> nanos(contender, TASKS, 0)),
        CPU(PlainPool::new, PlainJdk::new, contender -> nanos(contender, CPU_TASKS, LARGEST));

        private final Supplier<Contender> ours;
        private final Supplier<Contender> jdk;
        private final Workload load;

        Work(Supplier<Contender> ours, Supplier<Contender> jdk, Workload load) {
            this.ours = ours;
            this.jdk = jdk;
            this.load = load;
        }
    }

    private static final Work[] WORKS = Work.values();

    private Pools() {}

    static List<Row> rows(Effort effort) throws InterruptedException {
        return List.of(
                row("worker pool, 1,000,000 empty tasks, against ThreadPoolExecutor", effort, Work.EMPTY, 1.0),
                row("the same with 10 priorities, against a PriorityBlockingQueue", effort, Work.PRIORITY, 1.5),
                row("worker pool, tasks of 1 to 50 µs that compute", effort, Work.CPU, 0.98));
    }

    private static Row row(String figure, Effort effort, Work work, double least) throws InterruptedException {
        Fork fork = Fork.run(effort.of(3, 1), Pools.class, effort.of(4, 2), effort.of(6, 3), work.ordinal());
        return new Row(figure, Unit.TIMES, null, fork.spread(OURS), Promise.atLeast(least));
    }

    /** One fork: warm-up rounds, rounds, which work. */
    public static void main(String[] args) throws InterruptedException {
        Work work = WORKS[Integer.parseInt(args[2])];
        Rounds rounds = new Rounds()
                .side(JDK, work.jdk)
                .side(OURS, work.ours)
                .run(Integer.parseInt(args[0]), Integer.parseInt(args[1]), work.load);
        for (double speed : rounds.speeds(OURS, JDK)) {
            Fork.report(OURS, speed);
        }
    }

    /** From the first submission to the end of the last task. */
    private static double nanos(Contender contender, int tasks, int largest) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(tasks);
        Callable<Object> empty = () -> {
            left.countDown();
            return left;
        };
        long start = System.nanoTime();
        for (int i = 0; i < tasks; i++) {
            int effort = largest == 0 ? 0 : SMALLEST + (i * 7919) % (largest - SMALLEST);
            contender.submit("", largest == 0 ? empty : () -> computed(effort, left));
        }
        Await.zero(left);
        return System.nanoTime() - start;
    }

    /** Shifts and sums, each of what the last one came to: sums of products would be worked out several at a time by a compiler. */
    private static Object computed(int effort, CountDownLatch left) {
        long x = effort;
        for (int i = 0; i < effort; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        left.countDown();
        return x;
    }

    private static class PlainPool implements Contender {
        final WorkerPool pool =
                WorkerPool.builder().minWorkers(WORKERS).maxWorkers(WORKERS).build();

        @Override
        public Object submit(String group, Callable<?> task) {
            return pool.submit(task);
        }

        @Override
        public void close() {
            pool.close();
        }
    }

    private static final class RankedPool extends PlainPool {
        private final TaskOptions[] options = new TaskOptions[PRIORITIES];
        private int next;

        RankedPool() {
            Arrays.setAll(options, i -> TaskOptions.builder().priority(i).build());
        }

        @Override
        public Object submit(String group, Callable<?> task) {
            next = (next + 7) % PRIORITIES;
            return pool.submit(task, options[next]);
        }
    }

    private static class PlainJdk implements Contender {
        final ThreadPoolExecutor pool;

        PlainJdk() {
            this(new LinkedBlockingQueue<>());
        }

        PlainJdk(BlockingQueue<Runnable> queue) {
            pool = new ThreadPoolExecutor(WORKERS, WORKERS, 0, TimeUnit.SECONDS, queue) {
                @Override
                protected <T> RunnableFuture<T> newTaskFor(Callable<T> task) {
                    return task instanceof Ranked<T> ranked ? new RankedFuture<>(ranked) : super.newTaskFor(task);
                }
            };
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // handed on as what the caller would hold
        public Object submit(String group, Callable<?> task) {
            return pool.submit(task);
        }

        @Override
        public void close() {
            pool.close();
        }
    }

    private record Ranked<T>(Callable<T> task, int priority) implements Callable<T> {
        @Override
        public T call() throws Exception {
            return task.call();
        }
    }

    private static final class RankedFuture<T> extends FutureTask<T> implements Comparable<RankedFuture<?>> {
        private final int priority;

        RankedFuture(Ranked<T> task) {
            super(task);
            priority = task.priority;
        }

        @Override
        public int compareTo(RankedFuture<?> other) {
            return Integer.compare(other.priority, priority);
        }
    }

    private static final class RankedJdk extends PlainJdk {
        private int next;

        RankedJdk() {
            super(new PriorityBlockingQueue<>());
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // handed on as what the caller would hold
        public Object submit(String group, Callable<?> task) {
            next = (next + 7) % PRIORITIES;
            return pool.submit(new Ranked<>(task, next));
        }
    }
}
