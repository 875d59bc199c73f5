package io.github.kobe.internal.time;

/** The port to time. */
public interface Timer {

    /** A clock that only ever goes forward; only differences mean anything. */
    long nanoTime();

    /**
     * Has {@code timeout} fire once, {@code delayNanos} from now or a little later, never earlier. If this throws, it will not
     * fire.
     *
     * @throws IllegalStateException if it is pending
     */
    void start(TimerEntry timeout, long delayNanos);

    /** As {@link #start(Timeout, long)}, for one who has looked at the clock before: {@code delayNanos} from {@code now}. */
    default void start(TimerEntry timeout, long now, long delayNanos) {
        start(timeout, now + delayNanos - nanoTime());
    }

    /**
     * Takes {@code timeout} out.
     *
     * @return whether it was pending, and now will not fire; false if {@code fire} has been or is about to be called, if it was
     *     cancelled before, or if it was never started
     */
    boolean cancel(TimerEntry timeout);

    /** Runs {@code action} once, {@code delayNanos} from now. The action is short, does not block and does not throw. */
    default void schedule(Runnable action, long delayNanos) {
        start(
                new TimerEntry() {
                    @Override
                    public void fire() {
                        action.run();
                    }
                },
                delayNanos);
    }
}
