package io.github.kobe.fleet;

import java.util.Objects;

/**
 * What this JVM has of one group: a snapshot. If several executors of the JVM use the group, of all of them together. Immutable.
 *
 * @param groupKey the key of the group; empty for the limit over all groups
 * @param limit the limit that is in force for the whole fleet
 * @param paused whether the group is paused for the whole fleet
 * @param held the permits that are held
 * @param wanted the permits that would be of use now, those in use included
 * @param used the permits that are in use
 * @param debt the permits that are in use although they are not held, because the store could not be reached. Nothing starts until they are paid off
 */
public record FleetGroupStats(
        String groupKey, int limit, boolean paused, long held, long wanted, long used, long debt) {

    public FleetGroupStats {
        Objects.requireNonNull(groupKey, "groupKey");
    }

    FleetGroupStats plus(FleetGroupStats other) {
        return new FleetGroupStats(
                groupKey,
                Math.min(limit, other.limit),
                paused || other.paused,
                held + other.held,
                wanted + other.wanted,
                used + other.used,
                debt + other.debt);
    }
}
