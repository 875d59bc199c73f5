package io.github.kobe.fleet;

import io.github.kobe.internal.util.Checks;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;

/**
 * A call of a node to one shard of a store. Each is executed in one step: no other call is executed in between. Immutable.
 *
 * <p>The sequence number of a session grows with each {@link Hello}, {@link Exchange} and {@link Bye}. A store ignores a number that is not larger
 * than the last one it has executed, so a call that is late or duplicated changes nothing.
 */
public sealed interface FleetRequest {

    /** The largest number of groups in one call. */
    int MAX_GROUPS = 64;

    /** A value of {@link Configure} that removes the setting. */
    long UNSET = -1;

    /**
     * Begins a session, or finds that it has begun. Answered by {@link FleetReply.Joined}, {@link FleetReply.Rejoin},
     * {@link FleetReply.Old} or {@link FleetReply.Refused}.
     *
     * @param session a name that no other session has or had
     * @param seq the sequence number
     * @param node the name of the node, for operators
     * @param ttl after so many milliseconds without a call the session expires
     * @param reclaimAfter so many milliseconds after it has expired, other nodes may take its permits
     * @param shards the number of shards of the fleet
     * @param founding whether an empty store is known to be that of a new fleet, and not one that has lost its data: no time for learning is needed
     */
    record Hello(String session, long seq, String node, long ttl, long reclaimAfter, int shards, boolean founding)
            implements FleetRequest {
        public Hello {
            Objects.requireNonNull(session, "session");
            Objects.requireNonNull(node, "node");
            Checks.check(ttl >= 8, "ttl", "at least 8", ttl);
            Checks.check(reclaimAfter >= 0, "reclaimAfter", "at least 0", reclaimAfter);
            Checks.atLeast(1, "shards", shards);
        }
    }

    /**
     * States claims, and asks for permits. Answered by {@link FleetReply.Exchanged} if it renews the session, and by {@link FleetReply.Granted}
     * otherwise; or by {@link FleetReply.Rejoin} or {@link FleetReply.Old}.
     *
     * @param session the session
     * @param seq the sequence number
     * @param incarnation the incarnation that the session has joined
     * @param renews whether it is a heartbeat: renews the session, and asks for the state of the shard. Without that, the store has about
     *     half as much to do
     * @param claims at most {@link #MAX_GROUPS}, one for each group
     */
    record Exchange(String session, long seq, String incarnation, boolean renews, List<Claim> claims)
            implements FleetRequest {

        public Exchange {
            Objects.requireNonNull(session, "session");
            Objects.requireNonNull(incarnation, "incarnation");
            claims = List.copyOf(Objects.requireNonNull(claims, "claims"));
            requireFewAndDistinct(claims.stream().map(Claim::group).toList());
        }
    }

    /**
     * Takes the permits of an expired session back. Answered by {@link FleetReply.Reaped}, which names the groups for the next call, or
     * {@link FleetReply.Rejoin}. The first call names no groups.
     *
     * @param incarnation the incarnation that the caller has joined
     * @param expired the session whose permits are taken back
     * @param groups at most {@link #MAX_GROUPS} groups, as the answer to the call before named them
     */
    record Reap(String incarnation, String expired, List<String> groups) implements FleetRequest {
        public Reap {
            Objects.requireNonNull(incarnation, "incarnation");
            Objects.requireNonNull(expired, "expired");
            groups = List.copyOf(Objects.requireNonNull(groups, "groups"));
            requireFewAndDistinct(groups);
        }
    }

    /**
     * Ends a session. It counts as expired at once. Answered by {@link FleetReply.Reaped}, {@link FleetReply.Rejoin} or {@link FleetReply.Old}.
     *
     * @param session the session
     * @param seq the sequence number
     * @param incarnation the incarnation that the session has joined
     */
    record Bye(String session, long seq, String incarnation) implements FleetRequest {
        public Bye {
            Objects.requireNonNull(session, "session");
            Objects.requireNonNull(incarnation, "incarnation");
        }
    }

    /** A setting of a group that is changed for the whole fleet. */
    enum Setting {
        /** The limit; it overrides that of every node's policy. */
        LIMIT,
        /** Whether the group is paused: 1, or 0. */
        PAUSED
    }

    /**
     * Changes a live setting of a group, if {@code version} is larger than that of the last change in the shard. Answered by
     * {@link FleetReply.Configured} or {@link FleetReply.Rejoin}.
     *
     * @param group the name of the group
     * @param setting the setting
     * @param value the value, or {@link #UNSET}
     * @param version the version of this change
     */
    record Configure(String group, Setting setting, long value, long version) implements FleetRequest {
        public Configure {
            Objects.requireNonNull(group, "group");
            Objects.requireNonNull(setting, "setting");
            long min = setting == Setting.LIMIT ? 1 : 0;
            long max = setting == Setting.LIMIT ? Integer.MAX_VALUE : 1;
            Checks.check(
                    value == UNSET || (value >= min && value <= max),
                    "value of " + setting,
                    "between " + min + " and " + max + ", or " + UNSET,
                    value);
        }
    }

    /**
     * Reads. Changes nothing, and needs no session. Answered by {@link FleetReply.Snapshot}.
     *
     * @param sessions the sessions whose groups are asked for, at most {@link #MAX_GROUPS}
     * @param groups the groups that are asked for, at most {@link #MAX_GROUPS}
     */
    record Look(List<String> sessions, List<String> groups) implements FleetRequest {
        public Look {
            sessions = List.copyOf(Objects.requireNonNull(sessions, "sessions"));
            requireFewAndDistinct(sessions);
            groups = List.copyOf(Objects.requireNonNull(groups, "groups"));
            requireFewAndDistinct(groups);
        }
    }

    private static void requireFewAndDistinct(List<String> names) {
        Checks.check(names.size() <= MAX_GROUPS, "number of names", "at most " + MAX_GROUPS, names.size());
        Checks.check(new HashSet<>(names).size() == names.size(), "names", "distinct", names.size());
    }
}
