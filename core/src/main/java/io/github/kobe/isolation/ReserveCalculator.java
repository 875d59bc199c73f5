package io.github.kobe.isolation;

/**
 * Computes the reserve: how many permits are kept for fast keys, given their recent demand. {@link CapacityPolicy} enforces it.
 *
 * <p>The reserve is large enough that all fast work except {@code missedFraction} would have found a free permit. A level weighs as much as
 * the work that was done at it, so a short burst every few seconds counts although demand is zero most of the time. The reserve is also
 * bounded: on average, at most {@code idleFraction} of the permits of other keys may be idle because of it, or one permit if that is more.
 *
 * @param missedFraction the fraction of fast work that may find no free permit
 * @param idleFraction the fraction of the permits of other keys that may be idle
 */
record ReserveCalculator(double missedFraction, double idleFraction) {

    static final ReserveCalculator STANDARD = new ReserveCalculator(0.008, 0.12);

    /**
     * @param nanosByLevel for each number of permits, for how long fast keys wanted that many
     * @param budget the number of permits in total
     */
    int permits(long[] nanosByLevel, int budget) {
        double time = 0;
        double work = 0;
        for (int level = 0; level < nanosByLevel.length; level++) {
            time += nanosByLevel[level];
            work += (double) level * nanosByLevel[level];
        }
        if (work == 0) {
            return 0;
        }
        double mean = work / time;
        double most = mean + Math.max(1, idleFraction * (budget - mean));
        return (int) Math.min(Math.min(wanted(nanosByLevel, work), most), budget - 1.0);
    }

    private int wanted(long[] nanosByLevel, double work) {
        double above = 0;
        int level = nanosByLevel.length - 1;
        while (level > 0 && above + (double) level * nanosByLevel[level] <= missedFraction * work) {
            above += (double) level * nanosByLevel[level];
            level--;
        }
        return level;
    }
}
