package io.github.kobe.stress.rig;

/** A job that stops between arriving on its thread and beginning its work, until it is told to go on. */
public final class PausingTask extends RecordingTask {

    private Runnable rest;

    /** Observed, since the pause is where an observer would hear of the start. */
    public PausingTask() {
        super(null, true);
    }

    /** Called where the pause is; {@code toCome} is what is left to do. */
    public void pause(Runnable toCome) {
        rest = toCome;
    }

    /** Does what was left to do. */
    public void goOn() {
        if (rest != null) { // else it had been cancelled before it got there
            rest.run();
        }
    }

    @Override
    protected boolean notifyStarted(Runnable takeOver) {
        pause(takeOver);
        return false;
    }
}
