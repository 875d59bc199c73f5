package io.github.kobe;

/** What becomes of a task that would have to wait where as many wait as may. */
public enum RejectionPolicy {
    /** {@link TaskHandle#await()} throws {@link RejectedTaskException}. {@link GroupExecutor#executeAll} lists it as REJECTED. */
    ABORT,
    /** It ends {@link TaskStatus#REJECTED}, without an exception. */
    DISCARD,
    /**
     * It runs on the submitting thread, under no limit and holding no place, before {@code submit} returns. A shutdown
     * neither interrupts it nor waits for it: the thread is the caller's.
     */
    CALLER_RUNS,
    /**
     * The submitting thread waits until there is room, first come, first served, but no longer than
     * {@link GroupPolicy.Builder#maxBlockTime}; then as {@link #ABORT}. If the thread is interrupted it stops waiting, also as
     * {@link #ABORT}, and its interrupt flag stays set.
     */
    BLOCK,
    /**
     * It takes the place in the queue of the task of its group that waits with the lowest priority, of several the one that
     * waits longest; that one ends {@link TaskStatus#REJECTED}, without an exception. As {@link #ABORT} if none of the group
     * waits.
     */
    DISCARD_OLDEST
}
