package io.github.kobe.benchmarks;

import dev.failsafe.Bulkhead;
import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;

/** A Failsafe bulkhead for each group. A task submitted asynchronously holds a timer entry while it waits, but no thread. */
final class FailsafeAdapter implements ExecutorAdapter {

    private static final Duration MAX_WAIT = Duration.ofHours(1); // Failsafe requires a limit

    private final ConcurrentHashMap<String, FailsafeExecutor<Object>> groups = new ConcurrentHashMap<>();
    private final int limit;
    private final LongAdder submitted = new LongAdder();

    /** The thread that brings a task to its bulkhead ends if there is no permit. */
    private final Executor threads = task -> Thread.startVirtualThread(() -> {
        task.run();
        submitted.increment();
    });

    FailsafeAdapter(int limit) {
        this.limit = limit;
    }

    private FailsafeExecutor<Object> group(String key) {
        return groups.computeIfAbsent(
                key,
                name -> Failsafe.with(Bulkhead.builder(limit)
                                .withMaxWaitTime(MAX_WAIT)
                                .build())
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

    /** The running task has not returned from {@code task.run()}, so it is not counted. */
    @Override
    public void awaitSubmitted(int tasks) {
        Await.count(submitted::intValue, tasks - 1);
    }

    @Override
    public void close() {}
}
