package io.github.kobe.isolation;

import io.github.kobe.TimeStats;

/**
 * Statistics of one lane.
 *
 * @param running the number of running tasks
 * @param started the number of tasks that have started
 * @param waiting how long these tasks were queued
 */
public record LaneStats(int running, long started, TimeStats waiting) {}
