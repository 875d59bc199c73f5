package io.github.kobe.internal.time;

/** The port to time: a clock, and actions that run later. Tests step their own implementation. */
public interface Timer {

    /** The clock. It never goes back; only differences between two readings mean anything, as with {@link System#nanoTime}. */
    long nanoTime();

    /**
     * Makes {@code entry} fire once, {@code delayNanos} from now or a little later, never earlier. If this throws, the entry does not fire.
     *
     * @throws IllegalStateException if the entry is pending
     */
    void start(TimerEntry entry, long delayNanos);

    /** As {@link #start(TimerEntry, long)}, {@code delayNanos} after {@code now}, for a caller that has read the clock before. */
    default void start(TimerEntry entry, long now, long delayNanos) {
        start(entry, now + delayNanos - nanoTime());
    }

    /**
     * Cancels {@code entry}.
     *
     * @return true if the entry was pending and will not fire; false if {@code fire} has been or is about to be called, if the entry was
     *     cancelled before, or if it was never started
     */
    boolean cancel(TimerEntry entry);

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
