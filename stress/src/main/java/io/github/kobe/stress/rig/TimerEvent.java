package io.github.kobe.stress.rig;

/** What a timer has to do for a job. */
public enum TimerEvent {
    /** Ends it if it has not started yet. */
    EXPIRY,
    /** Ends it, wherever it is. */
    DEADLINE,
    /** Has it tried again. */
    RETRY,
    /** Looks whether it is time for either of the first two, for any job; it is not. */
    LOOK
}
