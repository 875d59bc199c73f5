package io.github.kobe.internal.kernel;

/** Why the kernel, rather than a user, put an end to a ticket that it had let in. */
public enum TerminationCause {
    /** It waited for its first start longer than it was willing to. */
    EXPIRED,
    /** It gave up its place in line to one that came later. */
    DISPLACED,
    /** It took longer than it may, from its first start. */
    TIMED_OUT
}
