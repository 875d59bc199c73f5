package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: those who wait hear of the end before the place is back, and may find their own last task in the way. */
public final class CompletesBeforeRelease implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final AtomicInteger running = new AtomicInteger();

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        running.incrementAndGet();
        runner.add(() -> {
            task.runBody();
            task.recordOutcome(true);
            RaceWindow.widen();
            running.decrementAndGet();
        });
        return true;
    }

    @Override
    public boolean isCompleted(RecordingTask task) {
        return task.outcomeCount() > 0;
    }

    @Override
    public int occupancy() {
        return running.get();
    }
}
