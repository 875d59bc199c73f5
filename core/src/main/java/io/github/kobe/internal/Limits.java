package io.github.kobe.internal;

/**
 * What one group is allowed.
 *
 * @param concurrency the most tasks that may run at once
 * @param inFlight a second, independent bound on the same number; the smaller of the two counts
 * @param queueThreshold how many tasks may wait for the group's own limit
 */
public record Limits(int concurrency, int inFlight, int queueThreshold) {

    /** The bound that is enforced. */
    public int cap() {
        return Math.min(concurrency, inFlight);
    }
}
