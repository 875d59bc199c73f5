package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Faults;
import java.util.concurrent.atomic.AtomicInteger;

/** Gives the stress tests access to the two halves of a call, which are package-private. */
public final class CallbackMonitorAccess {

    private final AtomicInteger takenOver = new AtomicInteger();
    private final CallbackMonitor monitor;
    private final CallbackMonitor.Call call = new CallbackMonitor.Call("subject") {
        @Override
        protected String name() {
            return "callback";
        }

        @Override
        protected void invoke() {}

        @Override
        protected void takeOver() {
            takenOver.incrementAndGet();
        }
    };
    private int slot;

    /** A monitor on {@code timer}. */
    public CallbackMonitorAccess(Timer timer) {
        monitor = new CallbackMonitor(timer, Runnable::run, new Faults(timer::nanoTime));
    }

    /** Makes a call that returns at once, so that a sweep is scheduled. */
    public void callAndReturn() {
        monitor.call("callback", "subject", () -> {}, () -> {});
    }

    /** Begins the call. */
    public void begin() {
        slot = monitor.begin(call);
    }

    /** The call has returned. Returns whether the caller continues. */
    public boolean end() {
        return monitor.end(slot, call);
    }

    /** How often another thread continued. */
    public int takenOver() {
        return takenOver.get();
    }
}
