package io.github.kobe.internal.fair;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Time for each group in proportion to its weight, by how long its tickets hold their places, in O(log groups in line) under
 * one short lock.
 *
 * <p>Each group has a virtual time, see {@link ServiceTimeState}, which goes up while its tickets hold places. The group with the lowest
 * is next, and of several the one that has been in line longest. A ticket is charged while it runs, so one that never ends
 * keeps its own group back, not the others.
 *
 * <p>Nothing is saved up. The queue's clock is the highest virtual time that a group was served at while nobody in line was
 * lower: a group that was out of line, idle or at its own limit, comes back no earlier than that, and a group that has just
 * become ready does not wait for the backlog of others. When a group comes and nobody is in line, all have what they want; what
 * they have had until then is forgotten, and a new rush hour begins.
 *
 * <p>The heap goes by ranks, which are keys as they were when last looked at. A key rises unseen, while tickets outlast what was
 * expected of them; so the first is looked at again until it is still the first. Whatever lowers a key moves the group at once.
 */
public final class ServiceTimeQueue implements ReadyQueue {

    /** How long the very first ticket is taken to need; anything will do that treats all alike. */
    private static final double FIRST_GUESS = TimeUnit.MILLISECONDS.toNanos(1);

    private final LongSupplier clock;
    private final IndexedHeap<ServiceTimeState> heap = new IndexedHeap<>();
    private int polled; // groups in the hands of servers
    private double virtualClock;
    private int epoch;
    private long epochStart;
    private double meanServiceTime = FIRST_GUESS; // for a group of which nothing is known: the mean over all
    private long sequence;

    /** @param clock the clock that the times of starts and completions come from */
    public ServiceTimeQueue(LongSupplier clock) {
        this.clock = clock;
    }

    @Override
    public FairnessState newState() {
        return new ServiceTimeState(this);
    }

    // ---- the line ------------------------------------------------------------------------------------------------

    @Override
    public synchronized void add(Competitor group) {
        long now = clock.getAsLong();
        if (heap.isEmpty() && polled == 0) {
            epoch++;
            epochStart = now;
            virtualClock = 0;
        }
        ServiceTimeState share = settled(group, now);
        share.raiseTo(virtualClock);
        unpoll(share);
        share.group = group;
        share.rank = share.key();
        share.sequence = sequence++;
        heap.add(share);
    }

    @Override
    public synchronized @Nullable Competitor poll() {
        ServiceTimeState first = first(clock.getAsLong());
        if (first == null) {
            return null;
        }
        heap.removeFirst();
        first.polled = true;
        polled++;
        return first.group;
    }

    private @Nullable ServiceTimeState first(long now) {
        for (ServiceTimeState first = heap.peek(); first != null; first = heap.peek()) {
            settle(first, now);
            if (first.key() <= first.rank) {
                return first;
            }
            rank(first);
        }
        return null;
    }

    @Override
    public synchronized boolean isEmpty() {
        return heap.isEmpty();
    }

    @Override
    public synchronized void left(Competitor group, boolean idle) {
        unpoll((ServiceTimeState) group.fairnessState());
    }

    private void unpoll(ServiceTimeState share) {
        if (share.polled) {
            share.polled = false;
            polled--;
        }
    }

    private void rank(ServiceTimeState share) {
        share.rank = share.key();
        heap.moved(share);
    }

    // ---- charges -------------------------------------------------------------------------------------------------

    @Override
    public boolean chargesTime() {
        return true;
    }

    @Override
    public synchronized void started(Competitor group, long now) {
        ServiceTimeState share = settled(group, now);
        ServiceTimeState next = heap.peek();
        virtualClock = Math.max(virtualClock, next == null ? share.virtual() : Math.min(share.virtual(), next.rank));
        share.started(now, meanServiceTime);
    }

    /** Its key can only have risen: no need to move it. */
    @Override
    public synchronized boolean startedDirectly(Competitor group, long now) {
        ServiceTimeState share = settled(group, now);
        share.raiseTo(virtualClock);
        share.started(now, meanServiceTime);
        return true;
    }

    @Override
    public synchronized void completed(Competitor group, long start, long now) {
        ServiceTimeState share = settled(group, now);
        share.completed(start, now, meanServiceTime);
        meanServiceTime = ServiceTimeState.mean(meanServiceTime, now - start);
        rankIfQueued(share);
    }

    /** Makes {@code change} to the weight of a group: what was held so far was held at the old one. */
    synchronized void changeWeight(ServiceTimeState share, Runnable change) {
        settle(share, clock.getAsLong());
        change.run();
        rankIfQueued(share);
    }

    private void rankIfQueued(ServiceTimeState share) {
        if (share.index >= 0) {
            rank(share);
        }
    }

    private ServiceTimeState settled(Competitor group, long now) {
        ServiceTimeState share = (ServiceTimeState) group.fairnessState();
        settle(share, now);
        return share;
    }

    private void settle(ServiceTimeState share, long now) {
        if (share.epoch != epoch) {
            share.epoch = epoch;
            share.settle(epochStart);
            share.reset();
        }
        share.settle(now);
    }
}
