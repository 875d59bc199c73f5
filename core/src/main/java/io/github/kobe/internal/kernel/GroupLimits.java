package io.github.kobe.internal.kernel;

import org.jspecify.annotations.Nullable;

/**
 * The limits of one group. A face resolves them from its policy; the group compares them with its state.
 *
 * @param concurrency how many tasks may run at once
 * @param inFlight a second, independent bound on the same number; the smaller one applies
 * @param queueThreshold how many tasks may be queued beyond the free permits of the group
 * @param weight the weight of the group relative to the groups that it competes with; at least 1
 * @param paused whether no task starts
 * @param origin what the face computed the other values from, so that it can compute them again; the kernel does not use it
 */
public record GroupLimits(
        int concurrency,
        int inFlight,
        int queueThreshold,
        int weight,
        boolean paused,
        @Nullable Object origin) {

    /** Without an origin. */
    public GroupLimits(int concurrency, int inFlight, int queueThreshold, int weight, boolean paused) {
        this(concurrency, inFlight, queueThreshold, weight, paused, null);
    }

    /** With weight 1, and not paused. */
    public GroupLimits(int concurrency, int inFlight, int queueThreshold) {
        this(concurrency, inFlight, queueThreshold, 1, false);
    }

    /** The limit while the group is not paused. */
    public int limit() {
        return Math.min(concurrency, inFlight);
    }

    /** The limit that is enforced. */
    public int effectiveLimit() {
        return paused ? 0 : limit();
    }
}
