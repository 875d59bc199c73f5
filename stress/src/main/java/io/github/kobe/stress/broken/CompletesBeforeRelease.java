package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: publishes the outcome before it releases the permit. A waiter can find the permit of its completed task still in use. */
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
