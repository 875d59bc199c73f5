package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import io.github.kobe.internal.util.Faults;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Calls listeners and hooks on the thread that has an event for them, and bounds how long they can hold that thread's work up. Group
 * executors and scopes share it.
 *
 * <p>A callback that returns in time is an ordinary call: it happens before what the thread does next. If it has not returned after
 * {@link #MAX_CALLBACK_NANOS}, another thread continues instead. The calling thread cancels the timer entry when the callback has returned,
 * and the timer fires it when the time is over. Only one of the two succeeds, so exactly one thread continues.
 */
public final class CallbackMonitor {

    /** How long a callback may take before another thread continues. */
    static final long MAX_CALLBACK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Timer timer;
    private final Consumer<Runnable> otherThreads;
    private final Faults faults;

    /** @param otherThreads runs, on another thread, what a blocked callback holds up */
    public CallbackMonitor(Timer timer, Consumer<Runnable> otherThreads, Faults faults) {
        this.timer = timer;
        this.otherThreads = otherThreads;
        this.faults = faults;
    }

    /**
     * Calls {@code callback}. What it throws is reported.
     *
     * @param name the name of the callback in reports
     * @param subject what the callback is about, in reports
     * @param takeOver runs on another thread if the callback does not return in time
     * @return whether the caller continues; false if {@code takeOver} runs instead
     */
    public boolean call(String name, Object subject, Runnable callback, Runnable takeOver) {
        Call call = new Call(name, subject, takeOver);
        timer.start(call, MAX_CALLBACK_NANOS);
        guard(name, subject, callback);
        return timer.cancel(call);
    }

    /** Calls {@code callback}, which holds nothing up. What it throws is reported. */
    public void guard(String name, Object subject, Runnable callback) {
        try {
            callback.run();
        } catch (Throwable fault) {
            faults.report(name, subject, fault);
        }
    }

    /** Fires if the callback has not returned in time. */
    private final class Call extends TimerEntry {
        private final String name;
        private final Object subject;
        private final Runnable takeOver;

        Call(String name, Object subject, Runnable takeOver) {
            this.name = name;
            this.subject = subject;
            this.takeOver = takeOver;
        }

        @Override
        public void fire() {
            faults.report(name, subject, "has not returned after a second, so another thread continues,");
            otherThreads.accept(takeOver);
        }
    }
}
