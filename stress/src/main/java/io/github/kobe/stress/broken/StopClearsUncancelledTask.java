package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Flaw: a stop cancels all queued tasks, then clears the queue. A task that is enqueued in between is removed without an outcome.
 */
public final class StopClearsUncancelledTask implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private boolean permitTaken; // the only permit

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
