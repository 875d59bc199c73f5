package io.github.kobe.spring.boot;

import io.github.kobe.pool.WorkerPoolBuilder;

/** As {@link GroupPolicyCustomizer}, for worker pools. */
@FunctionalInterface
public interface WorkerPoolCustomizer {

    /**
     * Called once for each pool, before it is created and after its properties were applied.
     *
     * @param name the name of the pool, which is its key in the properties
     * @param pool has the values of the properties; a value that is set here replaces them
     */
    void customize(String name, WorkerPoolBuilder pool);
}
