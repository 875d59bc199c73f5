package io.github.kobe.demo;

import java.util.List;

/**
 * What many waits come to, in milliseconds.
 *
 * @param count how many
 * @param p50 what half of them did not exceed
 * @param p99 what 99 of 100 did not exceed
 * @param max the longest
 */
record Waits(int count, double p50, double p99, double max) {

    static Waits of(List<Sample> samples) {
        double[] sorted =
                samples.stream().mapToDouble(Sample::waitedMillis).sorted().toArray();
        return new Waits(sorted.length, rank(sorted, 0.5), rank(sorted, 0.99), rank(sorted, 1));
    }

    /** The smallest that at least that part of all does not exceed; 0 if there are none. */
    private static double rank(double[] sorted, double part) {
        return sorted.length == 0 ? 0 : sorted[Math.max(0, (int) Math.ceil(part * sorted.length) - 1)];
    }
}
