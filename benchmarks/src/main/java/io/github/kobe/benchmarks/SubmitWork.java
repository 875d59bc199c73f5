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
import org.openjdk.jmh.annotations.Warmup;

/**
 * One empty task, submitted and waited for, in a group with room. The subclasses say from how many threads; these are virtual
 * ones, since the time that a platform thread takes to wake up would drown everything else.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "-Djmh.executor=VIRTUAL")
public abstract class SubmitWork {

    private static final Callable<Boolean> NOTHING = () -> true;

    /** What all threads share. */
    @State(Scope.Benchmark)
    public static class Sides {
        ExecutorService bare;
        GroupExecutor groups;

        @Setup
        public void open() {
            bare = Executors.newVirtualThreadPerTaskExecutor();
            groups = GroupExecutor.newVirtualThreadExecutor(
                    GroupPolicy.builder().defaultMaxConcurrencyPerGroup(8).build());
        }

        @TearDown
        public void close() {
            bare.close();
            groups.close();
        }
    }

    /** A key that no other thread uses. */
    @State(Scope.Thread)
    public static class OwnKey {
        final String key = "group-" + Thread.currentThread().threadId();
    }

    @Benchmark
    public Object bareThreads(Sides on) throws InterruptedException, ExecutionException {
        return on.bare.submit(NOTHING).get();
    }

    @Benchmark
    public Object oneGroup(Sides on) throws InterruptedException {
        return on.groups.submit("group", "task", NOTHING).await();
    }

    @Benchmark
    public Object groupPerThread(Sides on, OwnKey own) throws InterruptedException {
        return on.groups.submit(own.key, "task", NOTHING).await();
    }
}
