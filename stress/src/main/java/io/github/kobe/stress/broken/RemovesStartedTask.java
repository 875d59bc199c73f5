package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Flaw: removes a rejected or displaced task from the queue without checking whether it has been dequeued and started. */
public final class RemovesStartedTask implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final int queueThreshold;
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private boolean permitTaken; // the only permit

    /** @param queueThreshold how many tasks may be queued */
    public RemovesStartedTask(int queueThreshold) {
        this.queueThreshold = queueThreshold;
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        queue.add(task);
        if (queue.size() > queueThreshold) {
            RaceWindow.widen();
            queue.remove(task);
            return false;
        }
        startNext();
        return true;
    }

    @Override
    public boolean submitDisplacing(String group, RecordingTask task) {
        RecordingTask oldest = queue.size() < queueThreshold ? null : queue.peek();
        if (oldest != null) {
            RaceWindow.widen();
            queue.remove(oldest);
            oldest.recordOutcome(false);
        }
        queue.add(task);
        startNext();
        return true;
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
