package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Flaw: a new cap is worked into the free places by a read and a write, which undoes what others did in between; and the look
 * at the line that follows comes too early for who is just joining it.
 */
public final class ResizesWithoutCas implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final AtomicInteger free;
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private final int initialLimit;
    private int limit;

    /** @param cap how many may run at once, to begin with */
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
            RaceWindow.widen(); // as long as a resize takes, and its own gap
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
