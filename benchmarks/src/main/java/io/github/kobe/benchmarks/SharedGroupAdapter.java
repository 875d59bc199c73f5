package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;

/** Submits the tasks of all groups to one group, so that they share one limit. */
record SharedGroupAdapter(ExecutorAdapter executor) implements ExecutorAdapter {

    private static final String GROUP = "all";

    @Override
    public Object submit(String group, Callable<?> task) {
        return executor.submit(GROUP, task);
    }

    @Override
    public void awaitSubmitted(int tasks) {
        executor.awaitSubmitted(tasks);
    }

    @Override
    public void close() {
        executor.close();
    }
}
