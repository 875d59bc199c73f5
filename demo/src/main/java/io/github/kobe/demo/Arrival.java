package io.github.kobe.demo;

import java.util.List;

/**
 * One piece of work.
 *
 * @param atNanos when it comes, from the start
 * @param role whose it is: the place of its traffic in the list
 * @param nanos how long its parts take
 */
record Arrival(long atNanos, int role, List<Long> nanos) {

    /** How long it takes, if it has one part. */
    long length() {
        return nanos.get(0);
    }
}
