package io.github.kobe.isolation;

/**
 * How many places quick work has wanted at a time, lately: for each level, for how long.
 *
 * <p>Time goes by in ticks. Of a tick the lowest level counts, so that what lasts shorter than a tick does not: whoever came just then
 * had a place within it. So a tick is a millisecond, or less where that is no short time to wait, because tasks take no longer. A
 * window is four quarters; the oldest is forgotten when a new one begins. Not safe for use by several threads.
 */
final class DemandHistogram {

    static final long TICK = 1_000_000;
    private static final long MIN_TICK = TICK / 50;
    private static final int QUARTERS = 4;

    private final int levels;
    private final long quarterLength;
    private final long[][] quarters;
    private final long[] totals;

    private int quarter;
    private long quarterEnds;
    private int level;
    private int lowestInTick;
    private long tick = TICK;
    private long nextTick = TICK; // how long the next one is going to be
    private long tickEnds;

    /**
     * @param levels one more than the highest level that is told from higher ones
     * @param windowNanos how long is remembered
     * @param now the time
     */
    DemandHistogram(int levels, long windowNanos, long now) {
        this.levels = levels;
        this.quarterLength = Math.max(TICK, windowNanos / QUARTERS);
        this.quarters = new long[QUARTERS][levels];
        this.totals = new long[levels];
        this.quarterEnds = now + quarterLength;
        this.tickEnds = now + TICK;
    }

    /** What lasts for less than {@code nanos} does not count; but never more than a millisecond is asked for, nor less than a fiftieth. */
    void setTick(double nanos) {
        nextTick = Math.clamp((long) nanos, MIN_TICK, TICK);
    }

    /** From {@code now} on it is {@code newLevel}. */
    void set(int newLevel, long now) {
        advance(now);
        level = Math.min(newLevel, levels - 1);
        lowestInTick = Math.min(lowestInTick, level);
    }

    /** Counts the ticks that are over. */
    void advance(long now) {
        if (now - tickEnds < 0) {
            return;
        }
        count(lowestInTick, tick);
        rotateIfOver(tickEnds);
        tick = nextTick;
        long counted = tickEnds;
        long over = now - (now - tickEnds) % tick; // up to there it was the same level all the time
        counted += skipForgotten(over);
        while (counted - over < 0) {
            long until = over - quarterEnds < 0 ? over : quarterEnds;
            count(level, until - counted);
            counted = until;
            rotateIfOver(until);
        }
        lowestInTick = level;
        tickEnds = over + tick;
    }

    /** Passes over quarters that would be forgotten again by {@code now}, and says how long they were. */
    private long skipForgotten(long now) {
        long quartersToGo = (now - quarterEnds) / quarterLength;
        long skipped = Math.max(0, quartersToGo - QUARTERS) * quarterLength;
        quarterEnds += skipped;
        return skipped;
    }

    /** It has been that level for {@code nanos}, as became known only now. */
    void addPast(int was, long nanos) {
        count(Math.min(was, levels - 1), nanos < tick ? 0 : nanos);
    }

    private void count(int at, long nanos) {
        quarters[quarter][at] += nanos;
        totals[at] += nanos;
    }

    private void rotateIfOver(long now) {
        if (now - quarterEnds < 0) {
            return;
        }
        quarterEnds += quarterLength;
        quarter = (quarter + 1) % QUARTERS;
        long[] oldest = quarters[quarter];
        for (int i = 0; i < levels; i++) {
            totals[i] -= oldest[i];
            oldest[i] = 0;
        }
    }

    /** For each level, for how long it was that, in nanoseconds; not to be changed. */
    long[] nanosByLevel() {
        return totals;
    }
}
