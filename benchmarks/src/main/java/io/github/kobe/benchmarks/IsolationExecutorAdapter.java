package io.github.kobe.benchmarks;

import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;

/** This library's {@link IsolationExecutor}. A group is a tenant. */
final class IsolationExecutorAdapter implements ExecutorAdapter {

    /** The name of this candidate in a comparison. */
    static final String NAME = "IsolationExecutor";

    private final IsolationExecutor executor;

    IsolationExecutorAdapter(UnaryOperator<IsolationPolicy.Builder> settings) {
        executor = IsolationExecutor.create(
                settings.apply(IsolationPolicy.builder()).build());
    }

    @Override
    public Object submit(String group, Callable<?> task) {
        return executor.submit(group, task);
    }

    @Override
    public void close() {
        executor.close();
    }
}
