package io.github.kobe.console;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Takes snapshots, one each second for all clients together, and less often if a snapshot takes long.
 *
 * <p>There is no timer and no thread. The thread of each stream waits until the next snapshot is due; the first one to wake up takes it, and the others
 * find it. Only the streams refer to the latest snapshot while they wait for the next one, so it is garbage when the last client has left.
 */
final class Snapshots {

    static final Duration EVERY = Duration.ofSeconds(1);

    /** Snapshots take at most this fraction of the time of one processor. */
    private static final int MAX_SHARE = 20;

    private final Watched watched;
    private final long everyNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable WeakReference<Snapshot> latest; // guarded by the lock

    Snapshots(Watched watched, Duration every) {
        this.watched = watched;
        this.everyNanos = every.toNanos();
    }

    /** Returns a snapshot for a client that has none. */
    Snapshot current() {
        return takenAfter(System.nanoTime() - everyNanos);
    }

    /** Waits until the next snapshot is due, and returns it. */
    Snapshot after(Snapshot previous) throws InterruptedException {
        long due = previous.takenAt() + intervalNanos(previous);
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
        return takenAfter(due);
    }

    /** Returns how long after a snapshot the next one is due. */
    long intervalNanos(Snapshot snapshot) {
        return Math.max(everyNanos, MAX_SHARE * snapshot.costNanos());
    }

    private Snapshot takenAfter(long time) {
        lock.lock();
        try {
            Snapshot known = latest == null ? null : latest.get();
            if (known != null && known.takenAt() - time >= 0) {
                return known;
            }
            Snapshot taken = new Snapshot(watched, System.nanoTime());
            latest = new WeakReference<>(taken);
            return taken;
        } finally {
            lock.unlock();
        }
    }
}
