package io.github.kobe.isolation;

/**
 * The peak number of permits that each key held at a time, and the sum of these peaks, for the current and the previous period. A period
 * is half a window. Not thread-safe.
 */
final class PeakUsage {

    private final long periodLength;
    private long periodEnds;
    private int period;
    private int sum; // of the peaks of all keys in this period
    private int previousSum;

    PeakUsage(long windowNanos, long now) {
        periodLength = Math.max(1, windowNanos / 2);
        periodEnds = now + periodLength;
    }

    /** Records that the key holds as many permits as it has running tasks. */
    void record(KeyState key, long now) {
        advance(key, now);
        if (key.running > key.peak) {
            sum += key.running - key.peak;
            key.peak = key.running;
        }
    }

    private void advance(long now) {
        if (now - periodEnds < 0) {
            return;
        }
        long periods = 1 + (now - periodEnds) / periodLength;
        previousSum = periods == 1 ? sum : 0;
        sum = 0;
        period += (int) Math.min(periods, 2); // after two periods nothing is left of the earlier ones
        periodEnds += periods * periodLength;
    }

    private void advance(KeyState key, long now) {
        advance(now);
        if (key.peakPeriod != period) {
            key.previousPeak = key.peakPeriod == period - 1 ? key.peak : 0;
            key.peak = 0;
            key.peakPeriod = period;
        }
    }

    /** The sum of the peaks of all keys except this one. */
    int peakOfOthers(KeyState key, long now) {
        advance(key, now);
        return Math.max(sum - key.peak, previousSum - key.previousPeak);
    }

    /** Sets the peaks of the key to zero. */
    void forget(KeyState key, long now) {
        advance(key, now);
        sum -= key.peak;
        previousSum -= key.previousPeak;
        key.peak = 0;
        key.previousPeak = 0;
    }
}
