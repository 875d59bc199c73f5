package io.github.kobe.pool;

/** The kind of threads that workers run on. */
public enum ThreadKind {
    /** Platform threads, daemons: for work that keeps a processor busy. */
    PLATFORM,
    /** Virtual threads: for work that mostly waits. */
    VIRTUAL
}
