package io.github.kobe.pool;

/** What the workers of a pool run on. */
public enum ThreadKind {
    /** Platform threads, daemons: for work that keeps a processor busy. */
    PLATFORM,
    /** Virtual threads: for work that mostly waits. */
    VIRTUAL
}
