package io.github.kobe.internal.kernel;

import java.util.List;

/** Where the limits of groups come from. */
@FunctionalInterface
public interface LimitSource {

    /**
     * Resolves the limits of a group: once when it is created, and again after an eviction. May run user code and take long, so it is called
     * under no lock. Must not throw.
     */
    GroupLimits resolve(String key);

    /**
     * The shared limits that a group belongs to: asked once, when the group is created. May run user code and take long, so it is called under no lock. Must not
     * throw. Those that are shared with other JVMs come last, in the order of their names, see {@link GroupShares}.
     */
    default List<SharedMembership> sharedLimits(String key) {
        return List.of();
    }

    /** Whether a group may belong to a shared limit. Always the same answer. */
    default boolean hasSharedLimits() {
        return false;
    }

    /**
     * How many permits of a shared limit may be in use now; 0 if it is paused. Short and without user code.
     *
     * @param resolved what {@link #sharedLimits} said about it last
     */
    default int sharedInForce(SharedKey key, int resolved) {
        return resolved;
    }

    /** As {@link #sharedInForce}, while it is not paused. */
    default int sharedMax(SharedKey key, int resolved) {
        return sharedInForce(key, resolved);
    }

    /**
     * Applies the settings that hold now to {@code limits}, which were resolved, or were in force until now. Short and without user code: it
     * is called under the monitor of the group.
     */
    default GroupLimits inForce(String key, GroupLimits limits) {
        return limits;
    }
}
