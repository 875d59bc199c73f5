package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import io.github.kobe.internal.util.Faults;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Calls observers on the thread that has something to tell, and goes on without them if they do not come back.
 *
 * <p>An observer that is quick, as it should be, is simply called: what it was told happens before whatever comes next. One
 * that has not returned after a while loses its say: what was to come next is done on another thread. Either its own thread
 * or the timer's goes on, never both: the observer's own does if it could still cancel the {@link Call}.
 */
public final class CallbackMonitor {

    /** How long an observer may take before work goes on without it. */
    static final long MAX_CALLBACK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Timer timer;
    private final Consumer<Runnable> otherThread;
    private final Faults faults;

    /** @param elsewhere runs what a stuck observer holds up, on another thread */
    public CallbackMonitor(Timer timer, Consumer<Runnable> elsewhere, Faults faults) {
        this.timer = timer;
        this.otherThread = elsewhere;
        this.faults = faults;
    }

    /**
     * Calls {@code callback}; what it throws is reported.
     *
     * @param what the callback's name in reports
     * @param subject what it is called about, in reports
     * @param takeOver done elsewhere if the callback does not return in time
     * @return whether the caller is to go on; false if {@code takeOver} has been done in its stead
     */
    public boolean call(String what, Object subject, Runnable callback, Runnable takeOver) {
        Call call = new Call(what, subject, takeOver);
        timer.start(call, MAX_CALLBACK_NANOS);
        guard(what, subject, callback);
        return timer.cancel(call);
    }

    /** Calls {@code callback} with nothing to come after it; what it throws is reported. */
    public void guard(String what, Object subject, Runnable callback) {
        try {
            callback.run();
        } catch (Throwable fault) {
            faults.report(what, subject, fault);
        }
    }

    /** Fires if the observer has not returned in time. */
    private final class Call extends TimerEntry {
        private final String what;
        private final Object subject;
        private final Runnable takeOver;

        Call(String what, Object subject, Runnable takeOver) {
            this.what = what;
            this.subject = subject;
            this.takeOver = takeOver;
        }

        @Override
        public void fire() {
            faults.report(what, subject, "has not returned after a second, and is not waited for,");
            otherThread.accept(takeOver);
        }
    }
}
