package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** Hand-written code for many groups: a map with a semaphore for each group. Semaphores are never removed. */
final class SemaphoreAdapter extends ThreadPerTaskAdapter {

    private final ConcurrentHashMap<String, Semaphore> semaphores = new ConcurrentHashMap<>();
    private final int limit;

    SemaphoreAdapter(int limit) {
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
