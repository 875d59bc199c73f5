package io.github.kobe.internal.time;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Runs a sweep periodically, but only while it is needed. An unused executor has nothing scheduled in the timer, so it can be garbage
 * collected.
 */
public final class PeriodicSweep extends TimerEntry {

    private final Timer timer;
    private final long period;
    private final Runnable sweep;
    private final BooleanSupplier needed;
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /**
     * @param sweep what to run
     * @param needed whether there is anything to sweep
     */
    public PeriodicSweep(Timer timer, long period, Runnable sweep, BooleanSupplier needed) {
        this.timer = timer;
        this.period = period;
        this.sweep = sweep;
        this.needed = needed;
    }

    /** Schedules the next sweep unless one is scheduled. Call it after {@code needed} has become true. */
    public void schedule() {
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            startTimer();
        }
    }

    /** Cancels the next sweep, so that the timer does not keep its objects alive. If {@code needed} is true, schedules it again. */
    public void cancel() {
        if (timer.cancel(this)) {
            unschedule();
        }
    }

    private void startTimer() {
        try {
            timer.start(this, period);
        } catch (Throwable noTimer) {
            scheduled.set(false); // so that the next call of schedule tries again
            throw noTimer;
        }
    }

    @Override
    public void fire() {
        try {
            sweep.run();
        } finally {
            continueOrStop();
        }
    }

    private void continueOrStop() {
        if (needed.getAsBoolean()) {
            startTimer();
        } else {
            unschedule();
        }
    }

    private void unschedule() {
        scheduled.set(false);
        if (needed.getAsBoolean()) {
            schedule(); // needed became true, and schedule was called, before scheduled was cleared
        }
    }
}
