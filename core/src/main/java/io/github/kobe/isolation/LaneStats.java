package io.github.kobe.isolation;

import io.github.kobe.TimeStats;

/**
 * One lane.
 *
 * @param running tasks that run in it now
 * @param started tasks that have started in it
 * @param waiting how long those had waited
 */
public record LaneStats(int running, long started, TimeStats waiting) {}
