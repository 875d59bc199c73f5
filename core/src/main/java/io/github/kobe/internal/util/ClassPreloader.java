package io.github.kobe.internal.util;

import java.util.Objects;

/**
 * Has classes loaded that may never be needed. A method that returns one is not inlined while its class is not loaded, and a look
 * that finds {@code null} then costs a call; where that is on every task's way it adds up to a tenth of the whole.
 */
public final class ClassPreloader {

    private ClassPreloader() {}

    /** Naming a class here loads it. */
    public static void load(Class<?>... classes) {
        for (Class<?> each : classes) {
            Objects.requireNonNull(each);
        }
    }
}
