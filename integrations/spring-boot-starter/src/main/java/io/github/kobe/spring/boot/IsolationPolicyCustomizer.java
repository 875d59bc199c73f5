package io.github.kobe.spring.boot;

import io.github.kobe.isolation.IsolationPolicy;

/** As {@link GroupPolicyCustomizer}, for isolation executors. */
@FunctionalInterface
public interface IsolationPolicyCustomizer {

    /**
     * Called once for each executor, before it is created and after its properties were applied.
     *
     * @param name the name of the executor, which is its key in the properties
     * @param policy has the values of the properties; a value that is set here replaces them
     */
    void customize(String name, IsolationPolicy.Builder policy);
}
