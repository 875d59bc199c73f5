package io.github.kobe.internal.kernel;

/** The answer to a task that asks for admission. The faces see those that are not {@link #isTemporary}. */
public enum Admission {
    /** The task runs, or is queued. */
    ADMITTED,
    /** The queue of the group is full. */
    GROUP_QUEUE_FULL,
    /** The queues of all groups together are full. */
    GLOBAL_QUEUE_FULL,
    /** The group is not known, and there are as many groups as there may be. */
    TOO_MANY_GROUPS,
    /** The task costs more permits than one of its limits has. */
    TOO_COSTLY,
    /** The group or the dispatcher is closed. */
    CLOSED,
    /** The group retired while its limits were resolved, and another one has its slot: begin again. */
    NO_SLOT(true),
    /** The group object has left the registry: try again with the object that replaces it. */
    RETIRED(true),
    /** The limits of the group were evicted: resolve them, then try again. */
    STALE(true),
    /** The group was just created: settle it, then try again. */
    UNSETTLED(true);

    private final boolean temporary;

    Admission() {
        this(false);
    }

    Admission(boolean temporary) {
        this.temporary = temporary;
    }

    /** Whether the dispatcher tries again. */
    boolean isTemporary() {
        return temporary;
    }
}
