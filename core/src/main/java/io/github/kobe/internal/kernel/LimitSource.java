package io.github.kobe.internal.kernel;

/** Where the limits of groups come from. */
@FunctionalInterface
public interface LimitSource {

    /**
     * Resolves the limits of a group: once when it is created, and again after an eviction. May run user code and take long, so it is called
     * under no lock. Must not throw.
     */
    GroupLimits resolve(String key);

    /**
     * Applies the settings that hold now to {@code limits}, which were resolved, or were in force until now. Short and without user code: it
     * is called under the monitor of the group.
     */
    default GroupLimits inForce(String key, GroupLimits limits) {
        return limits;
    }
}
