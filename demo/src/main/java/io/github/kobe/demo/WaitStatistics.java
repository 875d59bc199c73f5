package io.github.kobe.demo;

import java.util.List;

/**
 * Statistics of many waits, in milliseconds.
 *
 * @param count the number of waits
 * @param p50 the median
 * @param p99 the 99th percentile
 * @param max the longest wait
 */
record WaitStatistics(int count, double p50, double p99, double max) {

    static WaitStatistics of(List<WaitSample> samples) {
        double[] sorted =
                samples.stream().mapToDouble(WaitSample::waitMillis).sorted().toArray();
        return new WaitStatistics(
                sorted.length, percentile(sorted, 0.5), percentile(sorted, 0.99), percentile(sorted, 1));
    }

    /** Returns the smallest value that at least this fraction of all values does not exceed, or 0 if there are no values. */
    private static double percentile(double[] sorted, double fraction) {
        return sorted.length == 0 ? 0 : sorted[Math.max(0, (int) Math.ceil(fraction * sorted.length) - 1)];
    }
}
