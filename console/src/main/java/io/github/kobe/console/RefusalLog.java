package io.github.kobe.console;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Logs refused and failed requests: for each status the first at once, then at most one line a minute. Thread-safe. */
final class RefusalLog {

    private static final System.Logger LOG = System.getLogger("io.github.kobe.console");
    private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final class Entry {
        long notLogged;
        long loggedAt;
    }

    private final LongSupplier nanoTime;
    private final Map<Integer, Entry> entries = new HashMap<>(); // guarded by this; there are few statuses

    RefusalLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void add(int status, ConsoleExchange exchange, @Nullable Throwable fault) {
        long notLogged = countOrTake(status);
        if (notLogged >= 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "console: " + status + " for " + Printable.of(exchange.method()) + " "
                            + Printable.of(exchange.path()) + " from " + Printable.of(exchange.remoteAddress())
                            + (notLogged == 0 ? "" : ", and " + notLogged + " more since the last line"),
                    fault);
        }
    }

    /** Returns how many were not logged before this one, which is; -1 if this one is not logged either. */
    private synchronized long countOrTake(int status) {
        long now = nanoTime.getAsLong();
        Entry entry = entries.get(status);
        if (entry == null) {
            entry = new Entry();
            entry.loggedAt = now;
            entries.put(status, entry);
            return 0;
        }
        if (now - entry.loggedAt < PERIOD_NANOS) {
            entry.notLogged++;
            return -1;
        }
        long notLogged = entry.notLogged;
        entry.notLogged = 0;
        entry.loggedAt = now;
        return notLogged;
    }
}
