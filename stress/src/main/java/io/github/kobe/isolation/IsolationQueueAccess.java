package io.github.kobe.isolation;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.time.Timer;
import java.util.Set;

/** The ready queue of the isolation face, for races that are played to it; here, since nobody else is to see it. */
public final class IsolationQueueAccess {

    private static final CapacityPolicy.ChangeListener UNREAD = new CapacityPolicy.ChangeListener() {
        @Override
        public void laneChanged(String key, boolean slow) {}

        @Override
        public void reserveChanged(int from, int to) {}
    };

    private final IsolationQueue tenants;

    /** @param trusted keys that no place is held back from, as long as time stands still */
    public IsolationQueueAccess(int places, Set<String> trusted, Timer timer) {
        tenants = new IsolationQueue(Thresholds.USUAL, places, timer, UNREAD);
        tenants.setWhiteList(trusted);
    }

    /** As the kernel sees it. */
    public ReadyQueue queue() {
        return tenants;
    }

    /** A look at figures, for which the lock is taken by one who does not serve. */
    public void look() {
        tenants.processEvents();
    }
}
