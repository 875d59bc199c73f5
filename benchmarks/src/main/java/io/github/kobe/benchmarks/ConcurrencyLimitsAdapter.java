package io.github.kobe.benchmarks;

import com.netflix.concurrency.limits.Limiter;
import com.netflix.concurrency.limits.limit.FixedLimit;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A simple limiter of Netflix concurrency-limits with a fixed limit for each group. It rejects a call if there is no permit. The library
 * has wrappers that wait instead. With them some tasks never got a permit in our runs, so only calls below the limit are compared.
 */
final class ConcurrencyLimitsAdapter extends ThreadPerTaskAdapter {

    private final ConcurrentHashMap<String, Limiter<Void>> limiters = new ConcurrentHashMap<>();
    private final int limit;

    ConcurrencyLimitsAdapter(int limit) {
        this.limit = limit;
    }

    private Limiter<Void> newLimiter(String group) {
        return SimpleLimiter.newBuilder()
                .named(group)
                .limit(FixedLimit.of(limit))
                .build();
    }

    @Override
    @SuppressWarnings("NullAway") // this limiter ignores its argument
    public Object call(String group, Callable<?> task) throws Exception {
        Limiter.Listener permit = limiters.computeIfAbsent(group, this::newLimiter)
                .acquire(null)
                .orElseThrow(() -> new IllegalStateException("rejected"));
        try {
            Object value = task.call();
            permit.onSuccess();
            return value;
        } catch (Exception e) {
            permit.onIgnore();
            throw e;
        }
    }
}
