package io.github.kobe;

/**
 * What a shutdown lets finish before it stops the rest. In every mode no more tasks are accepted, and every handle is completed when the
 * shutdown returns.
 *
 * @see GroupExecutor#shutdown(java.time.Duration, ShutdownMode)
 */
public enum ShutdownMode {

    /** Running and queued tasks complete, also those that await a retry. What is left at the timeout is stopped. */
    DRAIN,

    /**
     * Running tasks finish, and nothing else starts: queued tasks and tasks that await a retry are cancelled. If a running attempt fails, it is
     * the last one. What runs at the timeout is stopped.
     */
    FINISH_RUNNING,

    /** Queued tasks are cancelled, and running tasks are interrupted at once. The timeout is how long to wait until they have returned. */
    STOP
}
