package io.github.kobe.internal.kernel;

/**
 * What one group is allowed.
 *
 * @param concurrency the most tasks that may run at once
 * @param inFlight a second, independent bound on the same number; the smaller of the two counts
 * @param queueThreshold how many tasks may wait for the group's own limit
 * @param weight its part relative to others, where groups compete; at least 1
 * @param paused nothing starts
 */
public record GroupLimits(int concurrency, int inFlight, int queueThreshold, int weight, boolean paused) {

    /** Of weight 1, and not paused. */
    public GroupLimits(int concurrency, int inFlight, int queueThreshold) {
        this(concurrency, inFlight, queueThreshold, 1, false);
    }

    /** The bound while it is not paused. */
    public int limit() {
        return Math.min(concurrency, inFlight);
    }

    /** The bound that is enforced. */
    public int effectiveLimit() {
        return paused ? 0 : limit();
    }
}
