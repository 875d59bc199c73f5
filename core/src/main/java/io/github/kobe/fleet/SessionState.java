package io.github.kobe.fleet;

/** How far the session of an executor in a shard of the store has come. */
public enum SessionState {
    /** It asks to be accepted, and starts no task unless its lease from before is still valid. */
    JOINING,
    /** It states what it holds. */
    REGISTERING,
    /** It takes part. */
    MEMBER,
    /** It has left. */
    LEFT
}
