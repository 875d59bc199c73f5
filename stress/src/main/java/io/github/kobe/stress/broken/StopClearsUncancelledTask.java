package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Flaw: a stop cancels all in line, then clears the line; who came in between is cleared but not cancelled. */
public final class StopClearsUncancelledTask implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private boolean taken; // the one place

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        queue.add(job);
        startNext();
        return true;
    }

    @Override
    public void stop(String group) {
        queue.forEach(job -> job.end(false));
        RaceWindow.gap();
        queue.clear();
    }

    private synchronized void startNext() {
        RecordingTask next = taken ? null : queue.poll();
        if (next != null) {
            taken = true;
            crank.note(() -> run(next));
        }
    }

    private void run(RecordingTask job) {
        job.work();
        synchronized (this) {
            taken = false;
        }
        startNext();
        job.end(true);
    }

    @Override
    public synchronized int held() {
        return queue.size() + (taken ? 1 : 0);
    }
}
