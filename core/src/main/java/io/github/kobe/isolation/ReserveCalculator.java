package io.github.kobe.isolation;

/**
 * How many places are for quick work, by what it has wanted lately. Says nothing about how that is enforced.
 *
 * <p>So many that all but {@code missed} of the quick work would have found its place; each level counts as often as there was work
 * to see it, so that a burst every few seconds counts although most of the time there is none. What that leaves idle on average
 * is bounded: no more than {@code idle} of what is left for the others, but one place always.
 *
 * @param missed the part of quick work that may find no place
 * @param idle the part of the others' places that may stand idle
 */
record ReserveCalculator(double missedFraction, double idleFraction) {

    static final ReserveCalculator STANDARD = new ReserveCalculator(0.008, 0.12);

    /**
     * @param nanos for each number of places, for how long quick work wanted that many
     * @param budget how many places there are
     */
    int permits(long[] nanos, int budget) {
        double time = 0;
        double work = 0;
        for (int level = 0; level < nanos.length; level++) {
            time += nanos[level];
            work += (double) level * nanos[level];
        }
        if (work == 0) {
            return 0;
        }
        double mean = work / time;
        double most = mean + Math.max(1, idleFraction * (budget - mean));
        return (int) Math.min(Math.min(wanted(nanos, work), most), budget - 1.0);
    }

    private int wanted(long[] nanos, double work) {
        double above = 0;
        int level = nanos.length - 1;
        while (level > 0 && above + (double) level * nanos[level] <= missedFraction * work) {
            above += (double) level * nanos[level];
            level--;
        }
        return level;
    }
}
