package io.github.kobe.benchmarks;

/** Something to have a {@link Contender} do; says what it cost, in a unit of its own. */
@FunctionalInterface
interface Workload {
    double measure(Contender contender) throws InterruptedException;
}
