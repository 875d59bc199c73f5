package io.github.kobe.isolation;

/**
 * How many places quick work has wanted at a time, lately: for each level, for how many ticks of a millisecond.
 *
 * <p>Of a tick the lowest level counts, so that what lasts shorter than a tick does not: whoever came just then had a place within it.
 * A window is four quarters; the oldest is forgotten when a new one begins. Not safe for use by several threads.
 */
final class Demand {

    static final long TICK = 1_000_000;
    private static final int QUARTERS = 4;

    private final int levels;
    private final long ticksPerQuarter;
    private final long[][] quarters;
    private final long[] sum;
    private final long beginning;

    private int quarter;
    private long quarterEnds;
    private int level;
    private int lowest;
    private long tick;
    private long tickEnds;

    /**
     * @param levels one more than the highest level that is told from higher ones
     * @param windowNanos how long is remembered
     * @param now the time
     */
    Demand(int levels, long windowNanos, long now) {
        this.levels = levels;
        this.ticksPerQuarter = Math.max(1, windowNanos / TICK / QUARTERS);
        this.quarters = new long[QUARTERS][levels];
        this.sum = new long[levels];
        this.beginning = now;
        this.quarterEnds = ticksPerQuarter;
        this.tickEnds = now + TICK;
    }

    /** From {@code now} on it is {@code newLevel}. */
    void set(int newLevel, long now) {
        advance(now);
        level = Math.min(newLevel, levels - 1);
        lowest = Math.min(lowest, level);
    }

    /** Counts the ticks that are over. */
    void advance(long now) {
        if (now - tickEnds < 0) {
            return;
        }
        long current = (now - beginning) / TICK;
        count(lowest, 1);
        tick++;
        while (tick < current) {
            long until = Math.min(current, quarterEnds);
            count(level, until - tick);
            tick = until;
            turnIfOver();
        }
        turnIfOver();
        lowest = level;
        tickEnds = beginning + (tick + 1) * TICK;
    }

    /** It has been that level for {@code nanos}, as became known only now. */
    void add(int was, long nanos) {
        count(Math.min(was, levels - 1), nanos / TICK);
    }

    private void count(int at, long ticks) {
        quarters[quarter][at] += ticks;
        sum[at] += ticks;
    }

    private void turnIfOver() {
        if (tick < quarterEnds) {
            return;
        }
        quarterEnds += ticksPerQuarter;
        quarter = (quarter + 1) % QUARTERS;
        long[] oldest = quarters[quarter];
        for (int i = 0; i < levels; i++) {
            sum[i] -= oldest[i];
            oldest[i] = 0;
        }
    }

    /** For each level, how many ticks it was that; not to be changed. */
    long[] ticks() {
        return sum;
    }

    /** A number that grows with every tick. */
    long tick() {
        return tick;
    }
}
