package io.github.kobe;

/**
 * What groups that compete for {@link GroupPolicy.Builder#globalMaxInFlight} or a {@link SharedLimit} share in proportion to their weights.
 *
 * <p>Only groups with queued tasks compete. A group that has none does not save up a claim for later.
 */
public enum FairnessPolicy {
    /** Starts. Groups of equal weight start equally many tasks, however long the tasks run. */
    TASKS,
    /**
     * The time that tasks hold a permit. Groups of equal weight get equal time, so a group with short tasks starts more of them.
     * The time is charged while a task runs, not only when it completes.
     */
    SERVICE_TIME
}
