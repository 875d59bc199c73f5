package io.github.kobe.demo;

import java.util.List;

/**
 * A group and the traffic that it makes.
 *
 * @param key the group
 * @param limit how many of its tasks may run at once
 * @param mayWait how many may wait for that limit; the next is rejected
 * @param backlog tasks it brings along at the start, for each second of the show
 * @param batch tasks it submits together, again and again
 * @param everyMillis how long it pauses between two batches; 0 if there are none
 * @param leastWork the shortest task, in milliseconds
 * @param mostWork the longest task, in milliseconds
 */
record Tenant(
        String key, int limit, int mayWait, int backlog, int batch, int everyMillis, int leastWork, int mostWork) {

    /** Fewer places than the limits of the groups add up to, so that now and then they have to take turns. */
    static final int GLOBAL_CAP = 6;

    private static final int ANY_NUMBER = Integer.MAX_VALUE;

    static final List<Tenant> CAST = List.of(
            new Tenant("vip", 4, ANY_NUMBER, 0, 14, 1500, 60, 180), // comes in bursts
            new Tenant("standard", 2, ANY_NUMBER, 0, 1, 150, 120, 320), // a steady stream
            new Tenant("batch", 1, ANY_NUMBER, 6, 0, 0, 60, 140), // a long line from the start
            new Tenant("reports", 2, 3, 0, 6, 1200, 250, 450)); // more at once than may wait
}
