package io.github.kobe.benchmarks;

import java.util.function.Supplier;

/**
 * A workload of this library alone, without a baseline. {@link CoreComparison} runs it with two versions of the library.
 *
 * @param name what is measured
 * @param unit the unit of the cost; lower is always better
 * @param slow whether a round takes seconds, so that there is time for a few rounds only
 * @param round runs one round and returns its cost
 */
record LibraryWorkload(String name, Unit unit, boolean slow, Round round) {

    interface Round {
        double measure() throws Throwable;
    }

    LibraryWorkload(String name, Unit unit, Round round) {
        this(name, unit, false, round);
    }

    /** Returns a workload that runs on a fresh executor in each round. Its cost is divided by {@code operations}. */
    static LibraryWorkload of(
            String name, Unit unit, int operations, Supplier<ExecutorAdapter> executors, Workload workload) {
        return new LibraryWorkload(name, unit, () -> {
            ExecutorAdapter executor = executors.get();
            double cost = workload.measure(executor) / operations;
            executor.close(); // not after a failure: it could wait for ever for a task that did not complete
            return cost;
        });
    }

    /** Returns the same workload with fewer rounds. */
    LibraryWorkload withFewRounds() {
        return new LibraryWorkload(name, unit, true, round);
    }
}
