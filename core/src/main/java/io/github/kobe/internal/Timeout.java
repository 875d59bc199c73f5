package io.github.kobe.internal;

import org.jspecify.annotations.Nullable;

/**
 * Something that a {@link Timer} does later, once; its own entry in the timer, so that a million of them are a million small
 * objects and nothing else. It may be started again once it has fired or was cancelled, never while it is pending.
 */
public abstract class Timeout {

    /** Where it is, for the timer that holds it; {@code null} while it is not pending. */
    @Nullable
    Object held;

    /** Called by the timer, once for each start that was not cancelled. Short, does not block, does not throw. */
    public abstract void fire();
}
