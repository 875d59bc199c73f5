package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.CallbackGuard;

/** Flaw: the calling thread and the sweep read the slot, and then free it. Both may find the call. */
public final class TakesOverWithoutCas implements CallbackGuard {

    private volatile boolean called;
    private volatile int takenOver;

    @Override
    public void begin() {
        called = true;
    }

    @Override
    public boolean end() {
        boolean mine = called;
        RaceWindow.widen();
        called = false;
        return mine;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread sweeps
    public void sweep() {
        boolean found = called;
        RaceWindow.widen();
        if (found) {
            called = false;
            takenOver++;
        }
    }

    @Override
    public void letTimePass() {}

    @Override
    public int takenOver() {
        return takenOver;
    }
}
