package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/**
 * What one does with a limit that can only be waited for by a thread: a virtual thread for each task at once, which waits there. A
 * subclass says what the thread goes through.
 */
abstract class OnVirtualThreads implements Caller {

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final LongAdder arrived = new LongAdder();

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // handed on as what the caller would hold
    public final Object submit(String group, Callable<?> task) {
        return threads.submit(() -> {
            arrived.increment();
            return call(group, task);
        });
    }

    @Override
    public final void awaitArrival(int tasks) {
        Await.count(arrived::intValue, tasks);
    }

    @Override
    public final void close() {
        threads.close();
    }
}
