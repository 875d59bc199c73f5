package io.github.kobe.soak;

/** Where bodies play: what is to be checked when one begins and ends. */
interface ExecutionMonitor {

    /** First of all that a body does. Not called for one that runs outside the limits. */
    void enter(TrackedTask probe);

    /** Last of all that it does. */
    void leave(TrackedTask probe);

    /** Its handle is done, and it is still on its thread. */
    void outlives(TrackedTask probe);

    /** Whether threads are made for one task each. */
    boolean freshThreads();
}
