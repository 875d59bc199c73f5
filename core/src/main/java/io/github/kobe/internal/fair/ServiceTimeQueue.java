package io.github.kobe.internal.fair;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Gives each group permit time in proportion to its weight, in O(log n) of the queued groups, under one short lock.
 *
 * <p>Each group has a virtual time, see {@link ServiceTimeState}, which rises while its tasks hold permits. The group with the lowest rank
 * is next; of several with the same rank, the one that was added first. A task is charged while it runs, so a task that never returns
 * delays its own group, not the others.
 *
 * <p><b>No credit is saved up.</b> The virtual clock is the highest virtual time at which a group was polled while no queued group was
 * lower. A group that was not queued, because it was idle or at its own limit, is raised to the virtual clock when it is added. So it
 * cannot claim the time that it did not use, and a group that has just become ready does not wait for the backlog of others. If a group
 * is added while no group is queued or polled, no group lacks permits: a new epoch begins, and the charges so far are forgotten.
 *
 * <p>The heap is sorted by stored ranks, and the rank of a group rises while its tasks take longer than expected. So {@link #poll} updates
 * the first group until the group that is first stays first. A step that lowers a rank moves the group at once.
 *
 * <p><b>One poller at a time.</b> A group that is polled and not added again yet, or marked as ready and not added yet, is missing from the
 * heap. If its thread is preempted then, the other groups would get all the starts, and the group would be raised past what they used. So
 * until it is added, no other thread polls a group. That thread polls again afterwards, and finds the permits that the others put back.
 */
public final class ServiceTimeQueue implements ReadyQueue {

    /** The assumed service time of the very first task. Any value is right that is the same for all groups. */
    private static final double FIRST_GUESS = TimeUnit.MILLISECONDS.toNanos(1);

    private final LongSupplier clock;
    private final IndexedHeap<ServiceTimeState> heap = new IndexedHeap<>();
    private int polledGroups; // how many groups are polled and not yet added again or left
    private @Nullable Thread poller; // the thread that has polled a group, until endPoll
    private int adding; // groups that are marked as ready and not added yet
    private double virtualClock;
    private int epoch;
    private long epochStart;
    private double meanServiceTime = FIRST_GUESS; // over all groups; the guess for a group without completed tasks
    private long sequence;

    /** @param clock the clock that the times of starts and completions are read from */
    public ServiceTimeQueue(LongSupplier clock) {
        this.clock = clock;
    }

    @Override
    public ReadyQueue another() {
        return new ServiceTimeQueue(clock);
    }

    @Override
    public FairnessState newState() {
        return new ServiceTimeState(this);
    }

    // ---- the queue -----------------------------------------------------------------------------------------------

    @Override
    public synchronized void add(Competitor group) {
        long now = clock.getAsLong();
        if (heap.isEmpty() && polledGroups == 0) {
            epoch++;
            epochStart = now;
            virtualClock = 0;
        }
        ServiceTimeState state = settled(group, now);
        state.raiseTo(virtualClock);
        endPoll(state);
        state.group = group;
        state.rank = state.currentRank();
        state.sequence = sequence++;
        heap.add(state);
    }

    @Override
    public synchronized boolean beginAdd() {
        adding++;
        return true;
    }

    @Override
    public synchronized void endAdd() {
        adding--;
    }

    @Override
    public synchronized @Nullable Competitor poll() {
        if (isPolledByAnother() || adding > 0) {
            return null;
        }
        Competitor group = pollFirst();
        if (group != null) {
            poller = Thread.currentThread();
        }
        return group;
    }

    @SuppressWarnings("ReferenceEquality") // a thread is itself
    private boolean isPolledByAnother() {
        return poller != null && poller != Thread.currentThread();
    }

    @Override
    public synchronized void endPoll() {
        if (!isPolledByAnother()) {
            poller = null;
        }
    }

    /** Also while another thread polls or adds: a group that is not found here would never be removed. */
    @Override
    public void removeIf(Predicate<Competitor> leaves) {
        List<Competitor> stay = new ArrayList<>();
        for (Competitor group = pollFirst(); group != null; group = pollFirst()) {
            if (!leaves.test(group)) {
                stay.add(group);
            }
        }
        stay.forEach(this::add);
    }

    private synchronized @Nullable Competitor pollFirst() {
        ServiceTimeState first = first(clock.getAsLong());
        if (first == null) {
            return null;
        }
        heap.removeFirst();
        first.polled = true;
        polledGroups++;
        return first.group;
    }

    private @Nullable ServiceTimeState first(long now) {
        for (ServiceTimeState first = heap.peek(); first != null; first = heap.peek()) {
            settle(first, now);
            if (first.currentRank() <= first.rank) {
                return first;
            }
            updateRank(first);
        }
        return null;
    }

    @Override
    public synchronized boolean isEmpty() {
        return isPolledByAnother() || adding > 0 || heap.isEmpty();
    }

    @Override
    public synchronized void left(Competitor group, boolean idle) {
        endPoll((ServiceTimeState) group.fairnessState());
    }

    private void endPoll(ServiceTimeState state) {
        if (state.polled) {
            state.polled = false;
            polledGroups--;
        }
    }

    private void updateRank(ServiceTimeState state) {
        state.rank = state.currentRank();
        heap.rankChanged(state);
    }

    // ---- charges -------------------------------------------------------------------------------------------------

    @Override
    public boolean chargesTime() {
        return true;
    }

    @Override
    public synchronized void started(Competitor group, long now) {
        ServiceTimeState state = settled(group, now);
        ServiceTimeState next = heap.peek();
        virtualClock =
                Math.max(virtualClock, next == null ? state.virtualTime() : Math.min(state.virtualTime(), next.rank));
        state.started(now, meanServiceTime);
    }

    /** Its rank can only have risen, so the group need not be moved. */
    @Override
    public synchronized boolean startedDirectly(Competitor group, long now) {
        ServiceTimeState state = settled(group, now);
        state.raiseTo(virtualClock);
        state.started(now, meanServiceTime);
        return true;
    }

    @Override
    public void startedByForce(Competitor group, long now) {
        startedDirectly(group, now);
    }

    @Override
    public synchronized void completed(Competitor group, long start, long now) {
        ServiceTimeState state = settled(group, now);
        state.completed(start, now, meanServiceTime);
        meanServiceTime = ServiceTimeState.mean(meanServiceTime, now - start);
        updateRankIfQueued(state);
    }

    /** Runs {@code change}, which sets the weight of a group. The time held so far is charged at the old weight. */
    synchronized void changeWeight(ServiceTimeState state, Runnable change) {
        settle(state, clock.getAsLong());
        change.run();
        updateRankIfQueued(state);
    }

    private void updateRankIfQueued(ServiceTimeState state) {
        if (state.index >= 0) {
            updateRank(state);
        }
    }

    private ServiceTimeState settled(Competitor group, long now) {
        ServiceTimeState state = (ServiceTimeState) group.fairnessState();
        settle(state, now);
        return state;
    }

    private void settle(ServiceTimeState state, long now) {
        if (state.epoch != epoch) {
            state.epoch = epoch;
            state.settle(epochStart);
            state.reset();
        }
        state.settle(now);
    }
}
