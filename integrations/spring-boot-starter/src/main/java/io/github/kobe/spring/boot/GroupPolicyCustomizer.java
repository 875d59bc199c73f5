package io.github.kobe.spring.boot;

import io.github.kobe.GroupPolicy;

/**
 * Changes the policy of the group executors that are made from properties: adds what properties cannot say, such as a resolver, a listener or a
 * rejection handler. Define it as a bean. If there are several, they are called in their {@link org.springframework.core.annotation.Order order}.
 */
@FunctionalInterface
public interface GroupPolicyCustomizer {

    /**
     * Called once for each executor, before it is created and after its properties were applied.
     *
     * @param name the name of the executor, which is its key in the properties
     * @param policy has the values of the properties; a value that is set here replaces them
     */
    void customize(String name, GroupPolicy.Builder policy);
}
