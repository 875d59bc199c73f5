package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.SharedClock;

/** Flaw: the timeout looks whether there is anything to put an end to before it says that it will not fire again. */
public final class SharedUnwatched implements SharedClock {

    private volatile boolean shared;
    private volatile boolean watched = true;

    @Override
    public void share() {
        watched = watched || !shared;
        shared = true;
        if (!watched) {
            shared = false;
        }
    }

    @Override
    public void fire() {
        boolean needed = shared;
        Flaw.gap();
        watched = needed;
    }

    @Override
    public boolean isShared() {
        return shared;
    }

    @Override
    public boolean isWatched() {
        return watched;
    }
}
