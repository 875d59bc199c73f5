package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/** For limiters that block the calling thread: every task gets its own virtual thread, which blocks in {@link #call}. */
abstract class ThreadPerTaskAdapter implements ExecutorAdapter {

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final LongAdder submitted = new LongAdder();

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the caller gets it
    public final Object submit(String group, Callable<?> task) {
        return threads.submit(() -> {
            submitted.increment();
            return call(group, task);
        });
    }

    @Override
    public abstract Object call(String group, Callable<?> task) throws Exception;

    @Override
    public final void awaitSubmitted(int tasks) {
        Await.count(submitted::intValue, tasks);
    }

    @Override
    public final void close() {
        threads.close();
    }
}
