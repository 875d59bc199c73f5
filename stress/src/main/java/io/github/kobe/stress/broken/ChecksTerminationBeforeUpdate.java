package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Flaw: the last task reads the closed flag before it is uncounted, and the close reads the count before it sets the flag. Neither
 * side terminates.
 */
public final class ChecksTerminationBeforeUpdate implements SchedulerUnderTest {

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
        tasks.incrementAndGet();
        runner.add(() -> {
            task.runBody();
            task.recordOutcome(true);
            boolean last = closed;
            RaceWindow.widen();
            tasks.decrementAndGet();
            terminated |= last;
        });
        return true;
    }

    @Override
    public void close() {
        boolean empty = tasks.get() == 0;
        RaceWindow.widen();
        closed = true;
        terminated |= empty;
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
