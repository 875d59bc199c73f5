package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: a task looks whether the door is open, and is counted later; the end is declared with it in the doorway. */
public final class CountsTaskAfterClosedCheck implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final AtomicInteger inside = new AtomicInteger();
    private volatile boolean closed;
    private volatile boolean terminated;

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        if (closed) {
            return false;
        }
        RaceWindow.widen();
        inside.incrementAndGet();
        runner.add(() -> {
            task.runBody();
            task.recordOutcome(true);
            inside.decrementAndGet();
            terminateIfEmpty();
        });
        return true;
    }

    @Override
    public void close() {
        closed = true;
        terminateIfEmpty();
    }

    @Override
    public void stopAll() {
        close();
    }

    private void terminateIfEmpty() {
        if (closed && inside.get() == 0) {
            terminated = true;
        }
    }

    @Override
    public boolean isTerminated() {
        return terminated;
    }

    @Override
    public int occupancy() {
        return inside.get();
    }
}
