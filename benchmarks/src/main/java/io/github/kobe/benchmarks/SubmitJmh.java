package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Submits one empty task to a group below its limit and awaits it, from one thread and from two. The submitters are virtual threads: the
 * time to wake a platform thread would be larger than everything else.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "-Djmh.executor=VIRTUAL")
public class SubmitJmh {

    private static final Callable<Boolean> EMPTY_TASK = () -> true;

    /** The executors, shared by all threads. */
    @State(Scope.Benchmark)
    public static class ExecutorState {
        ExecutorService bareThreads;
        GroupExecutor groups;

        @Setup
        public void open() {
            bareThreads = Executors.newVirtualThreadPerTaskExecutor();
            groups = GroupExecutor.newVirtualThreadExecutor(
                    GroupPolicy.builder().defaultMaxConcurrencyPerGroup(8).build());
        }

        @TearDown
        public void close() {
            bareThreads.close();
            groups.close();
        }
    }

    /** A key for each thread. */
    @State(Scope.Thread)
    public static class OwnKey {
        final String key = "group-" + Thread.currentThread().threadId();
    }

    @Benchmark
    @Threads(1)
    public Object bareThreads(ExecutorState executor) throws InterruptedException, ExecutionException {
        return executor.bareThreads.submit(EMPTY_TASK).get();
    }

    @Benchmark
    @Threads(2)
    public Object bareThreadsFromTwo(ExecutorState executor) throws InterruptedException, ExecutionException {
        return executor.bareThreads.submit(EMPTY_TASK).get();
    }

    @Benchmark
    @Threads(1)
    public Object oneGroup(ExecutorState executor) throws InterruptedException {
        return executor.groups.submit("group", "task", EMPTY_TASK).await();
    }

    @Benchmark
    @Threads(2)
    public Object oneGroupFromTwo(ExecutorState executor) throws InterruptedException {
        return executor.groups.submit("group", "task", EMPTY_TASK).await();
    }

    @Benchmark
    @Threads(1)
    public Object groupPerThread(ExecutorState executor, OwnKey own) throws InterruptedException {
        return executor.groups.submit(own.key, "task", EMPTY_TASK).await();
    }

    @Benchmark
    @Threads(2)
    public Object groupPerThreadFromTwo(ExecutorState executor, OwnKey own) throws InterruptedException {
        return executor.groups.submit(own.key, "task", EMPTY_TASK).await();
    }
}
