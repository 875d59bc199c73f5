package io.github.kobe.internal.time;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * A round made again and again by the timer, but only while there is something to look at: an executor that nobody uses any
 * more has nothing scheduled, and can be collected.
 */
public final class PeriodicSweep extends TimerEntry {

    private final Timer timer;
    private final long period;
    private final Runnable sweep;
    private final BooleanSupplier needed;
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** @param needed whether there is something to look at */
    public PeriodicSweep(Timer timer, long period, Runnable round, BooleanSupplier needed) {
        this.timer = timer;
        this.period = period;
        this.sweep = round;
        this.needed = needed;
    }

    /** There is something to look at; call it after {@code needed} has become true. */
    public void schedule() {
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            startTimer();
        }
    }

    /** There is nothing to look at any more, and the timer is not to keep for the next round whatever makes it. */
    public void cancel() {
        if (timer.cancel(this)) {
            unschedule();
        }
    }

    private void startTimer() {
        try {
            timer.start(this, period);
        } catch (Throwable noTimer) {
            scheduled.set(false); // so that the next who has something to look at tries again
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
            schedule(); // it came before we slept, and found us awake
        }
    }
}
