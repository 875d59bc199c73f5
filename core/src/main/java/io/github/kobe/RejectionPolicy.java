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
    CALLER_RUNS
}
