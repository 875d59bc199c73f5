package io.github.kobe.demo;

/** Says how two times compare, whichever is the longer. */
final class Compare {

    /** Within this factor of each other they are the same, for a short run on a shared machine. */
    private static final double SAME = 1.25;

    /** Shorter times are not told apart: that is how well threads wake up. */
    private static final double LEAST_MILLIS = 0.05;

    private Compare() {}

    /** Such as "0.4 ms instead of 1.24 s, 3,100 times less". */
    static String times(double plainMillis, double oursMillis) {
        String both = Format.millis(oursMillis) + " instead of " + Format.millis(plainMillis);
        double factor = Math.max(LEAST_MILLIS, plainMillis) / Math.max(LEAST_MILLIS, oursMillis);
        if (factor >= SAME) {
            return both + ", " + Format.factor(factor) + " times less";
        }
        return factor * SAME > 1 ? both + ", about the same" : both + ", " + Format.factor(1 / factor) + " times more";
    }

    /** Such as "463 s of work done instead of 510 s, 91 % of it". */
    static String work(double plainSeconds, double oursSeconds) {
        String both =
                Format.millis(1000 * oursSeconds) + " of work done instead of " + Format.millis(1000 * plainSeconds);
        return plainSeconds == 0 ? both : both + ", " + Format.percent(oursSeconds / plainSeconds) + " of it";
    }
}
