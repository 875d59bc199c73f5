package io.github.kobe.internal.fair;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Weighted round robin between the values of shared limits, and among the groups of one value: two tenants of equal weight get equal shares, whatever the number of their groups.
 *
 * <p>The groups are the leaves of a tree. Each {@link Level} of a group is an inner node; the first level is below the root. The members of a node, values or groups, take turns as in
 * {@link WeightedRoundRobin}: in each round a member has one turn of as many starts as its weight. A turn begins when the member goes from {@code nextTurns} to {@code unfinishedTurns}, which come first. A start is
 * charged to the group and to each of its values. A member that leaves idle loses the rest of its turn; one that leaves for another reason keeps it. A poll takes O(1) for each level.
 *
 * <p>A value stays in the queue of its parent until a poll finds that it has no group left. So a group that is polled and added again does not move its values.
 *
 * <p><b>One poller at a time.</b> While a thread has polled the only group of a value, that value is missing, and other values would get its starts. So until {@link #endPoll} no other thread polls a group. That thread
 * polls again afterwards, and finds the permits that the others put back. The same holds while a group is marked as ready and not added yet.
 */
@SuppressWarnings("ReferenceEquality") // identity of threads and values
public final class HierarchicalRoundRobin implements ReadyQueue {

    /** A group, or a value. The fields are guarded by the lock of the queue. */
    private static class Member extends FairnessState {
        final @Nullable Value parent; // null for the root
        int credit; // starts left in its turn; negative while it pays for a costly task
        boolean queued;

        @Nullable
        Competitor group; // of a group that was added

        Member(@Nullable Value parent) {
            this.parent = parent;
        }

        Value parent() {
            return Objects.requireNonNull(parent);
        }
    }

    /** The groups of one value, under one value of the level above. */
    private static final class Value extends Member {
        private final Object key;
        private final Map<Object, Value> values = new HashMap<>(); // of the next level
        private final Queue<Member> unfinishedTurns = new ArrayDeque<>();
        private final Queue<Member> nextTurns = new ArrayDeque<>();
        private int groups; // how many states are below it

        Value(@Nullable Value parent, Object key) {
            super(parent);
            this.key = key;
        }

        boolean hasNone() {
            return unfinishedTurns.isEmpty() && nextTurns.isEmpty();
        }

        int valuesBelow() {
            return values.values().stream()
                    .mapToInt(value -> 1 + value.valuesBelow())
                    .sum();
        }

        /** The member that is next, with a turn that is not finished; it stays queued. {@code null} if there is none. */
        @Nullable
        Member next() {
            int paying = 0; // members at the end of nextTurns that have begun a turn in vain
            for (; ; ) {
                Member member = unfinishedTurns.peek();
                if (member == null) {
                    member = nextTurns.poll();
                    if (member == null) {
                        return null;
                    }
                    if (isLeft(member)) {
                        member.queued = false;
                    } else {
                        member.credit = Math.min(0, member.credit) + member.weight();
                        (member.credit > 0 ? unfinishedTurns : nextTurns).add(member);
                        paying += member.credit > 0 ? 0 : 1;
                    }
                    if (paying > 0 && paying == nextTurns.size() && unfinishedTurns.isEmpty()) {
                        skipRounds();
                        paying = 0;
                    }
                } else if (isLeft(member)) {
                    pollFirst(); // it keeps the rest of its turn
                } else if (member.credit <= 0) {
                    nextTurns.add(unfinishedTurns.remove());
                } else {
                    return member;
                }
            }
        }

        /** All members pay for costly tasks: skips the rounds in which they all go on to. A cost may be any number, so these are not counted one by one. */
        private void skipRounds() {
            int rounds = Integer.MAX_VALUE;
            for (Member member : nextTurns) {
                rounds = Math.min(rounds, -member.credit / member.weight());
            }
            for (Member member : nextTurns) { // a weight may have been raised meanwhile
                member.credit = (int) Math.min(0, member.credit + (long) rounds * member.weight());
            }
        }

        /** Whether it is a value whose groups have all left. */
        private static boolean isLeft(Member member) {
            return member instanceof Value value && value.hasNone();
        }

        /** Takes out the member that {@link #next} has returned. */
        void pollFirst() {
            unfinishedTurns.remove().queued = false;
        }
    }

    private final Value root = new Value(null, "all");
    private final Queue<Member> first = new ArrayDeque<>(); // groups that keep permits of other limits
    private @Nullable Thread poller; // the thread that has polled a group, until endPoll
    private int adding; // groups that are marked as ready and not added yet
    private int queuedGroups;

    @Override
    public ReadyQueue another() {
        return new HierarchicalRoundRobin();
    }

    @Override
    public synchronized FairnessState newState(List<Level> levels) {
        Value parent = root;
        for (Level level : levels) {
            Value above = parent;
            parent = above.values.computeIfAbsent(level.value(), key -> new Value(above, key));
            parent.setWeight(level.weight());
            parent.groups++;
        }
        return new Member(parent);
    }

    @Override
    public FairnessState newState() {
        return newState(List.of());
    }

    /** A value without groups is removed. If the group is still queued, so is the value, until it is polled. */
    @Override
    public synchronized void forget(FairnessState state) {
        for (Value value = ((Member) state).parent(); value.parent != null; value = value.parent) {
            value.groups--;
            if (value.groups == 0) {
                value.parent.values.remove(value.key, value);
            }
        }
    }

    /** How many values have groups. For tests. */
    synchronized int values() {
        return root.valuesBelow();
    }

    private static Member memberOf(Competitor group) {
        return (Member) group.fairnessState();
    }

    // ---- the queue -----------------------------------------------------------------------------------------------

    @Override
    public synchronized void add(Competitor group) {
        Member member = memberOf(group);
        member.group = group;
        queuedGroups++;
        enqueue(member);
    }

    /** And its values, as far as they are not queued. */
    private static void enqueue(Member added) {
        for (Member member = added; member.parent != null && !member.queued; member = member.parent) {
            member.queued = true;
            (member.credit > 0 ? member.parent.unfinishedTurns : member.parent.nextTurns).add(member);
        }
    }

    @Override
    public synchronized void addFirst(Competitor group, long now) {
        Member member = memberOf(group);
        member.group = group;
        queuedGroups++;
        first.add(member);
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
        Member next = first.isEmpty() ? nextGroup() : first.poll();
        if (next == null) {
            return null;
        }
        queuedGroups--;
        poller = Thread.currentThread();
        return next.group;
    }

    private @Nullable Member nextGroup() {
        Value at = root;
        for (; ; ) {
            Member member = at.next();
            if (member instanceof Value value) {
                at = value;
            } else if (member != null) {
                at.pollFirst();
                return member;
            } else if (at == root) {
                return null;
            } else {
                at = root; // all that it had were values without groups
            }
        }
    }

    private boolean isPolledByAnother() {
        return poller != null && poller != Thread.currentThread();
    }

    @Override
    public synchronized void endPoll() {
        if (!isPolledByAnother()) {
            poller = null;
        }
    }

    @Override
    public synchronized boolean isEmpty() {
        return isPolledByAnother() || adding > 0 || queuedGroups == 0;
    }

    @Override
    public synchronized boolean isUnused() {
        return poller == null && adding == 0 && queuedGroups == 0;
    }

    @Override
    public synchronized void left(Competitor group, boolean idle) {
        Member member = memberOf(group);
        while (idle && member.parent != null) {
            member.credit = Math.min(0, member.credit);
            member = member.parent.hasNone() ? member.parent : root;
        }
    }

    /** Also while another thread polls or adds: a group that is not found here would never be removed. */
    @Override
    public void removeIf(Predicate<Competitor> leaves) {
        List<Member> firsts = new ArrayList<>();
        List<Member> others = new ArrayList<>();
        synchronized (this) {
            takeAll(first, firsts);
            takeAll(root, others);
            queuedGroups = 0;
        }
        firsts.removeIf(member -> leaves.test(Objects.requireNonNull(member.group)));
        others.removeIf(member -> leaves.test(Objects.requireNonNull(member.group)));
        firsts.forEach(member -> addFirst(Objects.requireNonNull(member.group), 0));
        others.forEach(member -> add(Objects.requireNonNull(member.group)));
    }

    private static void takeAll(Value value, List<Member> groups) {
        takeAll(value.unfinishedTurns, groups);
        takeAll(value.nextTurns, groups);
    }

    private static void takeAll(Queue<Member> members, List<Member> groups) {
        for (Member member = members.poll(); member != null; member = members.poll()) {
            member.queued = false;
            if (member instanceof Value value) {
                takeAll(value, groups);
            } else {
                groups.add(member);
            }
        }
    }

    // ---- charges -------------------------------------------------------------------------------------------------

    @Override
    public void started(Competitor group, long now) {
        started(group, 1, now);
    }

    @Override
    public synchronized void started(Competitor group, int cost, long now) {
        for (Member member = memberOf(group); member.parent != null; member = member.parent) {
            member.credit = FairnessState.charge(member.credit, cost);
        }
    }

    /** It has used a turn that it kept here. */
    @Override
    public synchronized void startedElsewhere(Competitor group, int cost) {
        Member started = memberOf(group);
        if (started.credit > 0) {
            for (Member member = started; member.parent != null; member = member.parent) {
                member.credit = Math.max(Math.min(0, member.credit), FairnessState.charge(member.credit, cost));
            }
        }
    }
}
