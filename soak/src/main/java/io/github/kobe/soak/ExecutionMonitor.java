package io.github.kobe.soak;

/** Checks the execution of tasks. {@link TaskCode} calls it on the thread of the task. */
interface ExecutionMonitor {

    /** Called before anything else that the task does. Not called if the task runs without a permit. */
    void enter(TrackedTask task);

    /** Called after everything else that the task does, if {@link #enter} was called. */
    void exit(TrackedTask task);

    /** Called if the handle is done while the code of the task still runs. */
    void runningAfterOutcome(TrackedTask task);

    /** Returns whether each task has a new thread of its own. */
    boolean usesFreshThreads();
}
