package io.github.kobe.stress.rig;

import io.github.kobe.internal.kernel.CallbackMonitorAccess;

/** What bounds the time of one callback: the monitor of the kernel, or a broken model of it. */
public interface CallbackGuard {

    /** Begins the callback. */
    void begin();

    /** The callback has returned. Returns whether its thread continues. */
    boolean end();

    /** A sweep; none if none is scheduled. Any thread may call it, one at a time. */
    void sweep();

    /** Lets so much time pass that a callback which has begun and not returned is overdue at the next sweep. */
    void letTimePass();

    /** How often another thread continued. */
    int takenOver();

    /** The monitor of the kernel, with a sweep that finds no call. */
    static CallbackGuard monitor() {
        ManualTimer timer = new ManualTimer();
        CallbackMonitorAccess monitor = new CallbackMonitorAccess(timer);
        monitor.callAndReturn();
        return new CallbackGuard() {
            @Override
            public void begin() {
                monitor.begin();
            }

            @Override
            public boolean end() {
                return monitor.end();
            }

            @Override
            public void sweep() {
                timer.advanceAndFireAll(0);
            }

            @Override
            public void letTimePass() {
                timer.advanceAndFireAll(0); // sees the call for the first time
                timer.advanceClock(1_000_000_000);
            }

            @Override
            public int takenOver() {
                return monitor.takenOver();
            }
        };
    }
}
