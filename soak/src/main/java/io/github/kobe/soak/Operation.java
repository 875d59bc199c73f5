package io.github.kobe.soak;

import java.util.List;

/**
 * An operation that a {@link WorkloadThread} performs.
 *
 * @param name name under which the operation is counted
 * @param weight how often it is chosen, relative to the other operations
 * @param action the code to run
 */
record Operation(String name, int weight, Action action) {

    /** The code of an operation. Any exception is a violation, except {@link InterruptedException} and those that the contract names. */
    @FunctionalInterface
    interface Action {
        void run(RandomSource random, long opId) throws Exception;
    }

    static Operation of(String name, int weight, Action action) {
        return new Operation(name, weight, action);
    }

    /** Chooses one operation at random, by weight. */
    static Operation choose(List<Operation> operations, RandomSource random) {
        int total = 0;
        for (Operation operation : operations) {
            total += operation.weight();
        }
        int remaining = random.below(total);
        for (Operation operation : operations) {
            remaining -= operation.weight();
            if (remaining < 0) {
                return operation;
            }
        }
        throw new AssertionError("the weights do not add up to " + total);
    }
}
