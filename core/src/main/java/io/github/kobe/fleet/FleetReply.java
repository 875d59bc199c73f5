package io.github.kobe.fleet;

import java.util.List;
import java.util.Objects;

/** The answer of a store to a {@link FleetRequest}. Immutable. */
public sealed interface FleetReply {

    /**
     * The session has begun.
     *
     * @param incarnation names the data of the store. It changes if the store may have lost data
     * @param learning for so many milliseconds nodes only state what they hold, and nobody gets permits
     * @param nodes the number of sessions
     */
    record Joined(String incarnation, long learning, int nodes) implements FleetReply {
        public Joined {
            Objects.requireNonNull(incarnation, "incarnation");
        }
    }

    /**
     * The claims are executed, and the session is renewed.
     *
     * @param learning for so many milliseconds nodes only state what they hold, and nobody gets permits
     * @param nodes the number of sessions
     * @param pushed the number of pushes to this session so far
     * @param expired a session whose permits can be taken back by {@link FleetRequest.Reap}; empty if there is none
     * @param grants one for each claim, in the same order
     */
    record Exchanged(long learning, int nodes, long pushed, String expired, List<Grant> grants) implements FleetReply {
        public Exchanged {
            Objects.requireNonNull(expired, "expired");
            grants = List.copyOf(Objects.requireNonNull(grants, "grants"));
        }
    }

    /**
     * The claims are executed. The session is not renewed.
     *
     * @param grants one for each claim, in the same order
     */
    record Granted(List<Grant> grants) implements FleetReply {
        public Granted {
            grants = List.copyOf(Objects.requireNonNull(grants, "grants"));
        }
    }

    /**
     * The store does not know the session; nothing has changed. The node has to begin a new one.
     *
     * @param incarnation the incarnation of the store, empty if there is none. If it is that of the session, then the session has expired and its
     *     permits were taken back
     */
    record Rejoin(String incarnation) implements FleetReply {
        public Rejoin {
            Objects.requireNonNull(incarnation, "incarnation");
        }
    }

    /**
     * A call with this sequence number, or a later one, has been executed before; nothing has changed.
     *
     * @param seq the last sequence number that was executed
     */
    record Old(long seq) implements FleetReply {}

    /**
     * The node cannot be part of this fleet.
     *
     * @param reason what differs, with numbers
     */
    record Refused(String reason) implements FleetReply {
        public Refused {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /**
     * The permits in the groups of the call are taken back.
     *
     * @param alive whether the session is alive, or the store is learning: nothing has changed
     * @param groups the groups for the next call, at most {@link FleetRequest#MAX_GROUPS}; empty if the session is gone
     */
    record Reaped(boolean alive, List<String> groups) implements FleetReply {
        public Reaped {
            groups = List.copyOf(Objects.requireNonNull(groups, "groups"));
        }
    }

    /**
     * The answer to a change of a live setting.
     *
     * @param applied whether it is applied; if not, its version was not larger than the last one
     * @param version the version of the last change in the shard
     */
    record Configured(boolean applied, long version) implements FleetReply {}

    /**
     * What a shard holds.
     *
     * @param incarnation the incarnation, empty if the shard has no data
     * @param learning for so many milliseconds nobody gets permits
     * @param version the version of the last live setting
     * @param sessions all sessions
     * @param groups the groups that were asked for and are in use
     */
    record Snapshot(
            String incarnation, long learning, long version, List<SessionSnapshot> sessions, List<GroupSnapshot> groups)
            implements FleetReply {
        public Snapshot {
            Objects.requireNonNull(incarnation, "incarnation");
            sessions = List.copyOf(Objects.requireNonNull(sessions, "sessions"));
            groups = List.copyOf(Objects.requireNonNull(groups, "groups"));
        }
    }

    /**
     * A session in a {@link Snapshot}.
     *
     * @param session the session
     * @param node the name of its node
     * @param expiresIn in so many milliseconds its permits can be taken back, if it makes no call; 0 or negative if they can be now
     * @param groups the groups that it holds or wants, if they were asked for; otherwise empty
     */
    record SessionSnapshot(String session, String node, long expiresIn, List<String> groups) {
        public SessionSnapshot {
            Objects.requireNonNull(session, "session");
            Objects.requireNonNull(node, "node");
            groups = List.copyOf(Objects.requireNonNull(groups, "groups"));
        }
    }

    /**
     * A group in a {@link Snapshot}.
     *
     * @param group the name of the group
     * @param limit the limit that is in force
     * @param version the configuration version of the limit in the policies of the nodes
     * @param paused whether the group is paused
     * @param holdings one for each session that holds or wants permits
     */
    record GroupSnapshot(String group, int limit, long version, boolean paused, List<Holding> holdings) {
        public GroupSnapshot {
            Objects.requireNonNull(group, "group");
            holdings = List.copyOf(Objects.requireNonNull(holdings, "holdings"));
        }
    }

    /**
     * What one session has of a group.
     *
     * @param session the session
     * @param granted the permits that it holds
     * @param used the permits that were in use when it last stated them
     * @param wanted the permits that it wants, those that it holds included
     */
    record Holding(String session, int granted, int used, int wanted) {
        public Holding {
            Objects.requireNonNull(session, "session");
        }
    }
}
