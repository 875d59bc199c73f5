package io.github.kobe.pool;

import java.util.Locale;
import java.util.StringJoiner;

/** Says in words what the figures of a pool suggest. */
final class PoolAdvice {

    private static final double BUSY = 0.9;
    private static final double LAZY = 0.2;

    private PoolAdvice() {}

    static String of(WorkerPoolStats s) {
        StringJoiner advice = new StringJoiner(" ");
        boolean full = s.activeWorkers() >= s.maxWorkers();
        if (full && s.queuedTasks() > 0 && s.busyShare() >= BUSY) {
            advice.add(String.format(
                    Locale.ROOT,
                    "maxWorkers (%d) is the bottleneck: workers were busy for %.0f%% of the last minute and %d tasks wait,"
                            + " the oldest for %d ms; raise it, or make tasks shorter.",
                    s.maxWorkers(),
                    s.busyShare() * 100,
                    s.queuedTasks(),
                    s.oldestWaiting().toMillis()));
        } else if (s.queuedTasks() > s.maxWorkers()) {
            advice.add(String.format(
                    Locale.ROOT,
                    "Tasks pile up: %d wait for %d workers, the oldest for %d ms.",
                    s.queuedTasks(),
                    s.maxWorkers(),
                    s.oldestWaiting().toMillis()));
        }
        if (s.workers() > 1 && s.minWorkers() > 1 && s.queuedTasks() == 0 && s.busyShare() < LAZY) {
            advice.add(String.format(
                    Locale.ROOT,
                    "minWorkers (%d) is wasted: workers were busy for %.0f%% of the last minute.",
                    s.minWorkers(),
                    s.busyShare() * 100));
        }
        if (s.zombies() > 0) {
            advice.add(String.format(
                    Locale.ROOT, "%d workers are held by tasks that do not end after their timeout.", s.zombies()));
        }
        return advice.length() == 0 ? "Nothing to change." : advice.toString();
    }
}
