package io.github.kobe.internal.kernel;

/** What became of a ticket that asked to be let in. */
public enum Admission {
    /** It runs, or waits in line and will. */
    ADMITTED,
    /** Its group has as many waiting as it may have. */
    GROUP_QUEUE_FULL,
    /** All groups together have as many waiting as they may have. */
    GLOBAL_QUEUE_FULL,
    /** No more tickets are taken. */
    CLOSED,
    /** The group object has left the map: ask again for the one that takes its place. Never leaves the kernel. */
    RETIRED,
    /** The group's limits were forgotten: resolve them, then ask again. Never leaves the kernel. */
    STALE,
    /** The group has just been made, and is to be looked over before it takes a ticket. Never leaves the kernel. */
    UNSETTLED
}
