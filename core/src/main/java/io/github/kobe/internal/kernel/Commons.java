package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.ClassPreloader;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** What the groups of a dispatcher have in common: threads, a clock, a lobby, and the global gate with the queue of those that are ready. */
abstract class Commons {

    static {
        ClassPreloader.load(
                SubmitterQueue.class, GlobalLimiter.class); // asked for with every step, by those that have none
    }

    private final DispatcherConfig config;
    private final ReadyQueue readyQueue;
    private final TaskRunner runner;
    private final Timer timer;
    private final boolean recordsTimes; // also a group's way not to look at its own: this one is in every cache
    private final boolean needsAllQueueTimes;
    private final @Nullable SubmitterQueue submitterQueue;
    private volatile @Nullable GlobalLimiter globalLimiter; // written under the monitor, once

    Commons(DispatcherConfig setup, ReadyQueue ready, TaskRunner runner, Timer timer) {
        this.config = setup;
        this.readyQueue = ready;
        this.runner = runner;
        this.timer = timer;
        this.recordsTimes = setup.recordsTimes();
        this.needsAllQueueTimes = recordsTimes
                || ready.needsQueueTimes()
                || setup.displaces()
                || setup.ageingNanos() != DispatcherConfig.NO_AGEING;
        this.submitterQueue = setup.blocksSubmitters() ? new SubmitterQueue() : null;
        this.globalLimiter = setup.globalLimit() == Integer.MAX_VALUE && !ready.chargesTime()
                ? null
                : new GlobalLimiter(
                        setup.globalLimit(),
                        setup.globalQueueThreshold()); // time is only kept where it is competed for
    }

    /** The groups that are in the map now. */
    abstract Collection<Group> knownGroups();

    final TaskRunner runner() {
        return runner;
    }

    final Timer timer() {
        return timer;
    }

    final long now() {
        return timer.nanoTime();
    }

    final @Nullable SubmitterQueue submitterQueue() {
        return submitterQueue;
    }

    final boolean recordsTimes() {
        return recordsTimes;
    }

    /** Whether it matters of each ticket when it was put in line. */
    final boolean needsAllQueueTimes() {
        return needsAllQueueTimes;
    }

    /** See {@link DispatcherConfig#sweepCapacity}. */
    final int sweepCapacity() {
        return config.sweepCapacity();
    }

    final long ageing() {
        return config.ageingNanos();
    }

    // ---- the global gate -----------------------------------------------------------------------------------------

    final @Nullable GlobalLimiter globalLimiter() {
        return globalLimiter;
    }

    final ReadyQueue readyQueue() {
        return readyQueue;
    }

    /**
     * Starts tickets of the groups that are next while there are places; {@code placeInHand} is one the caller brings. What is left
     * over is room for one who waits to get in line, and who may have looked while it was in our hands.
     *
     * @param now the time, not before any of the free places was given back; 0 to look at the clock if there is one
     */
    final void dispatch(GlobalLimiter g, boolean placeInHand, long now) {
        dispatchReady(g, placeInHand, now);
        if (submitterQueue != null) {
            submitterQueue.signalGlobal();
        }
    }

    /** Free places may not be held back any more from who is in line. */
    final void dispatchAgain() {
        GlobalLimiter g = globalLimiter;
        if (g != null) {
            dispatch(g, false, now());
        }
    }

    private void dispatchReady(GlobalLimiter g, boolean placeInHand, long time) {
        boolean inHand = placeInHand;
        long now = time;
        while (inHand ? g.reuseOrRelease() : g.tryTakeQueued()) {
            now = now == 0 ? now() : now;
            Group next = (Group) readyQueue.poll(now); // only groups are ever added
            UnderGate.Offer offer = next == null ? UnderGate.Offer.NOTHING : next.startNext(now);
            inHand = offer == UnderGate.Offer.SPENT;
            if (offer == UnderGate.Offer.NOTHING) {
                g.putBack();
                if (next == null && readyQueue.isEmpty()) {
                    return; // whoever adds a group from now on sees the place that was put back
                }
            }
        }
    }

    /** Takes groups out of the ready queue whose waiting tickets were all cancelled: nobody else would come by for them. */
    final void pruneReadyQueue() {
        GlobalLimiter g = globalLimiter;
        if (g != null) {
            readyQueue.removeIf(group -> ((Group) group).leaveReadyQueueIfNotReady());
            dispatch(g, false, now()); // a place may have come free while the groups were in our hands
        }
    }

    /**
     * Changes the global cap, or sets one where there was none: then a gate that lets nobody pass takes over group after group, and
     * is opened when it has them all, so that at no instant more run than {@code cap} and those that ran before.
     */
    public final void setGlobalLimit(int cap) {
        GlobalLimiter g = limitAllGroups();
        g.resize(cap);
        dispatch(g, false, now());
        if (submitterQueue != null) {
            submitterQueue.wakeAll();
        }
    }

    /** Returns when every group is under it. */
    private synchronized GlobalLimiter limitAllGroups() {
        GlobalLimiter g = globalLimiter;
        if (g == null) {
            g = GlobalLimiter.closed(config.globalQueueThreshold());
            globalLimiter = g; // groups made from now on see it when they settle; the others are in the map
            for (Group group : knownGroups()) {
                group.joinGlobalLimit(g);
            }
        }
        return g;
    }

    /** The global cap, {@link Integer#MAX_VALUE} if there is none. */
    public final int globalLimit() {
        GlobalLimiter g = globalLimiter;
        return g == null || !g.isOpen() ? Integer.MAX_VALUE : g.limit();
    }
}
