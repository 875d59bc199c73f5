package io.github.kobe.internal.kernel;

/** The answer to a task that asks for admission. The faces see the first four values; the others make the dispatcher try again. */
public enum Admission {
    /** The task runs, or is queued. */
    ADMITTED,
    /** The queue of the group is full. */
    GROUP_QUEUE_FULL,
    /** The queues of all groups together are full. */
    GLOBAL_QUEUE_FULL,
    /** The group or the dispatcher is closed. */
    CLOSED,
    /** The group object has left the registry: try again with the object that replaces it. Used in the kernel only. */
    RETIRED,
    /** The limits of the group were evicted: resolve them, then try again. Used in the kernel only. */
    STALE,
    /** The group was just created: settle it, then try again. Used in the kernel only. */
    UNSETTLED
}
