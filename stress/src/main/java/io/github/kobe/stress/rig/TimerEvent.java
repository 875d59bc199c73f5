package io.github.kobe.stress.rig;

/** An event that the timer fires for tasks. */
public enum TimerEvent {
    /** Terminates a task that has exceeded its max queue time or its timeout. A race uses one of the two limits. */
    TIME_LIMIT,
    /** Starts the next attempt of a task. */
    RETRY,
    /** The deadline monitor sweeps the tasks of a group before any of their time limits is exceeded. */
    MONITOR_SWEEP,
    /** A group has kept permits of a limit for too long while it waits for another limit. */
    KEPT_PERMITS
}
