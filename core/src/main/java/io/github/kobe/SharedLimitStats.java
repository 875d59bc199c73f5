package io.github.kobe;

import io.github.kobe.internal.group.StatsFormatter;
import java.util.Objects;

/**
 * A snapshot of one value of a {@link SharedLimit}. Only values of groups that the executor knows now have one.
 *
 * @param name the name of the shared limit
 * @param value the value
 * @param groupCount how many groups that the executor knows now belong to it
 * @param activeCount permits in use, of all these groups together. A task of a higher {@link TaskOptions#cost} has more than one. For a moment it may include a permit
 *     that is being passed on, or that is kept for a task which needs another one too
 * @param max how many permits may be in use; {@link Integer#MAX_VALUE} if there is no limit. It stays the same while the limit is paused
 * @param paused whether no task starts, see {@link GroupControl#pauseSharedLimit}
 * @param waitingGroupCount how many groups have a queued task and a free permit of their own, and wait for this limit now. A group that needs several full limits waits
 *     for one of them at a time
 * @param leasedPermits how many permits this JVM holds, if the limit is {@link SharedLimit#acrossFleet}: no more than these are used here. If it is not,
 *     {@link Integer#MAX_VALUE}
 */
public record SharedLimitStats(
        String name,
        String value,
        int groupCount,
        int activeCount,
        int max,
        boolean paused,
        int waitingGroupCount,
        int leasedPermits) {

    /** Throws {@link NullPointerException} if a component is {@code null}. */
    public SharedLimitStats {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(value, "value");
    }

    /** Of a limit of this executor alone. */
    public SharedLimitStats(
            String name,
            String value,
            int groupCount,
            int activeCount,
            int max,
            boolean paused,
            int waitingGroupCount) {
        this(name, value, groupCount, activeCount, max, paused, waitingGroupCount, Integer.MAX_VALUE);
    }

    /** Returns one line such as "tenant 'acme': 3/10 active, 2 of 5 groups wait". */
    @Override
    public String toString() {
        return name + " '" + value + "'" + (paused ? " (paused)" : "") + ": " + activeCount
                + (max == Integer.MAX_VALUE ? "" : "/" + max) + " active" + StatsFormatter.leased(leasedPermits) + ", "
                + waitingGroupCount + " of " + groupCount
                + (groupCount == 1 ? " group waits" : " groups wait");
    }
}
