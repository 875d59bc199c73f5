package io.github.kobe.benchmarks;

import com.netflix.concurrency.limits.Limiter;
import com.netflix.concurrency.limits.limit.FixedLimit;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A simple limiter of Netflix concurrency-limits for each group, with a fixed limit. It turns away what there is no place for. There are
 * wrappers that wait; with those, in our runs, now and then a task never got its place, so only calls that find room are compared.
 */
final class PeerLimits extends OnVirtualThreads {

    private final ConcurrentHashMap<String, Limiter<Void>> limiters = new ConcurrentHashMap<>();
    private final int limit;

    PeerLimits(int limit) {
        this.limit = limit;
    }

    private Limiter<Void> limiter(String group) {
        return SimpleLimiter.newBuilder()
                .named(group)
                .limit(FixedLimit.of(limit))
                .build();
    }

    @Override
    @SuppressWarnings("NullAway") // a limiter that tells no requests apart is asked with nothing
    public Object call(String group, Callable<?> task) throws Exception {
        Limiter.Listener place = limiters.computeIfAbsent(group, this::limiter)
                .acquire(null)
                .orElseThrow(() -> new IllegalStateException("turned away"));
        try {
            Object value = task.call();
            place.onSuccess();
            return value;
        } catch (Exception e) {
            place.onIgnore();
            throw e;
        }
    }
}
