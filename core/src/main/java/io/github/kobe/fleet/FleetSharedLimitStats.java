package io.github.kobe.fleet;

import java.util.Objects;

/**
 * What this JVM has of one value of a shared limit of the fleet, {@code SharedLimit.acrossFleet}: a snapshot. If several executors of the JVM use the
 * value, the numbers are those of all of them together. Immutable.
 *
 * @param name the name of the shared limit
 * @param value the value
 * @param limit the limit that is in force for the whole fleet
 * @param paused whether it is paused for the whole fleet
 * @param held the permits that are held
 * @param wanted the permits that would be of use now, those in use included
 * @param used the permits that are in use
 * @param debt the permits that are in use although they are not held, because the store could not be reached. Nothing starts until they are paid off
 */
public record FleetSharedLimitStats(
        String name, String value, int limit, boolean paused, long held, long wanted, long used, long debt) {

    public FleetSharedLimitStats {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(value, "value");
    }

    FleetSharedLimitStats(String name, String value, FleetGroupStats numbers) {
        this(
                name,
                value,
                numbers.limit(),
                numbers.paused(),
                numbers.held(),
                numbers.wanted(),
                numbers.used(),
                numbers.debt());
    }

    FleetSharedLimitStats plus(FleetSharedLimitStats other) {
        return new FleetSharedLimitStats(
                name,
                value,
                Math.min(limit, other.limit),
                paused || other.paused,
                held + other.held,
                wanted + other.wanted,
                used + other.used,
                debt + other.debt);
    }
}
