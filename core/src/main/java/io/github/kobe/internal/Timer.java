package io.github.kobe.internal;

/** The port to time. */
public interface Timer {

    /** A clock that only ever goes forward; only differences mean anything. */
    long nanoTime();

    /** Runs {@code action} once, {@code delayNanos} from now. The action is short, does not block and does not throw. */
    void schedule(Runnable action, long delayNanos);
}
