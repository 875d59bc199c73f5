package io.github.kobe.redis.proof;

import java.time.Duration;

/**
 * How the JVMs of a proof join the fleet.
 *
 * @param ttl the TTL
 * @param reclaimAfter how long permits of a lost node are kept beyond the TTL
 * @param interrupts whether tasks are interrupted when the lease is over
 * @param founding whether an empty store is that of a new fleet
 */
record ProofSettings(Duration ttl, Duration reclaimAfter, boolean interrupts, boolean founding) {

    static ProofSettings ofTtl(Duration ttl) {
        return new ProofSettings(ttl, Duration.ZERO, false, true);
    }

    ProofSettings interrupting(Duration permitsAreKept) {
        return new ProofSettings(ttl, permitsAreKept, true, founding);
    }

    ProofSettings notFounding() {
        return new ProofSettings(ttl, reclaimAfter, interrupts, false);
    }

    /** How long a connection waits for an answer. */
    Duration timeout() {
        return ttl.dividedBy(4);
    }

    @Override
    public String toString() {
        return ttl.toMillis() + "," + reclaimAfter.toMillis() + "," + interrupts + "," + founding;
    }

    static ProofSettings parse(String text) {
        String[] parts = text.split(",");
        return new ProofSettings(
                Duration.ofMillis(Long.parseLong(parts[0])),
                Duration.ofMillis(Long.parseLong(parts[1])),
                Boolean.parseBoolean(parts[2]),
                Boolean.parseBoolean(parts[3]));
    }
}
