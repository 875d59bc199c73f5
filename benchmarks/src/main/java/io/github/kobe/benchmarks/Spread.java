package io.github.kobe.benchmarks;

import java.util.Arrays;

/** The middle of what was measured, and the quarters around it. */
record Spread(double low, double median, double high) {

    static Spread of(double... values) {
        return new Spread(quantile(0.25, values), quantile(0.5, values), quantile(0.75, values));
    }

    /** Between two values: in proportion. */
    static double quantile(double share, double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        double at = share * (sorted.length - 1);
        int below = (int) at;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
    }
}
