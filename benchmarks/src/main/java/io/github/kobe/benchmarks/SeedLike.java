package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * The approach that this library set out to replace, reduced to what costs: each task is a virtual thread at once, and that
 * thread goes through three fair semaphores (global, in flight, concurrency) before it runs the task. State of a group is made
 * at its first use and kept. Locks, queue thresholds and listeners of the full design are left out, in its favour.
 */
final class SeedLike implements Contender {

    private final Semaphore global;
    private final ToIntFunction<String> limits;
    private final AtomicInteger arrived = new AtomicInteger();
    private final ConcurrentHashMap<String, Lane> lanes = new ConcurrentHashMap<>();

    private SeedLike(int globalCap, ToIntFunction<String> limits) {
        this.global = new Semaphore(globalCap, true);
        this.limits = limits;
    }

    static Supplier<Contender> with(int globalCap, ToIntFunction<String> limits) {
        return () -> new SeedLike(globalCap, limits);
    }

    /** What each group has to itself. */
    private record Lane(ExecutorService threads, Semaphore inFlight, Semaphore concurrency) {}

    private record Handle(String group, Future<Result> result) {}

    private record Result(String group, Object value, long startNanos, long endNanos) {}

    private Lane lane(String group) {
        return new Lane(
                Executors.newVirtualThreadPerTaskExecutor(),
                new Semaphore(Integer.MAX_VALUE, true),
                new Semaphore(limits.applyAsInt(group), true));
    }

    @Override
    public Object submit(String group, Callable<?> task) {
        Lane lane = lanes.computeIfAbsent(group, this::lane);
        return new Handle(group, lane.threads.submit(() -> throughAllThree(lane, group, task)));
    }

    private Result throughAllThree(Lane lane, String group, Callable<?> task) throws Exception {
        arrived.incrementAndGet();
        acquire(global);
        try {
            acquire(lane.inFlight);
            try {
                acquire(lane.concurrency);
                try {
                    long start = System.nanoTime();
                    return new Result(group, task.call(), start, System.nanoTime());
                } finally {
                    lane.concurrency.release();
                }
            } finally {
                lane.inFlight.release();
            }
        } finally {
            global.release();
        }
    }

    private static void acquire(Semaphore permits) throws InterruptedException {
        if (!permits.tryAcquire()) {
            permits.acquire();
        }
    }

    @Override
    public void awaitArrival(int tasks) {
        Await.count(arrived, tasks);
    }

    @Override
    public void close() {
        lanes.values().forEach(lane -> lane.threads.close());
    }
}
