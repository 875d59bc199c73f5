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
    private final Runnable round;
    private final BooleanSupplier needed;
    private final AtomicBoolean awake = new AtomicBoolean();

    /** @param needed whether there is something to look at */
    public PeriodicSweep(Timer timer, long period, Runnable round, BooleanSupplier needed) {
        this.timer = timer;
        this.period = period;
        this.round = round;
        this.needed = needed;
    }

    /** There is something to look at; call it after {@code needed} has become true. */
    public void wake() {
        if (!awake.get() && awake.compareAndSet(false, true)) {
            startRound();
        }
    }

    /** There is nothing to look at any more, and the timer is not to keep for the next round whatever makes it. */
    public void rest() {
        if (timer.cancel(this)) {
            fallAsleep();
        }
    }

    private void startRound() {
        try {
            timer.start(this, period);
        } catch (Throwable noTimer) {
            awake.set(false); // so that the next who has something to look at tries again
            throw noTimer;
        }
    }

    @Override
    public void fire() {
        try {
            round.run();
        } finally {
            goOnOrRest();
        }
    }

    private void goOnOrRest() {
        if (needed.getAsBoolean()) {
            startRound();
        } else {
            fallAsleep();
        }
    }

    private void fallAsleep() {
        awake.set(false);
        if (needed.getAsBoolean()) {
            wake(); // it came before we slept, and found us awake
        }
    }
}
