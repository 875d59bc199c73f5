package io.github.kobe.scope;

import io.github.kobe.internal.util.CacheLinePadding;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What the threads of a scope's tasks count. All of it in one line of the cache, which a task's thread has to wait for, and nothing
 * else in that line, which others would have to.
 */
final class ScopeCounters extends CacheLinePadding {

    private static final VarHandle STARTED;
    private static final VarHandle KNOWN;
    private static final VarHandle TOTAL_NANOS;
    private static final VarHandle MAX_NANOS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STARTED = lookup.findVarHandle(ScopeCounters.class, "started", long.class);
            KNOWN = lookup.findVarHandle(ScopeCounters.class, "known", long.class);
            TOTAL_NANOS = lookup.findVarHandle(ScopeCounters.class, "totalNanos", long.class);
            MAX_NANOS = lookup.findVarHandle(ScopeCounters.class, "maxNanos", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long started;
    private volatile long known;
    private volatile long totalNanos;
    private volatile long maxNanos;

    void started() {
        STARTED.getAndAdd(this, 1L);
    }

    void known() {
        KNOWN.getAndAdd(this, 1L);
    }

    /** Tasks took {@code total} nanoseconds more in all, and the longest of them {@code longest}. */
    void took(long total, long longest) {
        TOTAL_NANOS.getAndAdd(this, total);
        for (long most = maxNanos; longest > most; most = maxNanos) {
            MAX_NANOS.compareAndSet(this, most, longest);
        }
    }

    long startedSoFar() {
        return started;
    }

    long knownSoFar() {
        return known;
    }

    long totalNanos() {
        return totalNanos;
    }

    long maxNanos() {
        return maxNanos;
    }
}
