package io.github.kobe.pool;

/** How many of the workers that a pool may have it uses. */
public enum Sizing {
    /** All of them, as soon as tasks wait. */
    MAX,
    /**
     * As many as keep the workers busy for a given part of their time: a step more while tasks wait and workers are busier than that,
     * fewer while they are not.
     */
    UTILIZATION
}
