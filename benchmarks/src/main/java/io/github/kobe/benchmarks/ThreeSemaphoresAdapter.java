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
 * The earlier design that this library replaces, reduced to its main costs. Every task starts a virtual thread at once. The thread acquires
 * three fair semaphores (global, in flight, concurrency) before it runs the task. The state of a group is created on first use and kept for
 * ever. Locks, queue thresholds and listeners of the complete design are left out, in its favour.
 */
final class ThreeSemaphoresAdapter implements ExecutorAdapter {

    /** The name of this candidate in a comparison. */
    static final String EARLIER_DESIGN = "earlier design";

    private final Semaphore global;
    private final ToIntFunction<String> limits;
    private final AtomicInteger submitted = new AtomicInteger();
    private final ConcurrentHashMap<String, GroupState> groups = new ConcurrentHashMap<>();

    private ThreeSemaphoresAdapter(int globalLimit, ToIntFunction<String> limits) {
        this.global = new Semaphore(globalLimit, true);
        this.limits = limits;
    }

    static Supplier<ExecutorAdapter> with(int globalLimit, ToIntFunction<String> limits) {
        return () -> new ThreeSemaphoresAdapter(globalLimit, limits);
    }

    private record GroupState(ExecutorService threads, Semaphore inFlight, Semaphore concurrency) {}

    private record Handle(String group, Future<Result> result) {}

    private record Result(String group, Object value, long startNanos, long endNanos) {}

    private GroupState newGroup(String key) {
        return new GroupState(
                Executors.newVirtualThreadPerTaskExecutor(),
                new Semaphore(Integer.MAX_VALUE, true),
                new Semaphore(limits.applyAsInt(key), true));
    }

    @Override
    public Object submit(String group, Callable<?> task) {
        GroupState state = groups.computeIfAbsent(group, this::newGroup);
        return new Handle(group, state.threads.submit(() -> acquireAndCall(state, group, task)));
    }

    private Result acquireAndCall(GroupState state, String group, Callable<?> task) throws Exception {
        submitted.incrementAndGet();
        acquire(global);
        try {
            acquire(state.inFlight);
            try {
                acquire(state.concurrency);
                try {
                    long start = System.nanoTime();
                    return new Result(group, task.call(), start, System.nanoTime());
                } finally {
                    state.concurrency.release();
                }
            } finally {
                state.inFlight.release();
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
    public void awaitSubmitted(int tasks) {
        Await.count(submitted, tasks);
    }

    @Override
    public void close() {
        groups.values().forEach(state -> state.threads.close());
    }
}
