package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The JDK's virtual thread per task, with no limit of any kind. */
final class BareThreads implements Contender {

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // handed on as what the caller would hold
    public Object submit(String group, Callable<?> task) {
        return executor.submit(task);
    }

    @Override
    public void close() {
        executor.close();
    }
}
