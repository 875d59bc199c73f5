package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The JDK's virtual-thread-per-task executor, which has no limits. */
final class VirtualThreadsAdapter implements ExecutorAdapter {

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the caller gets it
    public Object submit(String group, Callable<?> task) {
        return executor.submit(task);
    }

    @Override
    public void close() {
        executor.close();
    }
}
