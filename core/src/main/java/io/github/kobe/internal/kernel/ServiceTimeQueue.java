package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.Timer;
import java.util.concurrent.TimeUnit;
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

    private final Timer timer;
    private final IndexedHeap<ServiceTimeState> line = new IndexedHeap<>();
    private int polled; // groups in the hands of servers
    private double clock;
    private int rush;
    private long rushBegan;
    private double guess = FIRST_GUESS; // for a group of which nothing is known: the mean over all
    private long sequence;

    /** @param timer the one that the times of starts and ends are from */
    public ServiceTimeQueue(Timer timer) {
        this.timer = timer;
    }

    @Override
    public FairnessState newShare() {
        return new ServiceTimeState(this);
    }

    // ---- the line ------------------------------------------------------------------------------------------------

    @Override
    public synchronized void add(Group group) {
        long now = timer.nanoTime();
        if (line.isEmpty() && polled == 0) {
            rush++;
            rushBegan = now;
            clock = 0;
        }
        ServiceTimeState share = settled(group, now);
        share.liftTo(clock);
        letGo(share);
        share.group = group;
        share.rank = share.key();
        share.sequence = sequence++;
        line.add(share);
    }

    @Override
    public synchronized @Nullable Group poll() {
        ServiceTimeState first = first(timer.nanoTime());
        if (first == null) {
            return null;
        }
        line.removeFirst();
        first.polled = true;
        polled++;
        return first.group;
    }

    private @Nullable ServiceTimeState first(long now) {
        for (ServiceTimeState first = line.peek(); first != null; first = line.peek()) {
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
        return line.isEmpty();
    }

    @Override
    public synchronized void leaves(Group group, boolean idle) {
        letGo((ServiceTimeState) group.share());
    }

    private void letGo(ServiceTimeState share) {
        if (share.polled) {
            share.polled = false;
            polled--;
        }
    }

    private void rank(ServiceTimeState share) {
        share.rank = share.key();
        line.moved(share);
    }

    // ---- charges -------------------------------------------------------------------------------------------------

    @Override
    public boolean keepsTime() {
        return true;
    }

    @Override
    public synchronized void served(Group group, long now) {
        ServiceTimeState share = settled(group, now);
        ServiceTimeState next = line.peek();
        clock = Math.max(clock, next == null ? share.virtual() : Math.min(share.virtual(), next.rank));
        share.begin(now, guess);
    }

    /** Its key can only have risen: no need to move it. */
    @Override
    public synchronized boolean startedAtOnce(Group group, long now) {
        ServiceTimeState share = settled(group, now);
        share.liftTo(clock);
        share.begin(now, guess);
        return true;
    }

    @Override
    public synchronized void ended(Group group, long start, long now) {
        ServiceTimeState share = settled(group, now);
        share.end(start, now, guess);
        guess = ServiceTimeState.mean(guess, now - start);
        rankIfInLine(share);
    }

    /** Makes {@code change} to the weight of a group: what was held so far was held at the old one. */
    synchronized void reweigh(ServiceTimeState share, Runnable change) {
        settle(share, timer.nanoTime());
        change.run();
        rankIfInLine(share);
    }

    private void rankIfInLine(ServiceTimeState share) {
        if (share.index >= 0) {
            rank(share);
        }
    }

    private ServiceTimeState settled(Group group, long now) {
        ServiceTimeState share = (ServiceTimeState) group.share();
        settle(share, now);
        return share;
    }

    private void settle(ServiceTimeState share, long now) {
        if (share.rush != rush) {
            share.rush = rush;
            share.settle(rushBegan);
            share.square();
        }
        share.settle(now);
    }
}
