package io.github.kobe.benchmarks;

import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import java.util.concurrent.Callable;

/** This library's face for groups that nobody has limits for, to be compared with what does the same. */
final class LibraryTenants implements Contender {

    static final String NAME = "ours for tenants";

    private final IsolationExecutor executor = IsolationExecutor.create(IsolationPolicy.builder()
            .maxConcurrency(PeerCamellia.PLACES)
            .queueCapacity(1_000_000)
            .build());

    @Override
    public Object submit(String group, Callable<?> task) {
        return executor.submit(group, task);
    }

    @Override
    public void close() {
        executor.close();
    }
}
