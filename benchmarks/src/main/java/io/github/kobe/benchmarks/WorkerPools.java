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
import java.util.stream.Stream;

/** {@link WorkerPool} with two workers, compared with a {@link ThreadPoolExecutor} of two threads. */
final class WorkerPools {

    private static final int WORKERS = 2;
    private static final int TASKS = 1_000_000;
    private static final int COMPUTING_TASKS = 10_000;
    private static final int MAX_STEPS = 25_000; // about 50 µs
    private static final int MIN_STEPS = 500;
    private static final int PRIORITIES = 10;
    private static final String WORKER_POOL = "WorkerPool";
    private static final String THREAD_POOL = "ThreadPoolExecutor";

    /** What is compared, each in its own JVMs. */
    private enum Variant {
        EMPTY(
                "worker pool, 1,000,000 empty tasks",
                WorkerPoolAdapter::new,
                ThreadPoolAdapter::new,
                TASKS,
                executor -> nanos(executor, TASKS, 0)),
        PRIORITY(
                "worker pool, 1,000,000 empty tasks of 10 priorities",
                PriorityWorkerPoolAdapter::new,
                PriorityThreadPoolAdapter::new,
                TASKS,
                executor -> nanos(executor, TASKS, 0)),
        COMPUTING(
                "worker pool, tasks that compute for 1 to 50 µs",
                WorkerPoolAdapter::new,
                ThreadPoolAdapter::new,
                COMPUTING_TASKS,
                executor -> nanos(executor, COMPUTING_TASKS, MAX_STEPS));

        private final String title;
        private final Supplier<ExecutorAdapter> workerPools;
        private final Supplier<ExecutorAdapter> threadPools;
        private final int tasks;
        private final Workload workload;

        Variant(
                String title,
                Supplier<ExecutorAdapter> workerPools,
                Supplier<ExecutorAdapter> threadPools,
                int tasks,
                Workload workload) {
            this.title = title;
            this.workerPools = workerPools;
            this.threadPools = threadPools;
            this.tasks = tasks;
            this.workload = workload;
        }
    }

    private static final Variant[] VARIANTS = Variant.values();

    private WorkerPools() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        return List.of(
                row(Variant.EMPTY, "against ThreadPoolExecutor", length, 1.0),
                row(Variant.PRIORITY, "against a PriorityBlockingQueue", length, 1.5),
                row(Variant.COMPUTING, "against ThreadPoolExecutor", length, 0.98));
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return Stream.of(VARIANTS)
                .map(variant -> LibraryWorkload.of(
                        variant.title + ", per task", Unit.NANOS, variant.tasks, variant.workerPools, variant.workload))
                .toList();
    }

    private static Row row(Variant variant, String against, RunLength length, double promise)
            throws InterruptedException {
        Fork fork =
                Fork.run(length.pick(3, 1), WorkerPools.class, length.pick(4, 2), length.pick(6, 3), variant.ordinal());
        return new Row(
                variant.title + ", " + against,
                Unit.SPEEDUP,
                null,
                fork.quartiles(WORKER_POOL),
                Promise.atLeast(promise));
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds, the variant. */
    public static void main(String[] args) throws InterruptedException {
        Variant variant = VARIANTS[Integer.parseInt(args[2])];
        InterleavedRounds rounds = new InterleavedRounds()
                .add(THREAD_POOL, variant.threadPools)
                .add(WORKER_POOL, variant.workerPools)
                .run(Integer.parseInt(args[0]), Integer.parseInt(args[1]), variant.workload);
        Fork.print(WORKER_POOL, rounds.speedups(WORKER_POOL, THREAD_POOL));
    }

    /** Returns the time from the first submission to the last completion. */
    private static double nanos(ExecutorAdapter executor, int tasks, int maxSteps) throws InterruptedException {
        CountDownLatch remaining = new CountDownLatch(tasks);
        Callable<Object> emptyTask = () -> {
            remaining.countDown();
            return remaining;
        };
        long start = System.nanoTime();
        for (int i = 0; i < tasks; i++) {
            int steps = maxSteps == 0 ? 0 : MIN_STEPS + (i * 7919) % (maxSteps - MIN_STEPS);
            executor.submit("", maxSteps == 0 ? emptyTask : () -> compute(steps, remaining));
        }
        Await.zero(remaining);
        return System.nanoTime() - start;
    }

    /** Each step needs the result of the one before, so that the compiler cannot vectorize the loop. */
    private static Object compute(int steps, CountDownLatch remaining) {
        long x = steps;
        for (int i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        remaining.countDown();
        return x;
    }

    private static class WorkerPoolAdapter implements ExecutorAdapter {
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

    private static final class PriorityWorkerPoolAdapter extends WorkerPoolAdapter {
        private final TaskOptions[] options = new TaskOptions[PRIORITIES];
        private int next;

        PriorityWorkerPoolAdapter() {
            Arrays.setAll(options, i -> TaskOptions.builder().priority(i).build());
        }

        @Override
        public Object submit(String group, Callable<?> task) {
            next = (next + 7) % PRIORITIES;
            return pool.submit(task, options[next]);
        }
    }

    private static class ThreadPoolAdapter implements ExecutorAdapter {
        final ThreadPoolExecutor pool;

        ThreadPoolAdapter() {
            this(new LinkedBlockingQueue<>());
        }

        ThreadPoolAdapter(BlockingQueue<Runnable> queue) {
            pool = new ThreadPoolExecutor(WORKERS, WORKERS, 0, TimeUnit.SECONDS, queue) {
                @Override
                protected <T> RunnableFuture<T> newTaskFor(Callable<T> task) {
                    return task instanceof PriorityTask<T> withPriority
                            ? new PriorityFuture<>(withPriority)
                            : super.newTaskFor(task);
                }
            };
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the caller gets it
        public Object submit(String group, Callable<?> task) {
            return pool.submit(task);
        }

        @Override
        public void close() {
            pool.close();
        }
    }

    private record PriorityTask<T>(Callable<T> task, int priority) implements Callable<T> {
        @Override
        public T call() throws Exception {
            return task.call();
        }
    }

    private static final class PriorityFuture<T> extends FutureTask<T> implements Comparable<PriorityFuture<?>> {
        private final int priority;

        PriorityFuture(PriorityTask<T> task) {
            super(task);
            priority = task.priority;
        }

        @Override
        public int compareTo(PriorityFuture<?> other) {
            return Integer.compare(other.priority, priority);
        }
    }

    private static final class PriorityThreadPoolAdapter extends ThreadPoolAdapter {
        private int next;

        PriorityThreadPoolAdapter() {
            super(new PriorityBlockingQueue<>());
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the caller gets it
        public Object submit(String group, Callable<?> task) {
            next = (next + 7) % PRIORITIES;
            return pool.submit(new PriorityTask<>(task, next));
        }
    }
}
