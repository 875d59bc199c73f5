package io.github.kobe.isolation;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.time.Timer;
import java.util.Set;

/** Gives the stress tests access to the ready queue of the isolation face, which is package-private. */
public final class IsolationQueueAccess {

    private static final CapacityPolicy.ChangeListener NO_LISTENER = new CapacityPolicy.ChangeListener() {
        @Override
        public void laneChanged(String key, boolean slow) {}

        @Override
        public void reserveChanged(int from, int to) {}
    };

    private final IsolationQueue queue;

    /** @param whiteList keys from which no permit is held back, as long as the timer stands still */
    public IsolationQueueAccess(int permits, Set<String> whiteList, Timer timer) {
        queue = new IsolationQueue(IsolationPolicy.builder().build(), permits, timer, NO_LISTENER);
        queue.setWhiteList(whiteList);
    }

    /** The queue as the kernel uses it. */
    public ReadyQueue queue() {
        return queue;
    }

    /** Takes the lock as a reader of statistics does: by a thread that does not dispatch. */
    public void look() {
        queue.processEvents();
    }
}
