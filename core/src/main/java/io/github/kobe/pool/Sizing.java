package io.github.kobe.pool;

/** How many workers a pool uses, up to its maximum. */
public enum Sizing {
    /** All of them, as soon as tasks are queued. */
    MAX,
    /**
     * As many as keep the workers busy for a given fraction of their time. The pool grows step by step while tasks are queued and workers are
     * busier than that, and shrinks while they are less busy.
     */
    UTILIZATION
}
