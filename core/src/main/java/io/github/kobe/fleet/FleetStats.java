package io.github.kobe.fleet;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * What this JVM has in a fleet: a snapshot. Immutable. The sums are over all groups; the limit over all groups is not one of them.
 *
 * @param fleet the name of the fleet
 * @param node the name of this node
 * @param sessions one for each executor and shard
 * @param groups the groups that permits are held or wanted of
 * @param held the permits that are held
 * @param wanted the permits that would be of use now, those in use included
 * @param used the permits that are in use
 * @param debt the permits that are in use although they are not held
 * @param exchanges the exchanges with the store since this node has joined, heartbeats included
 * @param lostCalls the calls of the store that failed, or were not answered in time
 * @param faults the failures that were guarded against, such as a wrong answer of the store; a call that threw is a lost call
 * @param sharedLimits the same of the shared limits of the fleet. A task that is under such a limit has permits of it besides those of its group
 */
public record FleetStats(
        String fleet,
        String node,
        List<Session> sessions,
        int groups,
        long held,
        long wanted,
        long used,
        long debt,
        long exchanges,
        long lostCalls,
        long faults,
        SharedLimits sharedLimits) {

    public FleetStats {
        Objects.requireNonNull(sharedLimits, "sharedLimits");
        Objects.requireNonNull(fleet, "fleet");
        Objects.requireNonNull(node, "node");
        sessions = List.copyOf(sessions);
    }

    /**
     * What this JVM has of all shared limits of the fleet together.
     *
     * @param values the values that permits are held or wanted of
     * @param held the permits that are held
     * @param wanted the permits that would be of use now, those in use included
     * @param used the permits that are in use
     * @param debt the permits that are in use although they are not held
     */
    public record SharedLimits(int values, long held, long wanted, long used, long debt) {
        SharedLimits plus(FleetSharedLimitStats stats) {
            return new SharedLimits(
                    values + 1, held + stats.held(), wanted + stats.wanted(), used + stats.used(), debt + stats.debt());
        }
    }

    /**
     * The session of one executor in one shard.
     *
     * @param executor the name of the executor
     * @param shard the shard, from 0
     * @param id the name of the session in the store
     * @param state how far it has come
     * @param leaseLeft for how long tasks may start if the store does not answer any more; zero if none may
     * @param learning for how long the store grants no permit, because it may have lost data; zero if it does
     * @param nodes the number of sessions in the shard, as the store said last
     */
    public record Session(
            String executor,
            int shard,
            String id,
            SessionState state,
            Duration leaseLeft,
            Duration learning,
            int nodes) {
        public Session {
            Objects.requireNonNull(executor, "executor");
            Objects.requireNonNull(id, "id");
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(leaseLeft, "leaseLeft");
            Objects.requireNonNull(learning, "learning");
        }
    }
}
