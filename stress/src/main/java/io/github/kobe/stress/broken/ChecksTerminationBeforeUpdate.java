package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: the last task looks at the door before it leaves, and the door looks for tasks before it closes: both see the other. */
public final class ChecksTerminationBeforeUpdate implements SchedulerUnderTest {

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
        inside.incrementAndGet();
        runner.add(() -> {
            task.runBody();
            task.recordOutcome(true);
            boolean last = closed;
            RaceWindow.widen();
            inside.decrementAndGet();
            terminated |= last;
        });
        return true;
    }

    @Override
    public void close() {
        boolean empty = inside.get() == 0;
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
        return inside.get();
    }
}
