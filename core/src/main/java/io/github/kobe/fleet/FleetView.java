package io.github.kobe.fleet;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * What the store knows of all nodes of a fleet: a snapshot. Immutable. What nodes hold is exact. {@code wanted} is the number of the last claim. A
 * node sends a claim if it has too few permits or too many. If the fleet has several shards, each is of a slightly different time.
 *
 * @param fleet the name of the fleet
 * @param learning for how long the store grants no permit, because it may have lost data; zero if it does
 * @param nodes all nodes, by name
 * @param groups those groups that were asked for and are in use, in the order in which they were asked for
 */
public record FleetView(String fleet, Duration learning, List<Node> nodes, List<Group> groups) {

    public FleetView {
        Objects.requireNonNull(fleet, "fleet");
        Objects.requireNonNull(learning, "learning");
        nodes = List.copyOf(nodes);
        groups = List.copyOf(groups);
    }

    /**
     * A node.
     *
     * @param node its name
     * @param sessions how many sessions it has: one for each executor and shard
     * @param expiresIn after what time its permits can be taken back if it is silent; zero if those of a session can be now
     */
    public record Node(String node, int sessions, Duration expiresIn) {
        public Node {
            Objects.requireNonNull(node, "node");
            Objects.requireNonNull(expiresIn, "expiresIn");
        }
    }

    /**
     * A group.
     *
     * @param groupKey the key of the group; empty for the limit over all groups. Of {@link Fleet#lookAtSharedLimit}, the value
     * @param limit the limit that is in force
     * @param paused whether the group is paused for the whole fleet
     * @param holders the nodes that hold or want permits of it, by name
     */
    public record Group(String groupKey, int limit, boolean paused, List<Holder> holders) {
        public Group {
            Objects.requireNonNull(groupKey, "groupKey");
            holders = List.copyOf(holders);
        }

        /** Returns the permits that are held, by all nodes. */
        public long held() {
            return holders.stream().mapToLong(Holder::held).sum();
        }

        /** Returns the permits that would be of use now, on all nodes, those in use included. */
        public long wanted() {
            return holders.stream().mapToLong(Holder::wanted).sum();
        }

        /**
         * Returns how many permits are held or used beyond the limit: because the limit was lowered, or because tasks go on that were begun before
         * their node was cut off. Nobody is granted a permit until they are returned.
         */
        public long debt() {
            long taken = holders.stream()
                    .mapToLong(holder -> holder.held + holder.debt)
                    .sum();
            return Math.max(0, taken - limit);
        }
    }

    /**
     * What a node has of a group, all its executors together.
     *
     * @param node its name
     * @param held the permits that it holds
     * @param wanted the permits that would be of use to it, those in use included, when it last said so
     * @param debt the permits that are in use although they are not held
     */
    public record Holder(String node, long held, long wanted, long debt) {
        public Holder {
            Objects.requireNonNull(node, "node");
        }

        Holder plus(Holder other) {
            return new Holder(node, held + other.held, wanted + other.wanted, debt + other.debt);
        }
    }
}
