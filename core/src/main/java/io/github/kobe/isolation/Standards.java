package io.github.kobe.isolation;

import java.util.concurrent.TimeUnit;

/**
 * The part of a policy that decides who is served, in the units of those who decide.
 *
 * @param slowNanos from here on a task is slow
 * @param targetNanos from here on a task has waited for long
 * @param maxShare the part of a lane that is a lot for one key
 * @param windowNanos how far back is looked
 */
record Standards(long slowNanos, long targetNanos, double maxShare, long windowNanos) {

    /** How many lanes a budget would be cut into; what is a lot for a key is measured by a lane. */
    static final int LANES = 5;

    static final Standards USUAL = new Standards(
            TimeUnit.SECONDS.toNanos(1), TimeUnit.MILLISECONDS.toNanos(300), 0.3, TimeUnit.SECONDS.toNanos(10));

    /** How many tasks at once are what a lane could take. */
    int laneSize(int budget) {
        return Math.max(1, budget / LANES);
    }

    /** How many tasks at once are a key's share of a lane. */
    int keyShare(int budget) {
        return (int) Math.max(1, maxShare * budget / LANES);
    }

    /** How many tasks at once are a key's share of a lane and its backup; who has more is not quick, however short its tasks are. */
    int lightLimit(int budget) {
        return (int) Math.max(1, 2 * maxShare * budget / LANES);
    }

    /** How many tasks of white-listed keys may run before they have to stand in line with others. */
    int whiteCapacity(int budget) {
        return (int) Math.max(1, maxShare * budget);
    }
}
