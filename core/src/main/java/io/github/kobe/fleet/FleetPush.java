package io.github.kobe.fleet;

import java.util.List;
import java.util.Objects;

/**
 * Tells a node without being asked that permits were granted to it, or are wanted by others. A hint: it may be lost, duplicated or late. The number
 * shows the node whether it has missed one. Immutable.
 *
 * @param session the session that it is for
 * @param number counts the pushes to this session, from 1
 * @param grants one for each group that has changed
 */
public record FleetPush(String session, long number, List<Grant> grants) {

    public FleetPush {
        Objects.requireNonNull(session, "session");
        grants = List.copyOf(Objects.requireNonNull(grants, "grants"));
    }
}
