package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A pool of the JDK for each group, with as many threads as its limit: they stay, whether there is work or not. */
final class PeerPools implements Contender {

    private final ConcurrentHashMap<String, ThreadPoolExecutor> pools = new ConcurrentHashMap<>();
    private final int limit;

    PeerPools(int limit) {
        this.limit = limit;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // handed on as what the caller would hold
    public Object submit(String group, Callable<?> task) {
        return pools.computeIfAbsent(group, key -> pool()).submit(task);
    }

    private ThreadPoolExecutor pool() {
        return new ThreadPoolExecutor(limit, limit, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    }

    @Override
    public void close() {
        pools.values().forEach(ThreadPoolExecutor::shutdown);
        pools.values().forEach(ThreadPoolExecutor::close);
    }
}
