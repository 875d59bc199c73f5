package io.github.kobe;

import java.time.Duration;
import java.util.Objects;

/**
 * What a group does at one instant: the part of its {@link GroupStats} that is cheap to read of very many groups, see
 * {@link GroupExecutor#stats(java.util.function.Consumer)}.
 *
 * @param groupKey the group
 * @param activeCount permits in use, by tasks that run or are about to run
 * @param queuedCount queued tasks, whatever they wait for
 * @param limit how many permits the group has: the smaller of its concurrency limit and its in-flight limit
 * @param queueCapacity how many tasks may be queued for the group's own limits; {@link Integer#MAX_VALUE} if there is no such limit
 * @param paused whether the group is paused
 * @param oldestWaiting how long the oldest queued task has been queued; zero if none is queued
 */
public record GroupLoad(
        String groupKey,
        int activeCount,
        int queuedCount,
        int limit,
        int queueCapacity,
        boolean paused,
        Duration oldestWaiting) {

    /** Throws {@link NullPointerException} if a component is {@code null}. */
    public GroupLoad {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(oldestWaiting, "oldestWaiting");
    }
}
