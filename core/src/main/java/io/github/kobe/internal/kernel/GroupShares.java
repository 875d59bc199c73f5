package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.FairnessState;
import io.github.kobe.internal.fair.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The shared limits of one group, and how it waits for them. A group without shared limits has no such object.
 *
 * <p>The limits of a group are numbered: its shared limits in the order of {@link LimitSource#sharedLimits}, and then the global one. Those that are leased come after those of this JVM alone, and in the
 * same order in all JVMs: a limit is wanted from the fleet for groups that have room at all limits before it. Fields that are not volatile are used by the thread that
 * has polled the group.
 */
@SuppressWarnings("ReferenceEquality") // identity of limits and memberships
final class GroupShares {

    private static final VarHandle KEPT;

    static {
        try {
            KEPT = MethodHandles.lookup().findVarHandle(GroupShares.class, "kept", KeptPermits.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A group as the ready queue of one of its shared limits sees it. */
    static final class Share implements Competitor {
        final Group group;
        final Limit limit;
        private final FairnessState fairnessState;

        private Share(Group group, Limit limit, List<Level> levels) {
            this.group = group;
            this.limit = limit;
            this.fairnessState = limit.readyQueue.newState(levels);
        }

        @Override
        public String key() {
            return group.key();
        }

        @Override
        public int queued() {
            return group.queued();
        }

        @Override
        public FairnessState fairnessState() {
            return fairnessState;
        }
    }

    private final Share[] shares;
    private final SharedKey[] leasedKeys; // of the limits that are leased

    /** The limit whose ready queue the group was added to last, or which saves permits for it. */
    private volatile @Nullable Limit waitsAt;

    /** The permits that it keeps while it waits; {@code null} if none. */
    private volatile @Nullable KeptPermits kept;

    /** How many turns it could not use since its last start, because another limit was full. */
    private int turnsInVain;

    /** What {@link Limit#releases} of each limit was at its last turn in vain at each limit; {@code null} where it had none. Created for the first one. */
    private long @Nullable [] @Nullable [] releasesSeen;

    GroupShares(Group group, List<SharedMembership> memberships, List<Limit> limits) {
        shares = new Share[limits.size()];
        for (int i = 0; i < shares.length; i++) {
            shares[i] = new Share(group, limits.get(i), levels(memberships, memberships.get(i)));
        }
        leasedKeys = limits.stream().filter(Limit::isLeased).map(Limit::key).toArray(SharedKey[]::new);
    }

    // ---- leased limits -------------------------------------------------------------------------------------------

    SharedKey[] leasedKeys() {
        return leasedKeys;
    }

    /** The group will be registered. Before it admits a task. */
    void joinLeased(Group group) {
        for (Share share : shares) {
            if (share.limit.isLeased()) {
                share.limit.members().add(group);
            }
        }
    }

    void leaveLeased(Group group) {
        for (Share share : shares) {
            if (share.limit.isLeased()) {
                share.limit.members().remove(group);
            }
        }
    }

    boolean hasUnknownLimit() {
        for (Share share : shares) {
            if (share.limit.isUnknown()) {
                return true;
            }
        }
        return false;
    }

    /** Tells the owner of leases, if tasks of the group wait for leased limits. Before the first answer, each queued task counts. */
    void wantIfShort(Group group) {
        if (leasedKeys.length == 0 || group.queued() == 0) {
            return;
        }
        Limit at = waitsAt;
        for (Share share : shares) {
            if (share.limit == at || share.limit.isUnknown()) {
                share.limit.wantIfShort();
            }
        }
    }

    /**
     * How many of {@code tasks} that have permits of the group would use a permit of {@code limit} now, as far as the other limits go.
     *
     * @param cost of the first of them; it waits here, so at least that is needed
     * @param totalLeased whether the global limit is leased too
     * @param room of other limits, less what other groups would use; this group's is subtracted
     */
    int queuedFor(Limit limit, int tasks, int cost, boolean totalLeased, Map<Limit, Integer> room) {
        int here = indexOf(limit);
        Limit at = waitsAt;
        int there = at == null ? -1 : indexOf(at);
        if (there < here || (there == shares.length && !totalLeased)) {
            return 0; // a limit that comes first is in the way; then permits would be idle
        }
        int wanted = tasks;
        for (int i = 0; i < here; i++) {
            Limit before = shares[i].limit;
            wanted = Math.min(wanted, room.computeIfAbsent(before, b -> b.limiter.free()));
        }
        int queued = Math.max(wanted, cost);
        for (int i = 0; i < here; i++) {
            room.merge(shares[i].limit, -queued, Integer::sum);
        }
        return queued;
    }

    /**
     * The values that take turns at a limit, outermost first.
     *
     * @param at which membership the limit is of; all groups there have the same value. {@code null} for the global limit
     */
    static List<Level> levels(List<SharedMembership> memberships, @Nullable SharedMembership at) {
        if (memberships.isEmpty()) {
            return List.of();
        }
        return memberships.stream()
                .filter(membership -> membership != at && membership.weight() > 0)
                .sorted(Comparator.comparingInt(SharedMembership::level))
                .map(membership -> new Level(membership.key(), membership.weight()))
                .toList();
    }

    Share[] all() {
        return shares;
    }

    /** The number of {@code limit}. */
    int indexOf(Limit limit) {
        for (int i = 0; i < shares.length; i++) {
            if (shares[i].limit == limit) {
                return i;
            }
        }
        return shares.length; // the global one
    }

    boolean contains(Limit limit) {
        return indexOf(limit) < shares.length;
    }

    /** The group as the ready queue of a shared limit of it sees it. */
    Competitor at(Limit limit) {
        return shares[indexOf(limit)];
    }

    /** Sets the weight of the group at each of its shared limits, among the groups that it takes turns with. */
    void setWeight(int weight) {
        for (Share share : shares) {
            share.fairnessState.setWeight(weight);
        }
    }

    /** The group is not registered any more, or never was. */
    void forget() {
        for (Share share : shares) {
            share.limit.readyQueue.forget(share.fairnessState);
        }
    }

    /** The first of its limits that has no room for {@code cost} permits; if all have room, its first shared limit. */
    Limit firstFull(Limit global, int cost) {
        for (Share share : shares) {
            if (!share.limit.hasRoom(cost)) {
                return share.limit;
            }
        }
        return global.hasRoom(cost) ? shares[0].limit : global;
    }

    /** The first of its shared limits that has fewer than {@code cost} free permits; {@code null} if there is none. */
    @Nullable
    Limit exhausted(int cost) {
        for (Share share : shares) {
            if (!share.limit.limiter.hasFree(cost)) {
                return share.limit;
            }
        }
        return null;
    }

    /** The first of its shared limits that is paused; {@code null} if none is. */
    @Nullable
    Limit paused() {
        for (Share share : shares) {
            if (share.limit.isPaused()) {
                return share.limit;
            }
        }
        return null;
    }

    // ---- where it waits ------------------------------------------------------------------------------------------

    @Nullable
    Limit waitsAt() {
        return waitsAt;
    }

    void setWaitsAt(Limit limit) {
        waitsAt = limit;
    }

    // ---- turns in vain -------------------------------------------------------------------------------------------

    /**
     * It had a turn at {@code at}, and {@code full} was in the way.
     *
     * @return how many times as fast as {@code at} the other limit is: how many permits were released there for each one that was released here, since
     *     its last turn here; 0 if it had none
     */
    long turnInVain(Limit at, Limit full, Limit global) {
        turnsInVain++;
        if (releasesSeen == null) {
            releasesSeen = new long[shares.length + 1][];
        }
        int here = indexOf(at);
        long[] before = releasesSeen[here];
        long[] now = new long[shares.length + 1];
        for (int i = 0; i < now.length; i++) {
            now[i] = (i < shares.length ? shares[i].limit : global).releases();
        }
        releasesSeen[here] = now;
        int there = indexOf(full);
        return before == null ? 0 : (now[there] - before[there]) / Math.max(1, now[here] - before[here]);
    }

    int turnsInVain() {
        return turnsInVain;
    }

    void started() {
        turnsInVain = 0;
    }

    // ---- kept permits --------------------------------------------------------------------------------------------

    /**
     * Takes the kept permits into the hand of the calling thread; {@code null} if there are none. A sweep that has taken the group out of a ready queue calls it when the group may be ready again, and in
     * the hand of another thread. So it takes out what it has read, and not permits that the other thread keeps since.
     */
    @Nullable
    KeptPermits takeKept() {
        KeptPermits known = kept;
        return known != null && KEPT.compareAndSet(this, known, null) && known.tryTake() ? known : null;
    }

    /** Leaves the permits in hand with the group. Before the group is added to a ready queue. */
    void keep(KeptPermits permits) {
        // First: a sweep that has read the same object before would take it from here while it cannot be taken.
        permits.put();
        kept = permits;
    }
}
