package io.github.kobe.internal.fair;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Weighted round robin in O(1): in each round, a group has one turn of as many starts as its weight. A backlog delays another group by at
 * most one round, or by two if a group is late.
 *
 * <p>A group that is polled from {@code nextTurns} begins a turn. While its turn has starts left, the group is added to
 * {@code unfinishedTurns}, which is polled first. A group that leaves at its own limit keeps the rest of its turn. A group that leaves idle
 * loses it, so no credit is saved up while a group is idle.
 *
 * <p><b>Poll lock.</b> While every weight is 1, threads poll groups concurrently and never exclude each other. A thread that does not find
 * a group, because another thread has polled it, takes the next one. Between groups of equal weight this evens out. Between a group with
 * three starts per turn and a group with one it does not. So from the first other weight on, there is a poll lock: a thread takes it when
 * it polls a group, and releases it after it has added the group again or the group has left. Other threads meanwhile get {@code null}, put
 * their permits back and return; the holder of the lock polls again and finds these permits. A group that is marked as ready but not added
 * yet has the same effect: until it is added no group is polled, and the thread that adds it dispatches. The price: if the operating system
 * suspends one of these threads, it holds up the others for that time.
 *
 * <p><b>Late groups.</b> If a group reaches its own limit in the middle of a turn, that turn may last longer than a round. So, with
 * weights, turns are numbered: each group has the number of its last turn, and {@code round} is the highest of them. A group that is late
 * gets the starts of two turns in one.
 */
public final class WeightedRoundRobin implements ReadyQueue {

    /** By how many rounds a group can be late. More are forgotten, because a low limit would add up ever more of them. */
    private static final int MAX_ROUNDS_LATE = 2;

    private final ConcurrentLinkedQueue<Competitor> nextTurns = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Competitor> unfinishedTurns = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Thread> pollLock = new AtomicReference<>(); // the holder
    private final AtomicInteger adding = new AtomicInteger(); // groups that are marked as ready and not added yet
    private final ConcurrentLinkedQueue<Competitor> first = new ConcurrentLinkedQueue<>();
    private volatile boolean usesFirst; // never false again
    private volatile boolean weighted; // never false again

    /** The highest number of any turn that has begun. Written under the poll lock. */
    private volatile long round;

    private final class RoundRobinState extends FairnessState {
        /** Starts left in its turn. */
        private int credit;

        /** The number of its last turn. */
        private long turn;

        /** Whether it was idle before it is added. Such a group is not late. */
        private boolean wasIdle = true;

        @Override
        public void setWeight(int weight) {
            super.setWeight(weight);
            if (weight != 1) {
                weighted = true;
            }
        }
    }

    @Override
    public ReadyQueue another() {
        return new WeightedRoundRobin();
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
        RoundRobinState state = stateOf(group);
        if (state.wasIdle) {
            state.wasIdle = false;
            state.turn = round;
        }
        (state.credit > 0 ? unfinishedTurns : nextTurns).add(group);
    }

    @Override
    public void addFirst(Competitor group, long now) {
        usesFirst = true;
        first.add(group);
    }

    @Override
    public boolean beginAdd() {
        if (!weighted) {
            return false;
        }
        adding.incrementAndGet();
        return true;
    }

    @Override
    public void endAdd() {
        adding.decrementAndGet();
    }

    @Override
    public @Nullable Competitor poll() {
        if (!weighted) {
            return next(false);
        }
        if (!pollLock.compareAndSet(null, Thread.currentThread())) {
            return null;
        }
        Competitor group = adding.get() > 0 ? null : next(true);
        if (group == null) {
            pollLock.set(null);
        }
        return group;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a thread is itself
    public void endPoll() {
        if (pollLock.get() == Thread.currentThread()) {
            pollLock.set(null);
        }
    }

    private @Nullable Competitor next(boolean numbered) {
        Competitor group = usesFirst ? first.poll() : null;
        if (group == null) {
            group = unfinishedTurns.poll();
        }
        if (group == null) {
            group = nextTurns.poll();
            if (group != null && !beginTurn(group, numbered)) {
                group = nextThatHasPaid(group, numbered);
            }
        }
        return group;
    }

    /**
     * Groups that still pay for a costly task are taken out until one is found that does not, or there is none. Other threads do not find them meanwhile, and put their permits back; this one polls again and finds
     * the permits.
     */
    private @Nullable Competitor nextThatHasPaid(Competitor first, boolean numbered) {
        List<Competitor> paying = new ArrayList<>();
        paying.add(first);
        for (; ; ) {
            Competitor group = nextTurns.poll();
            if (group != null && !beginTurn(group, numbered)) {
                paying.add(group);
                continue;
            }
            if (group == null) {
                skipRounds(paying);
            }
            nextTurns.addAll(paying);
            if (group != null || paying.isEmpty()) {
                return group;
            }
            paying.clear();
        }
    }

    /** Skips the rounds in which all of them go on to pay. A cost may be any number, so these are not counted one by one. */
    private static void skipRounds(List<Competitor> paying) {
        int rounds = Integer.MAX_VALUE;
        for (Competitor group : paying) {
            RoundRobinState state = stateOf(group);
            rounds = Math.min(rounds, -state.credit / state.weight());
        }
        for (Competitor group : paying) { // a weight may have been raised meanwhile
            RoundRobinState state = stateOf(group);
            state.credit = (int) Math.min(0, state.credit + (long) rounds * state.weight());
        }
    }

    /** Returns false if the group still pays for a costly task. */
    private boolean beginTurn(Competitor group, boolean numbered) {
        RoundRobinState state = stateOf(group);
        int weight = state.weight();
        state.credit = Math.min(0, state.credit) + weight;
        if (numbered) {
            state.turn = Math.max(state.turn + 1, round - MAX_ROUNDS_LATE);
            if (state.turn < round) {
                state.turn++;
                state.credit = (int) Math.min(Integer.MAX_VALUE, (long) state.credit + weight);
            }
            round = Math.max(round, state.turn);
        }
        return state.credit > 0;
    }

    /** Reads the poll lock before the queues. The thread that released the lock had added its group, or polls again. */
    @Override
    public boolean isEmpty() {
        return pollLock.get() != null || adding.get() > 0 || hasNone();
    }

    @Override
    public boolean isUnused() {
        return hasNone() && adding.get() == 0 && pollLock.get() == null;
    }

    private boolean hasNone() {
        return unfinishedTurns.isEmpty() && nextTurns.isEmpty() && (!usesFirst || first.isEmpty());
    }

    @Override
    public void started(Competitor group, long now) {
        RoundRobinState state = stateOf(group);
        state.credit = FairnessState.charge(state.credit, 1);
    }

    @Override
    public void started(Competitor group, int cost, long now) {
        RoundRobinState state = stateOf(group);
        state.credit = FairnessState.charge(state.credit, cost);
    }

    /** It has used a turn that it kept here. */
    @Override
    public void startedElsewhere(Competitor group, int cost) {
        RoundRobinState state = stateOf(group);
        if (state.credit > 0) {
            state.credit = Math.max(0, state.credit - cost);
        }
    }

    @Override
    public void left(Competitor group, boolean idle) {
        RoundRobinState state = stateOf(group);
        if (idle) {
            state.credit = Math.min(0, state.credit);
            state.wasIdle = true;
        }
    }

    /** Does not begin a turn. */
    @Override
    public void removeIf(Predicate<Competitor> leaves) {
        removeIf(first, leaves);
        removeIf(unfinishedTurns, leaves);
        removeIf(nextTurns, leaves);
    }

    private static void removeIf(Queue<Competitor> queue, Predicate<Competitor> leaves) {
        List<Competitor> stay = new ArrayList<>();
        for (Competitor group = queue.poll(); group != null; group = queue.poll()) {
            if (!leaves.test(group)) {
                stay.add(group);
            }
        }
        queue.addAll(stay);
    }
}
