package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One limit of two permits, and a task that costs both. Flaw: a thread that finds too few permits puts the task into the place for saving, and does not look for permits again. The other
 * permit can be released before: a lost wake-up.
 */
public final class SavesWithoutLookingAgain implements SchedulerUnderTest {

    private static final int LIMIT = 2;

    private final StepRunner runner = new StepRunner();
    private final AtomicInteger free = new AtomicInteger(LIMIT);
    private final AtomicReference<RecordingTask> queued = new AtomicReference<>();
    private final AtomicReference<RecordingTask> saver = new AtomicReference<>();

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        if (free.get() == 0) {
            queued.set(task); // the race begins with the limit full
        } else {
            free.decrementAndGet();
            runner.add(() -> {
                task.runBody();
                release();
                task.recordOutcome(true);
            });
        }
        return true;
    }

    private void release() {
        free.incrementAndGet();
        RecordingTask next = queued.getAndSet(null);
        if (next == null) {
            next = saver.getAndSet(null);
        }
        if (next == null) {
            return;
        }
        if (free.compareAndSet(LIMIT, 0)) {
            start(next);
        } else {
            RaceWindow.widen();
            saver.set(next);
        }
    }

    private void start(RecordingTask task) {
        runner.add(() -> {
            task.runBody();
            free.set(LIMIT);
            task.recordOutcome(true);
        });
    }

    @Override
    public int occupancy() {
        return 0;
    }
}
