package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Flaw: a job that is one too many, or the oldest that is to make room for it, is taken out of the line without a look at whether
 * somebody has started it.
 */
public final class RemovesStartedTask implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final int threshold;
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private boolean taken; // the one place

    /** @param threshold how many may wait */
    public RemovesStartedTask(int threshold) {
        this.threshold = threshold;
    }

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        queue.add(job);
        if (queue.size() > threshold) {
            RaceWindow.gap();
            queue.remove(job);
            return false;
        }
        startNext();
        return true;
    }

    @Override
    public boolean submitDisplacing(String group, RecordingTask job) {
        RecordingTask oldest = queue.size() < threshold ? null : queue.peek();
        if (oldest != null) {
            RaceWindow.gap();
            queue.remove(oldest);
            oldest.end(false);
        }
        queue.add(job);
        startNext();
        return true;
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
