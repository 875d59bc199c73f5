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
 * @param leased a third bound on the same number: how many permits of a limit that is shared with other JVMs this one holds. The kernel sets it,
 *     see {@link PermitLeases}; {@link #NOT_LEASED} without a fleet
 * @param shared the limit on concurrency that is in force. It differs from {@code concurrency} only if the limit is shared with other JVMs, and was changed for
 *     all of them
 * @param origin what the face computed the other values from, so that it can compute them again; the kernel does not use it
 */
public record GroupLimits(
        int concurrency,
        int inFlight,
        int queueThreshold,
        int weight,
        boolean paused,
        int leased,
        int shared,
        @Nullable Object origin) {

    /** The number of leased permits of a group whose limit is not shared with other JVMs. */
    public static final int NOT_LEASED = Integer.MAX_VALUE;

    /** Without leased permits. */
    public GroupLimits(
            int concurrency, int inFlight, int queueThreshold, int weight, boolean paused, @Nullable Object origin) {
        this(concurrency, inFlight, queueThreshold, weight, paused, NOT_LEASED, concurrency, origin);
    }

    /** Without an origin. */
    public GroupLimits(int concurrency, int inFlight, int queueThreshold, int weight, boolean paused) {
        this(concurrency, inFlight, queueThreshold, weight, paused, null);
    }

    /** With weight 1, and not paused. */
    public GroupLimits(int concurrency, int inFlight, int queueThreshold) {
        this(concurrency, inFlight, queueThreshold, 1, false);
    }

    GroupLimits withLeased(int permits, int limitInForce) {
        return permits == leased && limitInForce == shared
                ? this
                : new GroupLimits(concurrency, inFlight, queueThreshold, weight, paused, permits, limitInForce, origin);
    }

    /** The limit while the group is not paused, and as many permits are leased as it may have. */
    public int limit() {
        return Math.min(shared, inFlight);
    }

    /** The limit that is enforced. */
    public int effectiveLimit() {
        return paused ? 0 : Math.min(limit(), Math.max(0, leased));
    }

    /** Whether there would be more permits if more were leased. */
    public boolean isShortOfLeased() {
        return leased < limit() && !paused;
    }
}
