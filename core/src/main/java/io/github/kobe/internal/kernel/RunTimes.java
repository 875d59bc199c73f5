package io.github.kobe.internal.kernel;

/**
 * The mean time for which tasks held their permits, where the last run counts for an eighth, the run before it for an eighth of the rest, and so
 * on. It is one field, which the thread of a task that has completed reads and writes without a compare-and-set.
 *
 * <p>Two threads may read the same mean at the same time; then the later write replaces the other, and one run does not count. Each value is a
 * weighted mean of runs, so it is never below the shortest or above the longest of them, whichever are lost. Reads and writes are opaque, so that
 * a value is never half of one and half of another.
 */
final class RunTimes {

    private static final int WEIGHT = 8;
    private static final double MAX_WAIT = Long.MAX_VALUE / 2.0;

    private RunTimes() {}

    /** The mean after a run of {@code nanos}; {@code mean} is 0 before the first. */
    static long next(long mean, long nanos) {
        return Math.max(1, mean == 0 ? nanos : mean + (nanos - mean) / WEIGHT);
    }

    /** How long {@code tasks} tasks wait if {@code rate} permits become free in a nanosecond; 0 if that is not known. */
    static long wait(long tasks, double rate) {
        return rate <= 0 ? 0 : (long) Math.min(tasks / rate, MAX_WAIT);
    }
}
