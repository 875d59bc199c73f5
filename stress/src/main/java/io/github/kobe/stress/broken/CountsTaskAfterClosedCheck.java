package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: checks the closed flag first and counts the task second. The scheduler can terminate in between. */
public final class CountsTaskAfterClosedCheck implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final AtomicInteger tasks = new AtomicInteger();
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
        tasks.incrementAndGet();
        runner.add(() -> {
            task.runBody();
            task.recordOutcome(true);
            tasks.decrementAndGet();
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
        if (closed && tasks.get() == 0) {
            terminated = true;
        }
    }

    @Override
    public boolean isTerminated() {
        return terminated;
    }

    @Override
    public int occupancy() {
        return tasks.get();
    }
}
