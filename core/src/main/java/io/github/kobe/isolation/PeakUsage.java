package io.github.kobe.isolation;

/**
 * How many places each key has had at a time, lately, and all of them in sum: this half of a window and the one before. Not safe for use
 * by several threads.
 */
final class PeakUsage {

    private final long halfLength;
    private long halfEnds;
    private int half;
    private int sum; // over keys, of the most that each has had in this half
    private int sumBefore;

    PeakUsage(long windowNanos, long now) {
        halfLength = Math.max(1, windowNanos / 2);
        halfEnds = now + halfLength;
    }

    /** The key has as many places now as it has tasks that run. */
    void had(KeyState share, long now) {
        advance(share, now);
        if (share.running > share.used) {
            sum += share.running - share.used;
            share.used = share.running;
        }
    }

    private void advance(long now) {
        if (now - halfEnds < 0) {
            return;
        }
        long halves = 1 + (now - halfEnds) / halfLength;
        sumBefore = halves == 1 ? sum : 0;
        sum = 0;
        half += (int) Math.min(halves, 2); // two are as good as any more
        halfEnds += halves * halfLength;
    }

    /** What the share says of this half and the one before is about these. */
    private void advance(KeyState share, long now) {
        advance(now);
        if (share.usedIn != half) {
            share.usedBefore = share.usedIn == half - 1 ? share.used : 0;
            share.used = 0;
            share.usedIn = half;
        }
    }

    /** How many the others than that key have had, each at its most. */
    int ofOthers(KeyState share, long now) {
        advance(share, now);
        return Math.max(sum - share.used, sumBefore - share.usedBefore);
    }

    /** What the key has had so far is not kept for it. */
    void forget(KeyState share, long now) {
        advance(share, now);
        sum -= share.used;
        sumBefore -= share.usedBefore;
        share.used = 0;
        share.usedBefore = 0;
    }
}
