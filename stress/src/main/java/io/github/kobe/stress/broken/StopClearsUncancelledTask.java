package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Flaw: a stop cancels all in line, then clears the line; who came in between is cleared but not cancelled. */
public final class StopClearsUncancelledTask implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private boolean permitTaken; // the one place

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        queue.add(task);
        startNext();
        return true;
    }

    @Override
    public void stopGroup(String group) {
        queue.forEach(task -> task.recordOutcome(false));
        RaceWindow.widen();
        queue.clear();
    }

    private synchronized void startNext() {
        RecordingTask next = permitTaken ? null : queue.poll();
        if (next != null) {
            permitTaken = true;
            runner.add(() -> run(next));
        }
    }

    private void run(RecordingTask task) {
        task.runBody();
        synchronized (this) {
            permitTaken = false;
        }
        startNext();
        task.recordOutcome(true);
    }

    @Override
    public synchronized int occupancy() {
        return queue.size() + (permitTaken ? 1 : 0);
    }
}
