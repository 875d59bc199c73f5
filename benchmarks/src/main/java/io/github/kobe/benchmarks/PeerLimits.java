package io.github.kobe.benchmarks;

import com.netflix.concurrency.limits.Limiter;
import com.netflix.concurrency.limits.limit.FixedLimit;
import com.netflix.concurrency.limits.limiter.BlockingLimiter;
import com.netflix.concurrency.limits.limiter.LifoBlockingLimiter;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A simple limiter of Netflix concurrency-limits for each group, with a fixed limit. By itself it turns away what there is no place
 * for. Of its two wrappers that wait, one wakes all who wait whenever a place is free, which is no good for long lines. The other wakes
 * one, the last that came, but forgets who begins to wait while the last place is given back and nobody else comes: fit for lines that
 * are there from the start.
 */
final class PeerLimits extends OnVirtualThreads {

    private static final int SHORT_LINE = 1000;

    private final ConcurrentHashMap<String, Limiter<Void>> limiters = new ConcurrentHashMap<>();
    private final int limit;
    private final int line;

    PeerLimits(int limit, int line) {
        this.limit = limit;
        this.line = line;
    }

    private Limiter<Void> limiter(String group) {
        Limiter<Void> simple = SimpleLimiter.newBuilder()
                .named(group)
                .limit(FixedLimit.of(limit))
                .build();
        if (line <= SHORT_LINE) {
            return BlockingLimiter.wrap(simple, BlockingLimiter.MAX_TIMEOUT);
        }
        return LifoBlockingLimiter.newBuilder(simple)
                .backlogSize(line)
                .backlogTimeout(1, TimeUnit.HOURS)
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
