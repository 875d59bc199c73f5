package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: it looks whether there is room, on a thread or in line, and takes it in a second step. */
public final class ChecksLimitThenActs implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final int cap;
    private final int threshold;
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger queued = new AtomicInteger();
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();

    /**
     * @param cap how many may run at once
     * @param threshold how many may wait
     */
    public ChecksLimitThenActs(int cap, int threshold) {
        this.cap = cap;
        this.threshold = threshold;
    }

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        if (running.get() < cap) {
            RaceWindow.gap();
            running.incrementAndGet();
            start(job);
            return true;
        }
        if (queued.get() < threshold) {
            RaceWindow.gap();
            queued.incrementAndGet();
            queue.add(job);
            return true;
        }
        return false;
    }

    private void start(RecordingTask job) {
        crank.note(() -> {
            job.work();
            release();
            job.end(true);
        });
    }

    private void release() {
        RecordingTask next = queue.poll();
        if (next == null) {
            running.decrementAndGet();
        } else {
            queued.decrementAndGet();
            start(next);
        }
    }

    @Override
    public int held() {
        return running.get() + queued.get();
    }
}
