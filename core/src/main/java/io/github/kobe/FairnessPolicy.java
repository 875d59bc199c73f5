package io.github.kobe;

/**
 * What is shared out among groups that compete for {@link GroupPolicy.Builder#globalMaxInFlight}, in proportion to their
 * weights. Only groups that have work take part, and none saves up a claim while it has none.
 */
public enum FairnessPolicy {
    /** Starts: groups of equal weight start equally many tasks, however long those run. */
    TASKS,
    /**
     * The time that tasks hold a place, charged while they run: groups of equal weight get equal time, so that one with short
     * tasks starts more of them.
     */
    SERVICE_TIME
}
