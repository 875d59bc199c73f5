package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.CallbackGuard;

/** Flaw: the sweep reads the calls before it says that none is scheduled. A call that begins in between relies on a sweep that never comes. */
public final class ReadsCallsBeforeUnscheduling implements CallbackGuard {

    private volatile boolean called;
    private volatile boolean scheduled = true;
    private volatile boolean overdue;
    private int takenOver;

    @Override
    public void begin() {
        called = true;
        if (!scheduled) {
            scheduled = true;
        }
    }

    @Override
    public boolean end() {
        boolean mine = called;
        called = false;
        return mine;
    }

    @Override
    public void sweep() {
        if (!scheduled) {
            return;
        }
        if (called && overdue) {
            called = false;
            takenOver++;
        }
        boolean needed = called;
        RaceWindow.widen();
        scheduled = needed;
    }

    @Override
    public void letTimePass() {
        overdue = true;
    }

    @Override
    public int takenOver() {
        return takenOver;
    }
}
