package io.github.kobe.redis;

import io.github.kobe.fleet.FleetPush;
import io.github.kobe.fleet.FleetStore;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Keeps what a store tells, until a test asks for it. */
final class RecordingListener implements FleetStore.Listener {

    private final BlockingQueue<FleetPush> pushes = new LinkedBlockingQueue<>();
    private final BlockingQueue<Integer> available = new LinkedBlockingQueue<>();

    @Override
    public void pushed(int shard, FleetPush push) {
        pushes.add(push);
    }

    @Override
    public void available(int shard) {
        available.add(shard);
    }

    /** Waits for the next push. */
    FleetPush nextPush() {
        return next(pushes, "push");
    }

    /** Waits until a shard is available again, and returns its number. */
    int nextAvailable() {
        return next(available, "word that a shard is available");
    }

    /** Whether a shard became available since the last question. */
    boolean hasAvailable() {
        return !available.isEmpty();
    }

    private static <T> T next(BlockingQueue<T> queue, String what) {
        try {
            T next = queue.poll(60, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("no " + what + " has come");
            }
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while it waited for a " + what, e);
        }
    }
}
