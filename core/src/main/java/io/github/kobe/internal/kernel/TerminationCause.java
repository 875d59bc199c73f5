package io.github.kobe.internal.kernel;

/** Why the kernel, and not a user, terminated an admitted task. The face makes its own kind of result from it. */
public enum TerminationCause {
    /** It was queued for its first start longer than its time limit. */
    EXPIRED,
    /** A task that was submitted later was queued instead of it. */
    DISPLACED,
    /** It exceeded its time limit, counted from its first start. */
    TIMED_OUT,
    /** Its last attempt exceeded the time limit of an attempt. */
    ATTEMPT_TIMED_OUT
}
