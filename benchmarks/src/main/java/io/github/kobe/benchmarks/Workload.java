package io.github.kobe.benchmarks;

/** Makes an {@link ExecutorAdapter} do some work and returns the cost. The unit of the cost depends on the workload. */
@FunctionalInterface
interface Workload {
    double measure(ExecutorAdapter executor) throws InterruptedException;
}
