package io.github.kobe;

/**
 * One group at one moment.
 *
 * @param groupKey the group
 * @param activeCount places in use: tasks on a thread, or about to be
 * @param queuedCount tasks that wait
 * @param maxConcurrency the group's concurrency limit; its in-flight limit may bind before
 * @param queueCapacity how many tasks may wait for the group's limits; {@link Integer#MAX_VALUE} if there is no such limit
 */
public record GroupStats(String groupKey, int activeCount, int queuedCount, int maxConcurrency, int queueCapacity) {}
