package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A {@link ThreadPoolExecutor} for each group with as many threads as the limit. Idle threads stay alive. */
final class ThreadPoolsAdapter implements ExecutorAdapter {

    private final ConcurrentHashMap<String, ThreadPoolExecutor> pools = new ConcurrentHashMap<>();
    private final int limit;

    ThreadPoolsAdapter(int limit) {
        this.limit = limit;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the caller gets it
    public Object submit(String group, Callable<?> task) {
        return pools.computeIfAbsent(group, key -> newPool()).submit(task);
    }

    private ThreadPoolExecutor newPool() {
        return new ThreadPoolExecutor(limit, limit, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    }

    @Override
    public void close() {
        pools.values().forEach(ThreadPoolExecutor::shutdown);
        pools.values().forEach(ThreadPoolExecutor::close);
    }
}
