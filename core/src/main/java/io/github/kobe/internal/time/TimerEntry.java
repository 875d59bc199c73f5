package io.github.kobe.internal.time;

/**
 * An action that a {@link Timer} runs once, later. The entry holds the links of the timer's lists itself, so a million pending actions are
 * a million small objects and nothing else.
 *
 * <p>An entry is pending from its start until it is cancelled or {@link #fire} is about to be called. While it is pending it must not be
 * started again. {@code fire} itself may start it again.
 */
public abstract class TimerEntry {

    static final short NOT_PENDING = -1;

    // The lock of the wheel that the entry is in guards all fields.

    /** Its neighbours in the circular list of the entries in its slot; the entry itself while it is alone. */
    TimerEntry prev = this;

    TimerEntry next = this;

    /** The tick at which it is due. */
    long due;

    /** Its slot in the wheel; {@link #NOT_PENDING} while it is not pending. */
    short slot = NOT_PENDING;

    /** Called by the timer, once for each start that was not cancelled. Must be short, and must not block or throw. */
    public abstract void fire();
}
