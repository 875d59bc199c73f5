package io.github.kobe.soak;

/** Where bodies play: what is to be checked when one begins and ends. */
interface Stage {

    /** First of all that a body does. Not called for one that runs outside the limits. */
    void enter(Probe probe);

    /** Last of all that it does. */
    void leave(Probe probe);

    /** Its handle is done, and it is still on its thread. */
    void outlives(Probe probe);

    /** Whether threads are made for one task each. */
    boolean freshThreads();
}
