package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Flaw: a resize reads and writes the free permits without compare-and-set, so it overwrites what changes in between. It then
 * reads the queue before a submitter that found no permit is in it.
 */
public final class ResizesWithoutCas implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final AtomicInteger free;
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private final int initialLimit;
    private int limit;

    /** @param limit how many tasks may run at once at first */
    public ResizesWithoutCas(int limit) {
        this.initialLimit = limit;
        this.limit = limit;
        this.free = new AtomicInteger(limit);
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        if (tryAcquire()) {
            start(task);
        } else {
            RaceWindow.widen();
            RaceWindow.widen(); // longer than a resize with its own window
            queue.add(task);
        }
        return true;
    }

    private boolean tryAcquire() {
        return free.getAndUpdate(n -> n > 0 ? n - 1 : n) > 0;
    }

    private void start(RecordingTask task) {
        runner.add(() -> {
            task.runBody();
            free.incrementAndGet();
            fill();
            task.recordOutcome(true);
        });
    }

    private void fill() {
        while (!queue.isEmpty() && tryAcquire()) {
            RecordingTask next = queue.poll();
            if (next == null) {
                free.incrementAndGet();
            } else {
                start(next);
            }
        }
    }

    @Override
    public void resize(int newLimit) {
        int inUse = limit - free.get();
        RaceWindow.widen();
        limit = newLimit;
        free.set(newLimit - inUse);
        fill();
    }

    @Override
    public void pause() {
        resize(0);
    }

    @Override
    public void resume() {
        resize(initialLimit);
    }

    @Override
    public int occupancy() {
        return limit - free.get() + queue.size();
    }
}
