package io.github.kobe.benchmarks;

import java.util.Arrays;

/** The median of measured values and the quartiles below and above it: the middle half of the values lies between them. */
record Quartiles(double low, double median, double high) {

    static Quartiles of(double... values) {
        return new Quartiles(quantile(0.25, values), quantile(0.5, values), quantile(0.75, values));
    }

    /** Returns a quantile. Between two values it interpolates linearly. */
    static double quantile(double fraction, double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        double position = fraction * (sorted.length - 1);
        int below = (int) position;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
    }
}
