package io.github.kobe.soak;

import java.util.List;

/**
 * Something that an actor may do.
 *
 * @param name what it is counted as
 * @param weight how often it is done, against others
 * @param act what to do
 */
record Operation(String name, int weight, Act act) {

    /** Does it once. What it throws, but for {@link InterruptedException}, is a violation. */
    @FunctionalInterface
    interface Act {
        void run(RandomSource dice, long op) throws Exception;
    }

    static Operation of(String name, int weight, Act act) {
        return new Operation(name, weight, act);
    }

    /** One of them, by weight. */
    static Operation pick(List<Operation> ops, RandomSource dice) {
        int all = 0;
        for (Operation op : ops) {
            all += op.weight();
        }
        int left = dice.below(all);
        for (Operation op : ops) {
            left -= op.weight();
            if (left < 0) {
                return op;
            }
        }
        throw new AssertionError("weights do not add up to " + all);
    }
}
