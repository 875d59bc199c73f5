package io.github.kobe.fleet;

/** What a node does when its lease is over and the store cannot be reached. */
public enum UnreachableMode {
    /** No task starts until the store answers. The limits of the fleet hold. */
    STOP,
    /** Tasks start on the permits that the node held last. Other nodes may be granted the same permits. */
    KEEP_LAST,
    /** Tasks start up to an equal part of each limit: the limit divided by the last known number of executors of the fleet, at least 1. */
    SHARE,
    /** Tasks start up to the full limit, on each node. */
    OPEN
}
