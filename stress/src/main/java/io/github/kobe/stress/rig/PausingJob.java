package io.github.kobe.stress.rig;

import java.util.Objects;

/** A job that stops between arriving on its thread and beginning its work, until it is told to go on. */
public final class PausingJob extends Job {

    private Runnable rest;

    /** Observed, since the pause is where an observer would hear of the start. */
    public PausingJob() {
        super(null, true);
    }

    /** Called where the pause is; {@code toCome} is what is left to do. */
    public void pause(Runnable toCome) {
        rest = toCome;
    }

    /** Does what was left to do. */
    public void goOn() {
        Objects.requireNonNull(rest).run();
    }

    @Override
    protected boolean announceStart(Runnable takeOver) {
        pause(takeOver);
        return false;
    }
}
