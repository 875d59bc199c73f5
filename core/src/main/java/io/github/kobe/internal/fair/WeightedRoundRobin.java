package io.github.kobe.internal.fair;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * As many starts for each group in turn as its weight says, in O(1). No backlog delays another group by more than two rounds, or
 * one if no group is late.
 *
 * <p>A group that is taken from the ring begins a turn. While starts are left of it, it goes {@code ahead} of the ring instead of
 * to its end. One at its own limit keeps what is left for when it is back, one with nothing waiting does not: nothing is saved
 * up while idle.
 *
 * <p>As long as every weight is 1 that is all: servers take groups side by side, and none ever waits for another. But a server
 * that finds a group absent, because another server has it, goes on to the next; among equals that evens out, between a group
 * that is in line for three starts and one that is for a single one it does not. So from the first other weight on there is a
 * baton: only the server that has it takes a group, and hands it on with the group. Others are told that nobody is in line, put
 * their places back and go; the one with the baton polls again, and finds them. The price is that a server which the system stops
 * just then, for a moment, stops the others with it.
 *
 * <p>A turn that a group's own limit draws out may outlast a round. So, with weights, turns are counted, each group's own and the
 * most that any has begun: one that is late has two turns in one.
 */
public final class WeightedRoundRobin implements ReadyQueue {

    /** How many rounds a group can be late; more are forgotten, since a low limit would make them ever more. */
    private static final int MAX_ROUNDS_LATE = 2;

    private final ConcurrentLinkedQueue<Competitor> groups = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Competitor> unfinishedTurns = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean pollLock = new AtomicBoolean();
    private volatile boolean weighted; // once and for all

    /** The highest number of any turn that has begun; written with the baton. */
    private volatile long round;

    private final class RoundRobinState extends FairnessState {
        /** Starts left in its turn. */
        private int credit;

        /** The number of its last turn. */
        private long turn;

        /** Whether it comes from idling, and so cannot be late. */
        private boolean wasIdle = true;

        /** Whether the baton is with it. */
        private boolean holdsPollLock;

        @Override
        public void setWeight(int weight) {
            super.setWeight(weight);
            if (weight != 1) {
                weighted = true;
            }
        }
    }

    @Override
    public FairnessState newState() {
        return new RoundRobinState();
    }

    private static RoundRobinState stateOf(Competitor group) {
        return (RoundRobinState) group.fairnessState();
    }

    @Override
    public void add(Competitor group) {
        RoundRobinState share = stateOf(group);
        boolean hadBaton = share.holdsPollLock;
        share.holdsPollLock = false;
        if (share.wasIdle) {
            share.wasIdle = false;
            share.turn = round;
        }
        (share.credit > 0 ? unfinishedTurns : groups).add(group);
        if (hadBaton) {
            pollLock.set(false);
        }
    }

    @Override
    public @Nullable Competitor poll() {
        boolean needsBaton = weighted;
        if (needsBaton && !pollLock.compareAndSet(false, true)) {
            return null;
        }
        Competitor group = next(needsBaton);
        if (group != null) {
            stateOf(group).holdsPollLock = needsBaton;
        } else if (needsBaton) {
            pollLock.set(false);
        }
        return group;
    }

    private @Nullable Competitor next(boolean counted) {
        Competitor group = unfinishedTurns.poll();
        if (group == null) {
            group = groups.poll();
            if (group != null) {
                beginTurn(stateOf(group), counted);
            }
        }
        return group;
    }

    private void beginTurn(RoundRobinState share, boolean counted) {
        int weight = share.weight();
        share.credit = weight;
        if (counted) {
            share.turn = Math.max(share.turn + 1, round - MAX_ROUNDS_LATE);
            if (share.turn < round) {
                share.turn++;
                share.credit += weight;
            }
            round = Math.max(round, share.turn);
        }
    }

    /** Looks for the baton first: whoever gave it back has seen to it that the group is there, or polls again. */
    @Override
    public boolean isEmpty() {
        return pollLock.get() || (unfinishedTurns.isEmpty() && groups.isEmpty());
    }

    @Override
    public void started(Competitor group, long now) {
        stateOf(group).credit--;
    }

    @Override
    public void left(Competitor group, boolean idle) {
        RoundRobinState share = stateOf(group);
        if (idle) {
            share.credit = 0;
            share.wasIdle = true;
        }
        if (share.holdsPollLock) {
            share.holdsPollLock = false;
            pollLock.set(false);
        }
    }

    /** Begins no turns. */
    @Override
    public void removeIf(Predicate<Competitor> leaves) {
        prune(unfinishedTurns, leaves);
        prune(groups, leaves);
    }

    private static void prune(Queue<Competitor> line, Predicate<Competitor> leaves) {
        List<Competitor> stay = new ArrayList<>();
        for (Competitor group = line.poll(); group != null; group = line.poll()) {
            if (!leaves.test(group)) {
                stay.add(group);
            }
        }
        line.addAll(stay);
    }
}
