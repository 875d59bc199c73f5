package io.github.kobe.fleet;

import java.util.Objects;

/**
 * What the store says to a node about one group. It belongs to the claim with the number {@code seq}: if the node has sent a later claim on the
 * group, the grant is out of date. Of several grants for the same claim the largest is true, because permits that belong to a claim only become
 * more. Immutable.
 *
 * @param group the name of the group
 * @param seq the sequence number of the exchange with the node's latest claim on the group that the store has executed
 * @param granted the permits that the node holds
 * @param target the permits that the node may go on using, because other nodes wait for permits of the group; {@link #NO_TARGET} if none waits
 * @param limit the limit that is in force for the whole fleet
 * @param paused whether the group is paused: no node may start a task
 */
public record Grant(String group, long seq, int granted, int target, int limit, boolean paused) {

    /** No other node waits: unused permits may be kept for a while. */
    public static final int NO_TARGET = -1;

    public Grant {
        Objects.requireNonNull(group, "group");
    }
}
