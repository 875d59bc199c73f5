package io.github.kobe.redis.proof;

import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetStats;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Finds out whether a node has been silent for so long that its lease was over, whatever the reason: a fault of a test, or a machine that had no time for it. A thread reads
 * every few milliseconds how long the lease is still valid. If the next reading comes later than that, the lease may have been over in between, and counts as such.
 */
final class LeaseWatch {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Fleet fleet;
    private final AtomicBoolean lapsed = new AtomicBoolean();

    LeaseWatch(Fleet fleet) {
        this.fleet = fleet;
        Thread.ofPlatform().daemon().name("lease-watch").start(this::run);
    }

    boolean takeLapsed() {
        return lapsed.getAndSet(false);
    }

    private void run() {
        Duration left = Duration.ZERO;
        long at = System.nanoTime();
        boolean begun = false;
        while (true) {
            LockSupport.parkNanos(PAUSE_NANOS);
            Duration now = fleet.stats().sessions().stream()
                    .map(FleetStats.Session::leaseLeft)
                    .min(Comparator.naturalOrder())
                    .orElse(Duration.ZERO);
            long time = System.nanoTime();
            if (begun && (now.isZero() || time - at >= left.toNanos())) {
                lapsed.set(true);
            }
            begun |= !now.isZero(); // it has none before it has registered
            left = now;
            at = time;
        }
    }
}
