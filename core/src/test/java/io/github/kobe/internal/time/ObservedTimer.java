package io.github.kobe.internal.time;

import java.util.concurrent.atomic.AtomicInteger;

/** Another timer, with a count of how often its clock was read, and an action that runs at a read that a test chooses. */
public final class ObservedTimer implements Timer {

    private record Action(int read, Runnable action) {}

    private static final Action NONE = new Action(-1, () -> {});

    private final Timer observed;
    private final AtomicInteger reads = new AtomicInteger();
    private volatile Action next = NONE;

    public ObservedTimer(Timer observed) {
        this.observed = observed;
    }

    /** How often the clock was read. */
    public int reads() {
        return reads.get();
    }

    /** Runs {@code action} once, on the thread that reads the clock for the {@code number}th time from now, before it has the time. */
    public void atRead(int number, Runnable action) {
        next = new Action(reads.get() + number, action);
    }

    @Override
    public long nanoTime() {
        int read = reads.incrementAndGet();
        Action due = next;
        if (due.read == read) {
            next = NONE; // first: the action may set another one
            due.action.run();
        }
        return observed.nanoTime();
    }

    @Override
    public void start(TimerEntry entry, long delayNanos) {
        observed.start(entry, delayNanos);
    }

    @Override
    public boolean cancel(TimerEntry entry) {
        return observed.cancel(entry);
    }
}
