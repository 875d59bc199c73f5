package io.github.kobe.isolation;

/**
 * How many places each key has had at a time, lately, and all of them in sum: this half of a window and the one before. Not safe for use
 * by several threads.
 */
final class PeakUsage {

    private final long periodLength;
    private long periodEnds;
    private int period;
    private int sum; // over keys, of the most that each has had in this half
    private int previousSum;

    PeakUsage(long windowNanos, long now) {
        periodLength = Math.max(1, windowNanos / 2);
        periodEnds = now + periodLength;
    }

    /** The key has as many places now as it has tasks that run. */
    void record(KeyState share, long now) {
        advance(share, now);
        if (share.running > share.peak) {
            sum += share.running - share.peak;
            share.peak = share.running;
        }
    }

    private void advance(long now) {
        if (now - periodEnds < 0) {
            return;
        }
        long halves = 1 + (now - periodEnds) / periodLength;
        previousSum = halves == 1 ? sum : 0;
        sum = 0;
        period += (int) Math.min(halves, 2); // two are as good as any more
        periodEnds += halves * periodLength;
    }

    /** What the share says of this half and the one before is about these. */
    private void advance(KeyState share, long now) {
        advance(now);
        if (share.peakPeriod != period) {
            share.previousPeak = share.peakPeriod == period - 1 ? share.peak : 0;
            share.peak = 0;
            share.peakPeriod = period;
        }
    }

    /** How many the others than that key have had, each at its most. */
    int peakOfOthers(KeyState share, long now) {
        advance(share, now);
        return Math.max(sum - share.peak, previousSum - share.previousPeak);
    }

    /** What the key has had so far is not kept for it. */
    void forget(KeyState share, long now) {
        advance(share, now);
        sum -= share.peak;
        previousSum -= share.previousPeak;
        share.peak = 0;
        share.previousPeak = 0;
    }
}
