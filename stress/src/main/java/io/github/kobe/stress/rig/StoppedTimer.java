package io.github.kobe.stress.rig;

import io.github.kobe.internal.Timer;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Time that moves only when a race says so. */
final class StoppedTimer implements Timer {

    private final ConcurrentLinkedQueue<Runnable> scheduled = new ConcurrentLinkedQueue<>();
    private volatile long now;

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public void schedule(Runnable action, long delayNanos) {
        scheduled.add(action);
    }

    /** Moves on, and does once what is scheduled now, whenever it was for. Called by one thread at a time. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    void advance(long nanos) {
        now += nanos;
        int due = scheduled.size();
        for (int i = 0; i < due; i++) {
            Runnable action = scheduled.poll();
            if (action != null) {
                action.run();
            }
        }
    }
}
