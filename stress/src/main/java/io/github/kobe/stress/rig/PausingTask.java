package io.github.kobe.stress.rig;

/** A task that pauses on its thread before its body runs, until {@link #proceed} is called. */
public final class PausingTask extends RecordingTask {

    private Runnable rest;

    /** The task has a listener, since it pauses where a listener is notified of the start. */
    public PausingTask() {
        super(null, true);
    }

    /** Called at the pause. {@code remaining} is what is left to do. */
    public void pause(Runnable remaining) {
        rest = remaining;
    }

    /** Does what was left to do. */
    public void proceed() {
        if (rest != null) { // null if the task was cancelled before the pause
            rest.run();
        }
    }

    @Override
    protected boolean notifyStarted(int slot) {
        pause(() -> beginWithout(slot));
        return false;
    }
}
