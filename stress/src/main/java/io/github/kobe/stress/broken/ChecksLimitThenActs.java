package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Flaw: checks the limit and the queue threshold in one step and takes the permit or the queue slot in the next. Two submitters
 * can pass the same check.
 */
public final class ChecksLimitThenActs implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final int limit;
    private final int queueThreshold;
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger queued = new AtomicInteger();
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();

    /**
     * @param limit how many tasks may run at once
     * @param queueThreshold how many tasks may be queued
     */
    public ChecksLimitThenActs(int limit, int queueThreshold) {
        this.limit = limit;
        this.queueThreshold = queueThreshold;
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        if (running.get() < limit) {
            RaceWindow.widen();
            running.incrementAndGet();
            start(task);
            return true;
        }
        if (queued.get() < queueThreshold) {
            RaceWindow.widen();
            queued.incrementAndGet();
            queue.add(task);
            return true;
        }
        return false;
    }

    private void start(RecordingTask task) {
        runner.add(() -> {
            task.runBody();
            release();
            task.recordOutcome(true);
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
    public int occupancy() {
        return running.get() + queued.get();
    }
}
