package io.github.kobe.fleet;

import java.util.concurrent.TimeUnit;

/**
 * What a node is told at its start. Times are in nanoseconds.
 *
 * @param node the name of the node, for operators
 * @param ttl after this time without a call the session expires
 * @param quantum the least time for which a permit that others want is kept, if this node has tasks for it
 * @param linger how long a permit is kept that is not used, and that nobody else wants
 * @param reclaimAfter how long the permits are kept after the session has expired
 * @param whenUnreachable what to do when the store cannot be reached
 * @param shards the number of shards of the store
 * @param founding whether an empty store is that of a new fleet
 * @param heartbeat how long after the last heartbeat the next one is sent
 */
record NodeSettings(
        String node,
        long ttl,
        long quantum,
        long linger,
        long reclaimAfter,
        UnreachableMode whenUnreachable,
        int shards,
        boolean founding,
        long heartbeat) {

    private static final long MAX_REVIEW_INTERVAL = TimeUnit.MILLISECONDS.toNanos(30);

    /** The clock of a shard counts a quarter of the TTL between two calls at most, so a lost heartbeat must not slow it down. */
    static long maxHeartbeat(long ttl) {
        return ttl / 8;
    }

    /** How often a group whose permits this node or others want is reviewed. */
    long reviewInterval() {
        return Math.min(quantum, MAX_REVIEW_INTERVAL);
    }

    /** A quarter of the TTL allows for a step of the server's time, and a hundredth for clocks of different speed. */
    long leaseTime() {
        return ttl / 4 * 3 / 100 * 99;
    }

    /** After this time a call counts as lost. */
    long callTimeout() {
        return ttl / 8;
    }

    /** How long to wait after a call that failed. */
    long backoff() {
        return ttl / 32;
    }

    long ttlMillis() {
        return TimeUnit.NANOSECONDS.toMillis(ttl);
    }

    long reclaimAfterMillis() {
        return TimeUnit.NANOSECONDS.toMillis(reclaimAfter);
    }
}
