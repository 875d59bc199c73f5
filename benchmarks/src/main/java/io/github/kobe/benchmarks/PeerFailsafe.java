package io.github.kobe.benchmarks;

import dev.failsafe.Bulkhead;
import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;

/** A bulkhead of Failsafe for each group. Asynchronously, what waits there holds no thread, but an entry in a timer. */
final class PeerFailsafe implements Caller {

    private static final Duration LONG = Duration.ofHours(1); // waiting without an end is not to be had

    private final ConcurrentHashMap<String, FailsafeExecutor<Object>> groups = new ConcurrentHashMap<>();
    private final int limit;
    private final LongAdder arrived = new LongAdder();

    /** A thread that has brought a task to its bulkhead ends if there is no place. */
    private final Executor threads = task -> Thread.startVirtualThread(() -> {
        task.run();
        arrived.increment();
    });

    PeerFailsafe(int limit) {
        this.limit = limit;
    }

    private FailsafeExecutor<Object> group(String key) {
        return groups.computeIfAbsent(
                key,
                name -> Failsafe.with(
                                Bulkhead.builder(limit).withMaxWaitTime(LONG).build())
                        .with(threads));
    }

    @Override
    public Object submit(String group, Callable<?> task) {
        return group(group).getAsync(task::call);
    }

    @Override
    public Object call(String group, Callable<?> task) {
        return group(group).get(task::call);
    }

    /** The one that runs has not come back from its task, so it is not counted. */
    @Override
    public void awaitArrival(int tasks) {
        Await.count(arrived::intValue, tasks - 1);
    }

    @Override
    public void close() {}
}
