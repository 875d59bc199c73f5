package io.github.kobe.isolation;

/**
 * How many permits fast keys wanted at a time within the last window: for each number of permits (the level), for how long.
 *
 * <p>Time is divided into ticks. The lowest level within a tick counts for the whole tick, so demand that lasts less than a tick does not
 * count: a task that came then got its permit within the tick. A tick is a millisecond, or less if fast tasks take less. The window
 * consists of four quarters. When a new quarter begins, the oldest one is forgotten. Not thread-safe.
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
    private long nextTick = TICK; // the length of the next tick
    private long tickEnds;

    /**
     * @param levels the number of levels; a higher level counts as the highest one
     * @param windowNanos the length of the window
     */
    DemandHistogram(int levels, long windowNanos, long now) {
        this.levels = levels;
        this.quarterLength = Math.max(TICK, windowNanos / QUARTERS);
        this.quarters = new long[QUARTERS][levels];
        this.totals = new long[levels];
        this.quarterEnds = now + quarterLength;
        this.tickEnds = now + TICK;
    }

    /** Sets the length of the following ticks, between a fiftieth of a millisecond and a millisecond. */
    void setTick(double nanos) {
        nextTick = Math.clamp((long) nanos, MIN_TICK, TICK);
    }

    /** Sets the level from {@code now} on. */
    void set(int newLevel, long now) {
        advance(now);
        level = Math.min(newLevel, levels - 1);
        lowestInTick = Math.min(lowestInTick, level);
    }

    /** Counts the ticks that have passed. */
    void advance(long now) {
        if (now - tickEnds < 0) {
            return;
        }
        count(lowestInTick, tick);
        rotateIfOver(tickEnds);
        tick = nextTick;
        long counted = tickEnds;
        long until = now - (now - tickEnds) % tick; // the level did not change in any of the ticks up to here
        counted += skipForgotten(until);
        while (counted - until < 0) {
            long part = until - quarterEnds < 0 ? until : quarterEnds;
            count(level, part - counted);
            counted = part;
            rotateIfOver(part);
        }
        lowestInTick = level;
        tickEnds = until + tick;
    }

    /** Skips the quarters that would be forgotten again by {@code now}, and returns their total length. */
    private long skipForgotten(long now) {
        long quartersToGo = (now - quarterEnds) / quarterLength;
        long skipped = Math.max(0, quartersToGo - QUARTERS) * quarterLength;
        quarterEnds += skipped;
        return skipped;
    }

    /** Adds {@code nanos} at a level, for demand that is recognised only afterwards. */
    void addPast(int pastLevel, long nanos) {
        count(Math.min(pastLevel, levels - 1), nanos < tick ? 0 : nanos);
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

    /** For each level, its duration in nanoseconds. The caller must not modify the array. */
    long[] nanosByLevel() {
        return totals;
    }
}
