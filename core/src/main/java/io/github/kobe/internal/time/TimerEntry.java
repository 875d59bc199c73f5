package io.github.kobe.internal.time;

/**
 * Something that a {@link Timer} does later, once; its own entry in the timer, so that a million of them are a million small
 * objects and nothing else.
 *
 * <p>It is pending from its start until it is cancelled or {@link #fire} is about to be called, and only then may it be
 * started again, be it from inside {@code fire}.
 */
public abstract class TimerEntry {

    static final short NOT_PENDING = -1;

    // All but the stripe belong to the wheel that it is in, and are guarded as that wheel is.

    /** Its neighbours in the ring of those that share its place; itself while it is alone. */
    TimerEntry prev = this;

    TimerEntry next = this;

    /** The tick that it waits for. */
    long due;

    /** Which slot of the wheel it is in, {@link #NOT_PENDING} while it is not pending. */
    short slot = NOT_PENDING;

    /** Always the same, so that there is one lock to its state; who makes timeouts at once mostly takes different ones. */
    final byte stripe = (byte) Thread.currentThread().threadId();

    /** Called by the timer, once for each start that was not cancelled. Short, does not block, does not throw. */
    public abstract void fire();
}
