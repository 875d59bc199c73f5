package io.github.kobe.isolation;

/**
 * What a budget comes to, by the policy's standards: worked out once, since it is asked for with every task and hardly ever changes.
 *
 * @param budget how many tasks may run at once
 * @param lane how many tasks at once are what a lane could take
 * @param keyShare how many are a key's share of a lane
 * @param light how many are a key's share of a lane and its backup; who has more is not quick, however short its tasks are
 * @param white how many tasks of white-listed keys may run before they have to stand in line with others
 */
record DerivedLimits(int budget, int laneSize, int keyLaneLimit, int fastKeyLimit, int whiteListLimit) {

    /** How many lanes a budget would be cut into; what is a lot for a key is measured by a lane. */
    private static final int LANES = 5;

    /** @param maxShare the part of a lane that is a lot for one key */
    static DerivedLimits of(int budget, double maxShare) {
        return new DerivedLimits(
                budget,
                Math.max(1, budget / LANES),
                (int) Math.max(1, maxShare * budget / LANES),
                (int) Math.max(1, 2 * maxShare * budget / LANES),
                (int) Math.max(1, maxShare * budget));
    }
}
