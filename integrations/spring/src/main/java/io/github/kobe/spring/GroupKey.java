package io.github.kobe.spring;

import org.aopalliance.intercept.MethodInvocation;

/** The key of the group of a call. Safe for use by several threads. */
@FunctionalInterface
interface GroupKey {

    /**
     * Returns the key.
     *
     * @throws IllegalArgumentException if there is none for this call; the message names the method
     */
    String of(MethodInvocation call);
}
