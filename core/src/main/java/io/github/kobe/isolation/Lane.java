package io.github.kobe.isolation;

/** How the executor explains why a task ran when it did. All lanes share one budget; none has threads or places of its own. */
public enum Lane {
    /** Of a key whose tasks are quick, or that is new. */
    FAST,
    /** Quick, but it had waited for longer than it should, or there was much of its kind or of its key, and others waited. */
    FAST_BACKUP,
    /** Of a key whose tasks take long. */
    SLOW,
    /** As {@link #FAST_BACKUP}, for one that takes long. */
    SLOW_BACKUP,
    /** Of a white-listed key. */
    WHITE_LIST,
    /** For which there was no room in the other lanes while others waited. */
    ISOLATION
}
