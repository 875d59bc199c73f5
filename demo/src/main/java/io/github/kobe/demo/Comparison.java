package io.github.kobe.demo;

/** Describes in words how a value of this library compares with that of the plain executor. */
final class Comparison {

    /** Two times within this factor of each other count as the same: a run is short and the machine may be shared. */
    private static final double SAME_FACTOR = 1.25;

    /** Shorter times count as this long. They depend on how fast the machine wakes a thread. */
    private static final double SHORTEST_MILLIS = 0.05;

    private Comparison() {}

    /** Returns for example "0.4 ms instead of 1.24 s, 3,100 times less". */
    static String ofTimes(double plainMillis, double libraryMillis) {
        String both = Format.millis(libraryMillis) + " instead of " + Format.millis(plainMillis);
        double factor = Math.max(SHORTEST_MILLIS, plainMillis) / Math.max(SHORTEST_MILLIS, libraryMillis);
        if (factor >= SAME_FACTOR) {
            return both + ", " + Format.factor(factor) + " times less";
        }
        return factor * SAME_FACTOR > 1
                ? both + ", about the same"
                : both + ", " + Format.factor(1 / factor) + " times more";
    }

    /** Returns for example "463 s of work done instead of 510 s, 91 % of it". */
    static String ofWork(double plainSeconds, double librarySeconds) {
        String both =
                Format.millis(1000 * librarySeconds) + " of work done instead of " + Format.millis(1000 * plainSeconds);
        return plainSeconds == 0 ? both : both + ", " + Format.percent(librarySeconds / plainSeconds) + " of it";
    }
}
