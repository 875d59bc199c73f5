package io.github.kobe.soak;

import java.util.List;

/**
 * Something that an actor may do.
 *
 * @param name what it is counted as
 * @param weight how often it is done, against others
 * @param act what to do
 */
record Op(String name, int weight, Act act) {

    /** Does it once. What it throws, but for {@link InterruptedException}, is a violation. */
    @FunctionalInterface
    interface Act {
        void run(Dice dice, long op) throws Exception;
    }

    static Op of(String name, int weight, Act act) {
        return new Op(name, weight, act);
    }

    /** One of them, by weight. */
    static Op pick(List<Op> ops, Dice dice) {
        int all = 0;
        for (Op op : ops) {
            all += op.weight();
        }
        int left = dice.below(all);
        for (Op op : ops) {
            left -= op.weight();
            if (left < 0) {
                return op;
            }
        }
        throw new AssertionError("weights do not add up to " + all);
    }
}
