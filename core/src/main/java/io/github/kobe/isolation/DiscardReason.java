package io.github.kobe.isolation;

/** Why a task was given up before it started. */
public enum DiscardReason {
    /** It waited for {@link IsolationPolicy.Builder#taskExpiry} and had not started. */
    EXPIRED,
    /** There was no room for it in line, or it had to make room for a key with a shorter line. */
    REJECTED
}
