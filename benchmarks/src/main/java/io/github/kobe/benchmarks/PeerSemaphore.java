package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** A semaphore for each group, in a map, as one writes it by hand. Nobody ever removes one. */
final class PeerSemaphore extends OnVirtualThreads {

    private final ConcurrentHashMap<String, Semaphore> semaphores = new ConcurrentHashMap<>();
    private final int limit;

    PeerSemaphore(int limit) {
        this.limit = limit;
    }

    @Override
    public Object call(String group, Callable<?> task) throws Exception {
        Semaphore permits = semaphores.computeIfAbsent(group, key -> new Semaphore(limit));
        permits.acquire();
        try {
            return task.call();
        } finally {
            permits.release();
        }
    }
}
