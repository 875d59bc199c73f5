package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.ClassPreloader;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** What the groups of a dispatcher have in common: threads, a clock, a lobby, and the global gate with the queue of those that are ready. */
abstract class Commons {

    static {
        ClassPreloader.now(
                SubmitterQueue.class, GlobalLimiter.class); // asked for with every step, by those that have none
    }

    private final DispatcherConfig setup;
    private final ReadyQueue ready;
    private final TaskRunner runner;
    private final Timer timer;
    private final boolean recordsTimes; // also a group's way not to look at its own: this one is in every cache
    private final boolean timesEach;
    private final @Nullable SubmitterQueue lobby;
    private volatile @Nullable GlobalLimiter gate; // written under the monitor, once

    Commons(DispatcherConfig setup, ReadyQueue ready, TaskRunner runner, Timer timer) {
        this.setup = setup;
        this.ready = ready;
        this.runner = runner;
        this.timer = timer;
        this.recordsTimes = setup.recordsTimes();
        this.timesEach = recordsTimes
                || ready.timesEach()
                || setup.displaces()
                || setup.ageingNanos() != DispatcherConfig.NO_AGEING;
        this.lobby = setup.letsWait() ? new SubmitterQueue() : null;
        this.gate = setup.globalCap() == Integer.MAX_VALUE && !ready.keepsTime()
                ? null
                : new GlobalLimiter(
                        setup.globalCap(), setup.globalThreshold()); // time is only kept where it is competed for
    }

    /** The groups that are in the map now. */
    abstract Collection<Group> mapped();

    final TaskRunner runner() {
        return runner;
    }

    final Timer timer() {
        return timer;
    }

    final long now() {
        return timer.nanoTime();
    }

    final @Nullable SubmitterQueue lobby() {
        return lobby;
    }

    final boolean recordsTimes() {
        return recordsTimes;
    }

    /** Whether it matters of each ticket when it was put in line. */
    final boolean timesEach() {
        return timesEach;
    }

    /** See {@link DispatcherConfig#crowd}. */
    final int crowd() {
        return setup.crowd();
    }

    final long ageing() {
        return setup.ageingNanos();
    }

    // ---- the global gate -----------------------------------------------------------------------------------------

    final @Nullable GlobalLimiter gate() {
        return gate;
    }

    final ReadyQueue ready() {
        return ready;
    }

    /**
     * Starts tickets of the groups that are next while there are places; {@code placeInHand} is one the caller brings. What is left
     * over is room for one who waits to get in line, and who may have looked while it was in our hands.
     *
     * @param now the time, not before any of the free places was given back; 0 to look at the clock if there is one
     */
    final void serve(GlobalLimiter g, boolean placeInHand, long now) {
        serveReady(g, placeInHand, now);
        if (lobby != null) {
            lobby.roomForAll();
        }
    }

    /** Free places may not be held back any more from who is in line. */
    final void serveAgain() {
        GlobalLimiter g = gate;
        if (g != null) {
            serve(g, false, now());
        }
    }

    private void serveReady(GlobalLimiter g, boolean placeInHand, long time) {
        boolean inHand = placeInHand;
        long now = time;
        while (inHand ? g.pass() : g.take()) {
            now = now == 0 ? now() : now;
            Group next = ready.poll(now);
            UnderGate.Offer offer = next == null ? UnderGate.Offer.NOTHING : next.offer(now);
            inHand = offer == UnderGate.Offer.SPENT;
            if (offer == UnderGate.Offer.NOTHING) {
                g.putBack();
                if (next == null && ready.isEmpty()) {
                    return; // whoever adds a group from now on sees the place that was put back
                }
            }
        }
    }

    /** Takes groups out of the ready queue whose waiting tickets were all cancelled: nobody else would come by for them. */
    final void pruneReady() {
        GlobalLimiter g = gate;
        if (g != null) {
            ready.prune(Group::leavesRing);
            serve(g, false, now()); // a place may have come free while the groups were in our hands
        }
    }

    /**
     * Changes the global cap, or sets one where there was none: then a gate that lets nobody pass takes over group after group, and
     * is opened when it has them all, so that at no instant more run than {@code cap} and those that ran before.
     */
    public final void setGlobalCap(int cap) {
        GlobalLimiter g = gateOverAll();
        g.resize(cap);
        serve(g, false, now());
        if (lobby != null) {
            lobby.wakeAll();
        }
    }

    /** Returns when every group is under it. */
    private synchronized GlobalLimiter gateOverAll() {
        GlobalLimiter g = gate;
        if (g == null) {
            g = GlobalLimiter.shut(setup.globalThreshold());
            gate = g; // groups made from now on see it when they settle; the others are in the map
            for (Group group : mapped()) {
                group.joinGate(g);
            }
        }
        return g;
    }

    /** The global cap, {@link Integer#MAX_VALUE} if there is none. */
    public final int globalCap() {
        GlobalLimiter g = gate;
        return g == null || !g.isOpen() ? Integer.MAX_VALUE : g.cap();
    }
}
