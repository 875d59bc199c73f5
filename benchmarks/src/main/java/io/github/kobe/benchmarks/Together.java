package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;

/** Has all groups share one limit. */
record Together(Contender contender) implements Contender {

    private static final String ALL = "all";

    @Override
    public Object submit(String group, Callable<?> task) {
        return contender.submit(ALL, task);
    }

    @Override
    public void awaitArrival(int tasks) {
        contender.awaitArrival(tasks);
    }

    @Override
    public void close() {
        contender.close();
    }
}
