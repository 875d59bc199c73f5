package io.github.kobe.stress.rig;

/** A time that many go by, and that a timeout has to put an end to when it is old. The timeout is pending at first. */
public interface SharedClock {

    /** Makes it shared. */
    void share();

    /** The timeout fires. */
    void fire();

    /** Whether it is shared. */
    boolean isShared();

    /** Whether the timeout is pending. */
    boolean isWatched();
}
