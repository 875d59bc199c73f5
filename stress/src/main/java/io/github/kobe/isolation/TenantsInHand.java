package io.github.kobe.isolation;

import io.github.kobe.internal.ReadyQueue;
import io.github.kobe.internal.Timer;
import java.util.Set;

/** The ready queue of the isolation face, for races that are played to it; here, since nobody else is to see it. */
public final class TenantsInHand {

    private static final Allotment.Journal UNREAD = new Allotment.Journal() {
        @Override
        public void laneChanged(String key, boolean slow) {}

        @Override
        public void reserveChanged(int from, int to) {}
    };

    private final Tenants tenants;

    /** @param trusted keys that no place is held back from, as long as time stands still */
    public TenantsInHand(int places, Set<String> trusted, Timer timer) {
        tenants = new Tenants(Standards.USUAL, places, timer, UNREAD);
        tenants.setWhiteList(trusted);
    }

    /** As the kernel sees it. */
    public ReadyQueue queue() {
        return tenants;
    }

    /** A look at figures, for which the lock is taken by one who does not serve. */
    public void look() {
        tenants.catchUp();
    }
}
